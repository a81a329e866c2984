showPage(pointSteps(perceptron, updateNotes.perceptron, { averaged: true, epochs: 25 }));
