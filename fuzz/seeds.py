"""Makes what the fuzzer starts from: `python fuzz/seeds.py FOLDER`.

FOLDER/TARGET/ gets small inputs for every target, FOLDER/words.dict what to put into them.
"""

import csv
import gzip
import io
import json
import random
import sys
from pathlib import Path

WORDS = [
    *("a", "ab", "good", "not", "don't", "BAD", "Film", "soooo", "x_y", "3.5", "1,000", "word:2"),
    *(":)", ":-(", "<3", ":'-(", "^_^", "-_-", ">:(", ".", "!", "--", "'", "_", "/", ":", " "),
    *("é", "É", "e\u0301", "ΟΔΟΣ", "\u03a3", "\u03c3", "\u0130", "\u0131", "ß", "ẞ", "Ǆ"),
    *("中", "文", "タ", "น้ำ", "မြ", "한국", "👍🏽", "👩\u200d👧", "🇩🇪", "🇫", "❤️", "1️⃣"),
    *("\u200d", "\u200c", "\u00ad", "\u2019", "\u2011", "\u2028", "\u3000", "\ufeff", "\u00a0"),
    *("🏴\U000e0067", "\0", "\t", "\n", "\r\n", "\x0b", "\x1c", "\x7f", "\x85"),
    *("<s>", "</s>", "NOT_", "char: a", "shape:ALLCAPS", "a" * 15, "b" * 16, "c" * 17, "d" * 70),
    *("http://a.de/b?", "www.x", "@me", "ﬁ", "½", "(?:", ")+", "[^", "]{1,2}?", "\\w", "\\b", "|"),
    *("\U0010ffff", "\ud7ff", "\ue000", "\u0800", "\u07ff", "\U00010000"),
]  # fmt: skip
NOT_UTF_8 = ["c080", "eda080", "f4908080", "e08080", "f0808080", "ff"]
BYTES = [bytes.fromhex(digits) for digits in NOT_UTF_8]
NATIVE = (
    *("texts", "tokenizer", "token_features", "vocabulary", "counter", "scorer", "lexicon"),
    *("duplicates", "folding", "pattern", "library"),
)
N_SEEDS = 40
END = b"\\/"  # ends a text in what the native targets read


def native_seed(rng: random.Random) -> bytes:
    """A few texts, then the numbers that say what is done with them."""
    texts = [
        "".join(rng.choice(WORDS) + rng.choice(["", "", " "]) for _ in range(rng.randrange(12)))
        for _ in range(rng.randrange(1, 8))
    ]
    if rng.random() < 0.3:
        texts.append(texts[0])
    return END.join(text.encode() for text in texts) + END + rng.randbytes(rng.randrange(4, 24))


def rows(rng: random.Random) -> list[tuple[str, str, str]]:
    return [
        (" ".join(rng.choices(WORDS, k=rng.randrange(1, 6))), rng.choice("abc"), str(row))
        for row in range(rng.randrange(1, 6))
    ]


def delimited(rng: random.Random, delimiter: str) -> str:
    out = io.StringIO()
    table = [("text", "label", "id"), *rows(rng)]
    csv.writer(out, delimiter=delimiter, quoting=rng.choice([0, 1])).writerows(table)
    return out.getvalue()


def json_lines(rng: random.Random) -> str:
    return "".join(
        json.dumps({"text": text, "label": rng.choice([label, [label, "z"], None, 3]), "id": id})
        + "\n"
        for text, label, id in rows(rng)
    )


def line_by_line(rng: random.Random, pattern: str) -> str:
    return "".join(
        pattern.format(text=" ".join(text.split()), label=label, n=rng.randrange(5)) + "\n"
        for text, label, _ in rows(rng)
    )


LINES = {
    "lines": "{text}",
    "fasttext": "__label__{label} {text} __label__{n}",
    "vw": "{label} {n} 'tag|ns:2 {text} word:{n} |other {text}",
    "svmlight": "{label},{n} 1:{n} 7:2.0 # {text}",
    "counts": "good:{n} bad:2 #label#:{label}",
    "vec": "word{n} 0.5 -{n}",
    "lexicon": "{label} {n}\\t\t0.{n}",
}
FORMATS = ("csv", "gz", "tsv", "jsonl", *LINES)


def reader_seed(rng: random.Random) -> bytes:
    """The number of a format, options, and a file of that format."""
    number = rng.randrange(len(FORMATS))
    format = FORMATS[number]
    if format in ("csv", "gz", "tsv"):
        text = delimited(rng, "\t" if format == "tsv" else rng.choice(",;|"))
    elif format == "jsonl":
        text = json_lines(rng)
    else:
        text = line_by_line(rng, LINES[format])
    content = gzip.compress(text.encode(), mtime=0) if format == "gz" else text.encode()
    return bytes([number, rng.choice([0, rng.randrange(256)])]) + content


def payloads() -> list[bytes]:
    """What libwordplane reads of small models: the arrays and the metadata, without the digest."""
    from small_models import models_of_the_library

    from wordplane.model.file import HEADER, to_bytes

    return [to_bytes(model)[HEADER:] for model in models_of_the_library()]


def write(folder: Path) -> None:
    rng = random.Random(0)
    seeds = {target: [native_seed(rng) for _ in range(N_SEEDS)] for target in NATIVE}
    seeds["library"] = payloads()
    seeds["texts"] += BYTES
    seeds["readers"] = [reader_seed(rng) for _ in range(3 * N_SEEDS)]
    for target in ("model_file", "fasttext_model", "blocks", "resume", "serve_requests"):
        seeds[target] = [rng.randbytes(rng.randrange(4, 40)) for _ in range(N_SEEDS)]
    for target, inputs in seeds.items():
        (folder / target).mkdir(parents=True, exist_ok=True)
        for number, content in enumerate(inputs):
            (folder / target / f"seed{number}").write_bytes(content)
    entries = [*(word.encode() for word in WORDS), *BYTES, END]
    lines = ['"' + "".join(f"\\x{byte:02x}" for byte in entry) + '"\n' for entry in entries]
    (folder / "words.dict").write_text("".join(lines))


if __name__ == "__main__":
    write(Path(sys.argv[1]))
