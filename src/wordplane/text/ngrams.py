"""n-grams of one document as Python strings: the slow way, for tokenizers written in Python."""

from collections.abc import Iterator


def word_ngrams(words: list[str], min_n: int, max_n: int) -> Iterator[str]:
    """Runs of words, joined by spaces.

    >>> list(word_ngrams(["to", "be", "or"], 1, 2))
    ['to', 'be', 'or', 'to be', 'be or']
    """
    for n in range(min_n, max_n + 1):
        for i in range(len(words) - n + 1):
            yield " ".join(words[i : i + n])


def char_ngrams(text: str, min_n: int, max_n: int) -> Iterator[str]:
    """Runs of characters.

    >>> list(char_ngrams("abc", 2, 3))
    ['ab', 'bc', 'abc']
    """
    for n in range(min_n, max_n + 1):
        for i in range(len(text) - n + 1):
            yield text[i : i + n]


def char_wb_ngrams(text: str, min_n: int, max_n: int) -> Iterator[str]:
    """Runs of characters inside words; a space marks each end. A word shorter than n counts once.

    >>> list(char_wb_ngrams("ab c", 3, 4))
    [' ab', 'ab ', ' ab ', ' c ']
    """
    for word in text.split():
        padded = f" {word} "
        for n in range(min_n, max_n + 1):
            yield padded[:n]
            for i in range(1, len(padded) - n + 1):
                yield padded[i : i + n]
            if len(padded) <= n:
                break
