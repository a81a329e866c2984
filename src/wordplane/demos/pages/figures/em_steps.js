const MOST_ROUNDS = 30;

showPage({
  texts: { title: "Sentences, with and without labels", unlabeled: true },
  controls: [{ name: "alpha", label: "α (smoothing)", log: true, min: -2, max: 1, step: 0.05, value: 1 }],
  stepLabel: "round",
  needs: ({ texts, classes }) =>
    classes.every((_, k) => texts.some(({ label, text }) => label === k && tokensOf(text).length)) ? "" : "Each class needs a sentence with its label.",
  maxSteps: () => MOST_ROUNDS,
  compute({ texts, classes }, { alpha, step }) {
    const vocabulary = vocabularyOf(texts.map((one) => one.text));
    const X = texts.map((one) => countsOf(one.text, vocabulary));
    const path = em(X, texts.map(({ label }) => label), classes.length, alpha, 1, step);
    return { vocabulary, ...path[step], penalizedPath: path.map(({ penalized }) => penalized), before: path[Math.max(0, step - 1)].p };
  },
  words({ penalizedPath, penalized, likelihood }, data, { step }) {
    const rise = step ? ` It rose by ${shown(penalized - penalizedPath[step - 1], 5)}.` : "";
    const what = step ? `Round ${step}: M, new parameters from these shares; E, new shares from the parameters.` : "Start: the parameters of the labeled sentences alone, and the shares that they give.";
    return `${what} Penalized log-likelihood ${shown(penalized)}, log-likelihood ${shown(likelihood)}.${rise}`;
  },
  tables({ p, before, vocabulary, logPhi }, { texts, classes }) {
    const odds = (j) => logPhi[1][j] - logPhi[0][j];
    const order = vocabulary.map((_, j) => j).sort((i, j) => Math.abs(odds(j)) - Math.abs(odds(i)) || i - j);
    return [
      {
        caption: "E step: the share of each sentence in each class, before this round and after",
        head: ["sentence", ...classes.flatMap((name) => [`${name} before`, `after`]), ""],
        rows: texts.map(({ text, label }, i) => ({
          cells: [text, ...classes.flatMap((_, k) => [before[i][k], p[i][k]]), bar(p[i][1], "series1")],
          mark: label < 0,
        })),
      },
      {
        caption: "M step: the words that tell the classes apart",
        head: ["word", ...classes.map((name) => `φ of ${name}`)],
        rows: order.slice(0, 12).map((j) => ({ cells: [vocabulary[j], ...logPhi.map((row) => Math.exp(row[j]))] })),
      },
    ];
  },
});
