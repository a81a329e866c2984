const sizes = [
  { name: "eta", label: "η (step size)", log: true, min: -2, max: 0.5, step: 0.05, value: 0.5 },
  { name: "lambda", label: "λ (penalty)", min: 0, max: 1, step: 0.01, value: 0 },
];
showPage(textSteps(sgd, updateNotes.sgd, { controls: sizes }));
