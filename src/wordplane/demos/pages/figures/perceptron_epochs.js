showPage(pointSteps(perceptron, updateNotes.perceptron, { epochs: 25 }));
