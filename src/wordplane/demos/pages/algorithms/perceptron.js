// The perceptron: each mistake adds f(x, y) and subtracts f(x, guess).

// A tie is a mistake: the best class other than y is the guess if it scores as much as y.
const perceptron = {
  stops: true,
  step(theta, x, y) {
    const z = scoresOf(theta, x);
    const guess = argmax(z.map((score, k) => (k === y ? -Infinity : score)));
    if (z[guess] < z[y]) return { guess: y, theta, wrong: false };
    return { guess, theta: moved(theta, x, y, guess, 1), wrong: true, size: 1 };
  },
};
