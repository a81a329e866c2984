showPage({
  controls: [
    { name: "text", label: "Your sentence", text: true, value: "" },
    { name: "y", label: "class y", options: ["Fiction", "News", "Gossip", "Sports"], value: "News" },
    { name: "n", label: "longest n-gram", min: 1, max: 3, step: 1, value: 1 },
  ],
  needs: (data, { text }) => (tokensOf(text).length ? "" : "Type a sentence."),
  compute({ classes }, { text, y, n }) {
    const vocabulary = vocabularyOf([text], n);
    const x = countsOf(text, vocabulary, n);
    const slots = classes.map((name) => (name === y ? [...x, 1] : zeros(x.length + 1)));
    return { vocabulary, x, joint: slots.flat() };
  },
  words: ({ vocabulary, x, joint }, { classes }, { y }) =>
    `${plural(total(x), "feature")} in the text, ${vocabulary.length} of them different. f(x, y) has ${classes.length} slots of ${vocabulary.length + 1} numbers, ${joint.length} in all: ` +
    `the counts and the offset 1 stand in the slot of ${y}, all other slots are 0.`,
  tables({ vocabulary, x }, { classes }, { y }) {
    const most = Math.max(...x);
    return [
      {
        caption: "The bag of words x, and f(x, y) by slot",
        head: ["feature", "x", "", ...classes],
        rows: [...vocabulary, "(offset)"].map((word, j) => {
          const count = j < x.length ? x[j] : 1;
          return { cells: [word, count, bar(count / most, "series0"), ...classes.map((name) => (name === y ? count : 0))] };
        }),
      },
    ];
  },
});
