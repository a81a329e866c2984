const penalty = { name: "lambda", label: "λ (penalty)", log: true, min: -3, max: 0, step: 0.05, value: 0.1 };
showPage(pointSteps(onlineSvm, updateNotes.onlineSvm, { averaged: true, epochs: 20, controls: [penalty] }));
