// A model of Wordplane in WebAssembly: the C interface (wordplane.h), called with strings.
// The sizes and places below are those of its structs, in memory of 32 bits.
const ERROR_SIZE = 512, TEXT_SIZE = 8, NUMBER_SIZE = 8, INDEX_SIZE = 4, CONTRIBUTION_INDEXES = 8;
const ENCODER = new TextEncoder(), DECODER = new TextDecoder("utf-8", { ignoreBOM: true });
const SEGMENTER = new Intl.Segmenter(undefined, { granularity: "word" });
const BEFORE_WORD = /[\s、。，！？；：](?=[\p{L}\p{N}])/u;
const PIECE = 500, MOST_PIECE = 5000; // characters
const NOT_AVAILABLE = 52; // what WASI answers if a system has no such thing, such as files

// The bytes of gzip in base64.
async function unpack(base64) {
  const text = atob(base64), packed = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) packed[i] = text.charCodeAt(i);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function instantiate(wasm) {
  let library = null;
  const unavailable = () => NOT_AVAILABLE;
  const imports = {
    host: {
      throw(at, size) {
        const text = new Uint8Array(library.memory.buffer, at, size);
        throw new Error(DECODER.decode(text));
      },
    },
    wasi_snapshot_preview1: new Proxy({
      random_get(at, size) {
        crypto.getRandomValues(new Uint8Array(library.memory.buffer, at, size));
        return 0;
      },
    }, { get: (known, name) => known[name] ?? unavailable }),
  };
  const { instance } = await WebAssembly.instantiate(wasm, imports);
  library = instance.exports;
  library._initialize();
  return library;
}

class Model {
  #library;
  #model = 0;
  #thresholds = null;

  // The model in the content of a .wordplane file. An Error says why it cannot be read.
  static async open(wasm, content) {
    return new Model(await instantiate(wasm), content);
  }

  constructor(library, content) {
    this.#library = library;
    this.#call((allocate) => {
      const bytes = allocate(content.length), model = allocate(INDEX_SIZE);
      this.#bytes(bytes, content.length).set(content);
      this.#check(allocate, (error) => library.wordplane_load(bytes, content.length, model, error));
      this.#model = this.#index(model);
    });
    this.labels = this.#names("class", library.wordplane_n_classes(this.#model));
    // The names of the texts that make up a document; [""] if it is one text.
    this.fields = this.#names("field", library.wordplane_n_fields(this.#model));
    this.isMultilabel = library.wordplane_is_multilabel(this.#model) !== 0;
    this.predictsNumbers = this.labels.length === 0;
  }

  // The answer to a text, or to an object with a text for each field.
  //   label          the label; of a multi-label model the most probable one of `labels`, or null
  //   labels         all labels that are given
  //   probabilities  of all labels, in the order of model.labels
  //   scores         as `decision_function` returns them
  //   number         in place of labels, of a model that predicts numbers
  predict(document) {
    return this.#call((allocate) => {
      const scores = this.#scores(allocate, document);
      const n = this.labels.length;
      const result = { scores: this.#numbers(scores.at, scores.n) };
      if (this.predictsNumbers) return { number: result.scores[0], ...result };
      const P = allocate(n * NUMBER_SIZE), given = allocate(n * INDEX_SIZE);
      this.#check(allocate, (error) =>
        this.#library.wordplane_probabilities(this.#model, scores.at, P, error));
      const n_given = this.#library.wordplane_labels(this.#model, scores.at, given);
      const classes = Array.from({ length: n_given }, (_, i) => this.#index(given + i * INDEX_SIZE));
      const probabilities = this.#numbers(P, n);
      const best = classes.reduce((a, b) => (a === null || probabilities[b] > probabilities[a] ? b : a), null);
      return {
        label: best === null ? null : this.labels[best],
        labels: classes.map((k) => this.labels[k]),
        probabilities,
        ...result,
      };
    });
  }

  // Why a document gets a label, or the one that it gets (of a multi-label model, the one that is
  // most above its threshold).
  //   score, bias    the score is the bias plus all values
  //   contributions  what every occurrence of a feature adds, the strongest first: `feature`,
  //                  `value`, `field`, and `start` and `end` in that text (null if in none)
  //   words          the same by words of the texts, in their order: `field`, `start`, `end`, `value`
  explain(document, label) {
    return this.#explainClass(document, this.#classOf(document, label), () => true);
  }

  // The same with those contributions alone that are in no word, which is quicker.
  explainWords(document, label) {
    return this.#explainClass(document, this.#classOf(document, label), (start, end) => start === end);
  }

  // Free the memory of the model, which cannot be used afterwards.
  free() {
    this.#library.wordplane_free(this.#model);
    this.#model = 0;
  }

  #classOf(document, label) {
    const k = label === undefined ? this.#bestClass(document) : this.labels.indexOf(label);
    if (k < 0) throw new Error(`the model has no label ${JSON.stringify(label)}`);
    return k;
  }

  #bestClass(document) {
    if (this.predictsNumbers) return 0;
    const { scores, labels } = this.predict(document);
    if (!this.isMultilabel) return this.labels.indexOf(labels[0]);
    const above = scores.map((score, k) => score - this.#thresholdOf(k));
    return above.indexOf(Math.max(...above));
  }

  // The score that is explained is the distance from the threshold.
  #thresholdOf(k) {
    if (this.#thresholds === null) {
      const empty = Object.fromEntries(this.fields.map((field) => [field, ""]));
      const { scores } = this.predict(empty);
      this.#thresholds = scores.map((score, j) => score - this.#explainClass(empty, j, () => false).score);
    }
    return this.#thresholds[k];
  }

  // isListed(start, end) says which contributions are wanted by their names.
  #explainClass(document, k, isListed) {
    return this.#call((allocate) => {
      const library = this.#library, texts = this.#texts(document), pointer = allocate(INDEX_SIZE);
      const given = this.#document(allocate, texts);
      this.#check(allocate, (error) =>
        library.wordplane_explain(this.#model, given, texts.length, k, pointer, error));
      const explanation = this.#index(pointer);
      try {
        const [score, bias] = this.#numbers(explanation, 2);
        const n = this.#index(explanation + 16), first = this.#index(explanation + 20);
        const all = occurrences(library.memory.buffer, first, n, texts.map(unitsOfBytes));
        const contributions = [];
        for (let i = 0; i < n; i++)
          if (isListed(all.starts[i], all.ends[i])) contributions.push(this.#contribution(all, i));
        const label = this.predictsNumbers ? null : this.labels[k];
        const words = texts.flatMap((text, number) => wordsOf(text, number, this.fields[number], all));
        return { label, score, bias, contributions, words };
      } finally {
        library.wordplane_free_explanation(explanation);
      }
    });
  }

  #contribution({ structs, numbers, values, starts, ends }, i) {
    const at = i * CONTRIBUTION_INDEXES, feature = this.#string(structs[at], structs[at + 1]);
    const value = values[i], field = this.fields[numbers[i]];
    if (field === undefined) return { feature, value, field: null, start: null, end: null };
    return { feature, value, field, start: starts[i], end: ends[i] };
  }

  #scores(allocate, document) {
    const texts = this.#texts(document), n = this.#library.wordplane_n_scores(this.#model);
    const given = this.#document(allocate, texts), at = allocate(n * NUMBER_SIZE);
    this.#check(allocate, (error) =>
      this.#library.wordplane_scores(this.#model, given, texts.length, at, error));
    return { at, n };
  }

  // The texts of a document, in the order of the fields.
  #texts(document) {
    if (typeof document === "string") document = { [this.fields[0]]: document };
    const missing = this.fields.find((field) => typeof document?.[field] !== "string");
    if (missing !== undefined) {
      throw new TypeError(missing ? `the model needs a text ${JSON.stringify(missing)}` : "a text is expected");
    }
    return this.fields.map((field) => document[field]);
  }

  #document(allocate, texts) {
    const list = allocate(texts.length * TEXT_SIZE);
    texts.forEach((text, i) => {
      const bytes = ENCODER.encode(text), at = allocate(bytes.length);
      this.#bytes(at, bytes.length).set(bytes);
      new Uint32Array(this.#library.memory.buffer, list + i * TEXT_SIZE, 2).set([at, bytes.length]);
    });
    return list;
  }

  // Runs use(allocate), and frees what it allocated. If the library throws, its stack is as before.
  #call(use) {
    const library = this.#library, stack = library.__stack_pointer.value, blocks = [];
    const allocate = (size) => {
      const at = library.malloc(Math.max(size, 1)) >>> 0;
      if (at === 0) throw new Error("there is not enough memory");
      blocks.push(at);
      return at;
    };
    try {
      return use(allocate);
    } finally {
      library.__stack_pointer.value = stack;
      for (const block of blocks) library.free(block);
    }
  }

  #check(allocate, call) {
    const error = allocate(ERROR_SIZE);
    if (call(error) === 0) return;
    const text = this.#bytes(error, ERROR_SIZE);
    throw new Error(DECODER.decode(text.subarray(0, text.indexOf(0))));
  }

  #names(kind, n) {
    return this.#call((allocate) => {
      const size = allocate(INDEX_SIZE);
      return Array.from({ length: n }, (_, k) => {
        const at = this.#library[`wordplane_${kind}`](this.#model, k, size);
        return this.#string(at, this.#index(size));
      });
    });
  }

  // The memory moves when it grows: views are made where they are used.
  #bytes(at, size) { return new Uint8Array(this.#library.memory.buffer, at, size); }
  #index(at) { return new Uint32Array(this.#library.memory.buffer, at, 1)[0]; }
  #numbers(at, n) { return Array.from(new Float64Array(this.#library.memory.buffer, at, n)); }
  #string(at, size) { return DECODER.decode(this.#bytes(at, size)); }
}

// For every byte of a text in UTF-8, and its end, the place in the JavaScript string.
function unitsOfBytes(text) {
  const places = new Uint32Array(3 * text.length + 1);
  let at = 0, unit = 0;
  while (unit < text.length) {
    const point = text.codePointAt(unit);
    const size = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    for (let i = 0; i < size; i++) places[at++] = unit;
    unit += size === 4 ? 2 : 1;
  }
  places[at] = unit;
  return places;
}

// The contributions in memory: the structs as indexes, and of each the number of its text, its value,
// and where it starts and ends there (if it is in none, both are 0).
function occurrences(buffer, first, n, places) {
  const structs = new Uint32Array(buffer, first, n * CONTRIBUTION_INDEXES);
  const doubles = new Float64Array(buffer, first, n * (CONTRIBUTION_INDEXES / 2));
  const numbers = new Uint32Array(n), values = new Float64Array(n);
  const starts = new Uint32Array(n), ends = new Uint32Array(n);
  for (let i = 0, at = 0; i < n; i++, at += CONTRIBUTION_INDEXES) {
    const number = numbers[i] = structs[at + 4];
    values[i] = doubles[at / 2 + 1];
    if (number >= places.length) continue;
    starts[i] = places[number][structs[at + 5]];
    ends[i] = places[number][structs[at + 6]];
  }
  return { structs, numbers, values, starts, ends };
}

// Words and what is between them. A text is taken apart before, where a word begins: whatever asks
// for the segments of a text keeps a copy of all of it for each of them.
function segmentsOf(text) {
  const segments = [];
  for (let begin = 0; begin < text.length; ) {
    const piece = text.slice(begin, endOfPiece(text, begin));
    for (const { index, segment, isWordLike } of SEGMENTER.segment(piece))
      segments.push({ start: begin + index, end: begin + index + segment.length, isWordLike });
    begin += piece.length;
  }
  return segments;
}

function endOfPiece(text, begin) {
  const most = begin + MOST_PIECE;
  if (most >= text.length) return text.length;
  const found = text.slice(begin + PIECE, most).search(BEFORE_WORD);
  if (found >= 0) return begin + PIECE + found + 1;
  return text.codePointAt(most - 1) > 0xffff ? most - 1 : most;
}


// What the words of a text, and what stands between them, add. A feature is shared out among the
// characters of words that it covers, or if there are none among all its characters.
function wordsOf(text, number, field, { numbers, values, starts, ends }) {
  const segments = segmentsOf(text);
  const nBefore = new Uint32Array(text.length + 1); // characters of words before each place
  for (const { start, end, isWordLike } of segments)
    for (let i = start; i < end; i++) nBefore[i + 1] = nBefore[i] + (isWordLike ? 1 : 0);
  const ofWords = new Float64Array(text.length + 1), ofOthers = new Float64Array(text.length + 1);
  for (let j = 0; j < values.length; j++) {
    const start = starts[j], end = ends[j];
    if (numbers[j] !== number || start === end) continue;
    const n = nBefore[end] - nBefore[start];
    const edges = n > 0 ? ofWords : ofOthers, each = values[j] / (n || end - start);
    edges[start] += each;
    edges[end] -= each;
  }
  for (let i = 0; i < text.length; i++) {
    ofWords[i + 1] += ofWords[i];
    ofOthers[i + 1] += ofOthers[i];
  }
  return segments.map(({ start, end, isWordLike }) => {
    const added = isWordLike ? ofWords : ofOthers;
    let value = 0;
    for (let i = start; i < end; i++) value += added[i];
    return { field, start, end, value };
  });
}
