"""From texts to features."""

import numpy as np

from wordplane import Analyzer, CountVectorizer, Lexicon, SelectFeatures, WordEmbeddings, plots
from wordplane.common.matrix import as_rows
from wordplane.demos import Shown, figures
from wordplane.demos.corpora import labeled_docstrings
from wordplane.demos.parameters import Count
from wordplane.features.plane import plane
from wordplane.features.text_features import fit_texts
from wordplane.learners.hand_set import HandSetWeights
from wordplane.text.documents import as_documents


def bag_of_words(
    text: str = "It was the best of times, it was the worst of times",
) -> Shown:
    """A text, its counts, and the slot of its class in f(x, y)."""
    vectorizer = CountVectorizer(token_pattern=r"\w+")
    row = vectorizer.fit_transform([text]).toarray()[0].tolist()
    words = vectorizer.get_feature_names_out().tolist()
    counts = {"aardvark": 0, **dict(zip(words, row, strict=True)), "zyxt": 0}
    classes = ["Fiction", "News", "Gossip", "Sports"]
    lines = [text, *(f"{word:9} {count}" for word, count in counts.items())]
    return Shown(lines, lambda: figures.feature_slots(counts, classes, "News", title=text))


def hand_set(text: str = "ordinateur") -> Shown:
    """English or Spanish? Weights from two word lists, nothing learned."""
    lists = {"English": ["bicycle", "con", "the"], "Spanish": ["bicicleta", "con", "la"]}
    model = HandSetWeights(lists)
    texts = ["the bicycle", "la bicicleta", "con", text]
    scores = zip(texts, model.decision_function(texts), model.predict(texts), strict=True)
    return Shown([f"{one:14} score {score:4.1f}  {label}" for one, score, label in scores])


def spam_vectors() -> Shown:
    """Two mails as vectors of 0 and 1."""
    mails = [
        "our highly successful company gives you an exclusive business that generates an extra "
        "weekly income of up to $ 600 ... make money ... to be removed from our list ...",
        "call for papers ... natural language generation is a subfield of natural language "
        "processing that generates texts ... for the systems to be successful ...",
    ]
    words = "money language natural $ adult call exclusive successful removed generates".split()
    vectorizer = CountVectorizer(token_pattern=r"\w+|[^\w\s]", vocabulary=words, binary=True)
    rows = vectorizer.fit_transform(mails).toarray().tolist()
    columns = zip(words, *rows, strict=True)
    return Shown([f"{word:11} {spam} {ham}" for word, spam, ham in columns])


def word_properties(
    text: str = "Your diploma puts a UUNIVERSITY JOB PLACEMENT COUNSELOR at your disposal.",
) -> Shown:
    """Words, spelling, capitals and trigger words of a mail as named features."""
    analyzer = Analyzer(
        ngrams=(1, 1),
        suffixes=[3],
        shapes=True,
        known_words="your diploma puts a university job placement counselor at disposal".split(),
        triggers={"degree": ["diploma"]},
    )
    fitted = fit_texts(analyzer, as_documents([text], {}), 1)
    values = as_rows(fitted.X).toarray()[0]
    names = [fitted.features().name(j) for j in range(len(values))]
    return Shown([text, *(f"{name:20} {x:g}" for name, x in zip(names, values, strict=True))])


def negation(text: str = "didn't like it, but the end was good") -> Shown:
    """NOT_ before every word from a negation to the next punctuation mark."""
    return Shown([" ".join(token.text for token in Analyzer(negation=True).tokenize(text))])


def lexicon(text: str = "great cast , dull plot , awful end") -> Shown:
    """What a sentiment lexicon says about a message."""
    words = Lexicon({"good": 2.0, "great": 3.0, "dull": -2.0, "awful": -3.0})
    summary = words.summary(text.split())
    return Shown([text, *(f"{name:13} {x:g}" for name, x in summary._asdict().items())])


def zipf() -> Shown:
    """How often the n-th most frequent word occurs."""
    X = CountVectorizer(token_pattern=r"\w+").fit_transform(labeled_docstrings()[0])
    counts = np.asarray(X.sum(axis=0)).ravel()
    ranked = np.sort(counts)[::-1][:1000]
    slope, _ = np.polyfit(np.log(np.arange(1, len(ranked) + 1)), np.log(ranked), 1)
    lines = [
        f"{len(counts):,} words; {np.mean(counts == 1):.0%} of them occur once",
        f"the count of word n falls as n to the power of {slope:.2f}",
    ]
    title = "The n-th word occurs about 1/n as often as the first"
    return Shown(lines, lambda: figures.zipf(counts, title=title))


def information_gain(m: Count = 7) -> Shown:
    """The words that tell best whether a docstring is from the package email."""
    texts, labels = labeled_docstrings()
    vectorizer = CountVectorizer(binary=True)
    X = vectorizer.fit_transform(texts)
    y = np.where(labels == "email", "email", "other")
    select = SelectFeatures("information_gain", m=m).fit(X, y)
    lines = ["word        bits   P(X=1)  P(X=1 | other)  P(X=1 | email)"]
    for row in select.table(vectorizer.get_feature_names_out()):
        given = row.p_given_class
        lines.append(
            f"{row.name:10} {row.information_gain:.3f}   {row.p:.4f}  "
            f"{given['other']:.4f}          {given['email']:.4f}"
        )
    return Shown(lines)


def embeddings(dimensions: Count = 50, window: Count = 4, min_count: Count = 12) -> Shown:
    """Word vectors from co-occurrence: closest words, and a map."""
    vectors = WordEmbeddings(dimensions, window=window, min_count=min_count).fit(
        labeled_docstrings()[0]
    )
    asked = "string socket message test process module".split()
    near = {word: [other for other, _ in vectors.neighbors(word, 4)] for word in asked}
    lines = [f"{word:9} {', '.join(others)}" for word, others in near.items()]
    group = {w: k for k, word in enumerate(asked) for w in (word, *near[word])}
    rows = np.array([vectors.vector(word) for word in group])
    points = plane(rows / np.linalg.norm(rows, axis=1, keepdims=True))
    title = "Words near words"
    return Shown(lines, lambda: plots.word_map(points, list(group), list(group.values()), title))
