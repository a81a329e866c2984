"""The features of an analyzer, found slowly and obviously."""

import re
import unicodedata
from collections import Counter

import numpy as np

from tests import reference

NEGATION = re.compile(
    "not|no|never|nor|neither|none|nobody|nothing|nowhere|cannot|cant|without|hardly|scarcely"
    "|barely|.*n['\u2019]t",
    re.DOTALL,
)


def is_word(token):
    return unicodedata.category(token[0])[0] in "LMN"


def negated(tokens):
    """Tokens as they stand, with NOT_ before those that are negated."""
    marked, inside = [], False
    for token in tokens:
        if not is_word(token):
            if len(token) == 1 and unicodedata.category(token)[0] == "P":
                inside = False
            marked.append((token, False))
            continue
        marked.append((token, inside))
        inside = inside or NEGATION.fullmatch(token.lower()) is not None
    return marked


def words(analyzer, text):
    """The words whose n-grams are features."""
    tokens = [text[start:end] for start, end in reference.tokenize(text)]
    found = negated(tokens) if analyzer.negation else [(token, False) for token in tokens]
    fold = str.lower if analyzer.lowercase else str
    found = ["NOT_" * mark + fold(token) for token, mark in found]
    return ["<s>", *found, "</s>"] if analyzer.boundaries else found


def is_cased(c):
    """As lower-casing a sigma before it shows."""
    return c.lower() != c or "\u03c2" not in ("a\u03a3" + c).lower()


def runs(chars, low, high):
    return [chars[i : i + n] for n in range(low, high + 1) for i in range(len(chars) - n + 1)]


def char_features(analyzer, text):
    low, high = analyzer.chars
    if analyzer.lowercase:
        text = text.lower()
    if analyzer.chars_across:
        return runs(re.sub(r"\s\s+", " ", text), low, high)
    found = []
    for chunk in text.split():
        padded = f" {chunk} "
        for n in range(low, high + 1):
            if len(padded) <= n:
                found.append(padded)
                break
            found += runs(padded, n, n)
    return found


def shape_features(token, known_words):
    bare = [c for c in token if unicodedata.category(c)[0] != "M"]
    letters = [c for c in bare if unicodedata.category(c)[0] in "LN" and not c.isdecimal()]
    digits = [c for c in bare if c.isdecimal()]
    upper = [c for c in bare if c.lower() != c]
    cased = [c for c in bare if is_cased(c)]
    if digits and not letters:
        yield "shape:DIGITS"
    elif digits or 1 < len(upper) < len(cased) or (len(upper) == 1 and cased[0] not in upper):
        yield "shape:MIXED"
    elif len(upper) > 1:
        yield "shape:ALLCAPS"
    elif upper:
        yield "shape:CAPITALISED"
    for a, b, c in zip(bare, bare[1:], bare[2:], strict=False):
        if a.lower() == b.lower() == c.lower() and a in letters and b in letters and c in letters:
            yield "shape:ELONGATED"
            break
    if known_words and not digits and token.lower() not in known_words:
        yield "shape:MISSPELT"


def triggers(analyzer, text):
    for word in dict.fromkeys(w for held in analyzer.triggers.values() for w in held):
        fold = [c.lower() if analyzer.lowercase and len(c.lower()) == 1 else c for c in text]
        wanted = [c.lower() if analyzer.lowercase and len(c.lower()) == 1 else c for c in word]
        for i in range(len(text) - len(word) + 1):
            end = i + len(word)
            inside_word = (i > 0 and is_word(text[i]) and is_word(text[i - 1])) or (
                end < len(text) and is_word(text[end - 1]) and is_word(text[end])
            )
            if fold[i:end] == wanted and not inside_word:
                yield f"trigger:{word}"
                yield from (
                    f"trigger:any:{n}" for n, held in analyzer.triggers.items() if word in held
                )


def features(analyzer, text):
    """All features that are counted, as often as they occur."""
    found = []
    if analyzer.ngrams:
        found += reference.ngrams(words(analyzer, text), *analyzer.ngrams)
    if analyzer.chars:
        found += ["char:" + run for run in char_features(analyzer, text)]
    tokens = [text[start:end] for start, end in reference.tokenize(text)]
    known = {word.lower() for word in analyzer.known_words or ()}
    for token in tokens:
        if not is_word(token):
            face = 0x2600 <= ord(token[0]) <= 0x27BF or ord(token[0]) >= 0x1F000
            pictured = face and unicodedata.category(token[0])[0] == "S"
            if analyzer.shapes and (token in reference.EMOTICONS or pictured):
                found.append("shape:EMOTICON")
            continue
        shapes = list(shape_features(token, known))
        found += [s for s in shapes if analyzer.shapes or s == "shape:MISSPELT"]
        if analyzer.lengths:
            n = sum(unicodedata.category(c)[0] != "M" for c in token)
            bucket = "1" if n == 1 else "2-3" if n <= 3 else "4-6" if n <= 6 else "7-9"
            found.append("length:" + (bucket if n <= 9 else "10+"))
        folded = token.lower() if analyzer.lowercase else token
        found += ["prefix:" + folded[:n] for n in set(analyzer.prefixes) if n < len(folded)]
        found += ["suffix:" + folded[-n:] for n in set(analyzer.suffixes) if n < len(folded)]
    if analyzer.shapes:
        bare = [[c for c in t if unicodedata.category(c)[0] != "M"] for t in tokens]
        first = [next((c for c in t if is_cased(c)), "") for t in bare]
        first = [c for c in first if c]
        if len(first) > 1 and all(c.lower() != c for c in first):
            found.append("shape:ALL_WORDS_CAPITALISED")
    return found + (list(triggers(analyzer, text)) if analyzer.triggers else [])


def group(name):
    head = name.partition(":")[0]
    is_group = head in ("char", "length", "prefix", "shape", "suffix", "trigger") and head != name
    return head if is_group else "word"


def most_frequent(names, df, analyzer):
    """At most max_features of words, of characters across words, and of all else."""
    if analyzer.max_features is None:
        return names
    parts = {"words": [], "chars": [], "tokens": []}
    for name in names:
        across = group(name) == "char" and analyzer.chars_across
        parts["words" if group(name) == "word" else "chars" if across else "tokens"].append(name)
    kept = set()
    for part in parts.values():
        kept |= set(sorted(part, key=lambda name: (-df[name], name))[: analyzer.max_features])
    return kept


def values(analyzer, text, counted, df, n_docs):
    """The row of one text: its counts weighed, group by group."""
    tf = {
        "count": float,
        "binary": lambda x: 1.0,
        "relative": lambda x: x / max(len(reference.tokenize(text)), 1),
        "log1p": np.log1p,
        "log": lambda x: 1 + np.log(x),
    }
    row = {}
    for name, x in counted.items():
        idf = {
            None: 1.0,
            "smooth": np.log((1 + n_docs) / (1 + df[name])) + 1,
            "exact": np.log(n_docs / df[name]),
        }[analyzer.idf]
        row[name] = tf[analyzer.tf](x) * idf
    norms = Counter()
    for name, v in row.items():
        norms[group(name)] += abs(v) if analyzer.norm == "l1" else v * v
    for name in row:
        norm = norms[group(name)] if analyzer.norm == "l1" else np.sqrt(norms[group(name)])
        if analyzer.norm and norm > 0:
            row[name] /= norm
        row[name] *= (analyzer.weights or {}).get(group(name), 1.0)
    return row
