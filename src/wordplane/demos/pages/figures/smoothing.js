showPage({
  texts: { title: "Sentences to learn from" },
  controls: [
    { name: "alpha", label: "α (smoothing)", log: true, min: -3, max: 2, step: 0.05, value: 1 },
    { name: "text", label: "A new sentence", text: true, value: "" },
  ],
  needs: ({ texts, classes }) =>
    classes.every((_, k) => texts.some(({ label, text }) => label === k && tokensOf(text).length)) ? "" : "Each class needs a sentence.",
  compute({ texts, classes }, { alpha, text }) {
    const vocabulary = vocabularyOf(texts.map((one) => one.text));
    const X = texts.map((one) => countsOf(one.text, vocabulary));
    const model = naiveBayes(X, texts.map(({ label }) => classes.map((_, k) => (k === label ? 1 : 0))), alpha);
    const x = countsOf(text, vocabulary);
    const scores = jointScores(model, x);
    const unknown = tokensOf(text).filter((word) => !vocabulary.includes(word));
    return { vocabulary, ...model, x, scores, probabilities: softmax(scores), unknown };
  },
  words({ probabilities, unknown, vocabulary }, { classes }, { alpha }) {
    const shares = classes.map((name, k) => `${name} ${percent(probabilities[k])}`).join(", ");
    const left = unknown.length ? ` Left out, since no sentence has them: ${unknown.join(", ")}.` : "";
    return `With α = ${shown(alpha)} added to each of ${vocabulary.length} counts per class, the new sentence is ${shares}.${left} ` +
      "The smaller α, the more a word that a class never had counts against it; a large α makes all words equally likely.";
  },
  tables({ vocabulary, counts, logPhi, x }, { classes }) {
    const most = Math.exp(Math.max(...logPhi.flat()));
    return [
      {
        caption: "How often words occur, and φ: how likely they are; words of the new sentence are marked",
        head: ["word", ...classes.flatMap((name) => [`${name}: count`, `φ`, ""])],
        rows: vocabulary.map((word, j) => ({
          cells: [word, ...classes.flatMap((_, k) => [counts[k][j], Math.exp(logPhi[k][j]), bar(Math.exp(logPhi[k][j]) / most, `series${k}`)])],
          mark: x[j] > 0,
        })),
      },
    ];
  },
});
