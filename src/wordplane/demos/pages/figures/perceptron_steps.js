showPage(textSteps(perceptron, updateNotes.perceptron));
