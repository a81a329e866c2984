const longest = { name: "C", label: "C (longest step)", log: true, min: -2, max: 1, step: 0.05, value: 1 };
showPage(textSteps(mira, updateNotes.mira, { controls: [longest] }));
