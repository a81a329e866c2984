// From texts to rows of counts: lower case, runs of letters, digits and _.

const tokensOf = (text) => text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) || [];

function ngramsOf(text, longest) {
  const tokens = tokensOf(text);
  const found = [];
  for (let n = 1; n <= longest; n++) {
    for (let i = 0; i + n <= tokens.length; i++) found.push(tokens.slice(i, i + n).join(" "));
  }
  return found;
}

// By code point, as Python sorts.
function compareTexts(a, b) {
  const [left, right] = [Array.from(a), Array.from(b)];
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    if (left[i] !== right[i]) return left[i].codePointAt(0) - right[i].codePointAt(0);
  }
  return left.length - right.length;
}

const vocabularyOf = (texts, longest = 1) =>
  [...new Set(texts.flatMap((text) => ngramsOf(text, longest)))].sort(compareTexts);

function countsOf(text, vocabulary, longest = 1) {
  const place = new Map(vocabulary.map((word, j) => [word, j]));
  const counts = zeros(vocabulary.length);
  for (const word of ngramsOf(text, longest)) {
    if (place.has(word)) counts[place.get(word)] += 1;
  }
  return counts;
}
