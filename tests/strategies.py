"""Hypothesis strategies that several tests share."""

from hypothesis import strategies as st

# Characters on which tokenizers stumble, beside any others.
TRICKY = (
    "aAbZ09 .,'-_!?$#@:;()<>/\\|=^*\n\t\r\x00\u00a0\u00ad\u00b2\u00df\u0130\u0131\u03a3\u03c3\u03c2"
    "\u0300\u0301\u0345\u0387\u05d0\u0640\u0915\u093f\u094d\u0e33\u1e9e\u200b\u200c\u200d\u2019"
    "\u2010\u2028\u2122\u2139\u2764\ufe0f\u3042\u30fc\u4e2d\u0e19\u0e49\u103c\u1014\uac00\ufeff\uff21\uff10\U0001d400"
    "\U0001f1e9\U0001f1ea\U0001f3fb\U0001f468\U0001f469\U0001f600\U000e0067\U000e007f"
    "\u0660\u0967\u2160\u00bd\u2460DPO3XoTp"
)

characters = st.one_of(st.sampled_from(TRICKY), st.characters(exclude_categories=["Cs"]))
texts = st.text(characters, max_size=60)
words = st.sampled_from(["the", "cat", "sat", "on", "a", "mat", "The", "été", "naïve", "not"])
sentences = st.lists(words, max_size=12).map(" ".join)

# A soak reads at least so many documents with each vectorizer, in cases of 5 to 8.
SOAK_DOCUMENTS = 100_000
soak_documents = st.lists(st.one_of(sentences, texts), min_size=5, max_size=8)
SOAK_CASES = SOAK_DOCUMENTS // 5

# Parameters of all vectorizers that say how a text becomes features.
reading = {
    "lowercase": st.booleans(),
    "ngram_range": st.sampled_from([(1, 1), (1, 2), (2, 2), (1, 3), (2, 3), (3, 3)]),
    "stop_words": st.sampled_from([None, ["the", "cat"], "english"]),
    "strip_accents": st.sampled_from([None, "ascii", "unicode"]),
    "analyzer": st.sampled_from(["word", "word", "word", "char", "char_wb"]),
    "token_pattern": st.sampled_from(
        [r"(?u)\b\w\w+\b", r"(?u)\b\w\w+\b", r"\w+", r"(\w)\w*", r"[a-z ]+"]
    ),
}
