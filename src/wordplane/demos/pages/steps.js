// Pages of learners that take one example after the other: what one step does, as a table.

const EPOCHS = 5;

// The scores, the prediction and the update of a step in words.
function stepWords(record, what, classes, note) {
  if (!record) return "Nothing has been learned yet: all weights are 0. Press N for the first step.";
  const scores = record.scores.map((z, k) => `${classes[k]} ${shown(z)}`).join(", ");
  const verdict = record.guess === record.y ? "right" : "wrong";
  return `Step ${record.t}: ${what}, y = ${classes[record.y]}. Scores: ${scores}. ` +
    `Prediction: ${classes[record.guess]}, ${verdict}. ${note(record, classes)}`;
}

// One row for each weight that x touches: f(x, y), f(x, guess) or the expected f(x, Y), theta before
// and after.
function stepTable(record, names, classes, average) {
  const rows = [];
  classes.forEach((name, k) => {
    names.forEach((feature, j) => {
      if (record.x[j] === 0) return;
      const [before, after] = [record.before[k][j], record.after[k][j]];
      const share = record.p ? record.p[k] : k === record.guess ? 1 : 0;
      const joint = [k === record.y ? record.x[j] : 0, share * record.x[j]];
      const cells = [`${name}: ${feature}`, ...joint, before, after];
      if (average) cells.push(average[k][j]);
      rows.push({ cells, mark: before !== after });
    });
  });
  const head = ["weight", "f(x, y)", record.p ? "E f(x, Y)" : "f(x, ŷ)", "θ before", "θ after", ...(average ? ["mean of θ"] : [])];
  return { caption: "The weights of the features of x; those that changed are marked", head, rows };
}

const updateNotes = {
  perceptron: ({ wrong }) => (wrong ? "θ becomes θ + f(x, y) − f(x, ŷ)." : "Nothing changes."),
  mira: ({ wrong, size }) => (wrong ? `θ becomes θ + τ (f(x, y) − f(x, ŷ)) with τ = ${shown(size)}.` : "Nothing changes."),
  onlineSvm: ({ wrong, size }) =>
    `With η = ${shown(size)}, all weights shrink by (1 − λη)` +
    (wrong ? ", and η (f(x, y) − f(x, ŷ)) is added: with a margin of 1 asked for, ŷ beats y." : "; y wins with a margin of 1."),
  sgd: ({ size }) => `θ becomes θ + η (f(x, y) − E[f(x, Y)]) with η = ${shown(size)}, then the penalty shrinks it.`,
};

// A page on points of two classes: the separator after any number of steps.
function pointSteps(learner, note, { averaged = false, controls = [], epochs = EPOCHS } = {}) {
  const rowsOf = (data) => data.points.map(({ x, y, label }) => ({ x: [x, y, 1], y: label }));
  const lineOf = (theta) => theta[1].map((weight, j) => weight - theta[0][j]);
  return {
    planes: [{ title: "Points and the separator", x: [-4, 4], y: [-4, 4], xLabel: "x₁", yLabel: "x₂", list: "points" }],
    controls,
    needs: bothClasses,
    maxSteps: (data, settings) => learn(learner, rowsOf(data), 2, settings, epochs * data.points.length).steps,
    compute(data, settings) {
      const rows = rowsOf(data);
      const found = learn(learner, rows, 2, settings, settings.step);
      const line = lineOf(averaged ? found.average : found.theta);
      const errors = data.points.filter((p) => (dot(line, [p.x, p.y, 1]) > 0 ? 1 : 0) !== p.label).length;
      const result = { ...found, line, last: lineOf(found.theta), errors };
      if (learner === onlineSvm) {
        result.objective = svmObjective(averaged ? found.average : found.theta, rows, settings.lambda);
      }
      return result;
    },
    draw([plane], { line, last, record }, data) {
      plane.sides(line);
      if (averaged) plane.line(last, "line thin");
      if (record) {
        plane.line(lineOf(record.before), "line before");
        plane.circle(data.points[record.i].x, data.points[record.i].y, 0.32, "ring");
      }
      plane.line(line, "line");
    },
    words({ record, errors, stopped, objective }, data) {
      const at = record && data.points[record.i];
      const what = record && `x = (${shown(at.x)}, ${shown(at.y)}, 1), point ${record.i + 1}`;
      const end = stopped ? " An epoch without a mistake: training ends." : "";
      const height = objective === undefined ? "" : ` Objective: ${shown(objective, 4)}.`;
      return stepWords(record, what, data.classes, note) + ` ${plural(errors, "point")} on the wrong side.${height}${end}`;
    },
    tables: ({ record, average }, data) =>
      record ? [stepTable(record, ["x₁", "x₂", "bias"], data.classes, averaged ? average : null)] : [],
  };
}

// A page on sentences.
function textSteps(learner, note, { averaged = false, controls = [] } = {}) {
  const prepare = (data) => {
    const words = vocabularyOf(data.texts.map(({ text }) => text));
    const rows = data.texts.map(({ text, label }) => ({ x: [...countsOf(text, words), 1], y: label }));
    return { words, rows };
  };
  return {
    texts: { title: "Sentences, learned from in this order" },
    controls,
    needs: ({ texts }) => (texts.length ? "" : "Add a sentence."),
    maxSteps: (data, settings) =>
      learn(learner, prepare(data).rows, data.classes.length, settings, EPOCHS * data.texts.length).steps,
    compute(data, settings) {
      const { words, rows } = prepare(data);
      const found = learn(learner, rows, data.classes.length, settings, settings.step);
      return { ...found, vocabulary: words, current: found.record ? found.record.i : -1 };
    },
    words({ record, stopped }, data) {
      const what = record && `x = “${data.texts[record.i].text}”`;
      const end = stopped ? " An epoch without a mistake: training ends." : "";
      return stepWords(record, what, data.classes, note) + end;
    },
    tables({ record, vocabulary, theta, average }, data) {
      const names = [...vocabulary, "bias"];
      const used = averaged ? average : theta;
      const spread = (j) => Math.max(...used.map((row) => row[j])) - Math.min(...used.map((row) => row[j]));
      const top = names.map((_, j) => j).filter((j) => spread(j) > 0);
      top.sort((i, j) => spread(j) - spread(i) || i - j);
      const largest = {
        caption: `The weights that differ most between the classes${averaged ? ", averaged" : ""}`,
        head: ["feature", ...data.classes],
        rows: top.slice(0, 12).map((j) => ({ cells: [names[j], ...used.map((row) => row[j])] })),
      };
      return record ? [stepTable(record, names, data.classes, averaged ? average : null), largest] : [];
    },
  };
}
