showPage(textSteps(perceptron, updateNotes.perceptron, { averaged: true }));
