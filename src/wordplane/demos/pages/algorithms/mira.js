// MIRA, the passive-aggressive learner.

// tau is the smallest step that gives y a margin of 1, as far as C allows.
const mira = {
  stops: true,
  step(theta, x, y, { C }) {
    const z = scoresOf(theta, x);
    const guess = argmax(z);
    if (guess === y) return { guess, theta, wrong: false };
    const size = Math.min(C, (z[guess] - z[y] + 1) / (2 * dot(x, x)));
    return { guess, theta: moved(theta, x, y, guess, size), wrong: true, size };
  },
};
