// Losses by margin m: positive on the right side.

const LOSSES = {
  "zero-one": (m) => (m <= 0 ? 1 : 0),
  perceptron: (m) => Math.max(0, -m),
  hinge: (m) => Math.max(0, 1 - m),
  // log(1 + exp(-m)), without overflow
  logistic: (m) => Math.max(0, -m) + Math.log1p(Math.exp(-Math.abs(m))),
};
