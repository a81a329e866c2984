"""Texts with labels, made of words that are more or less typical of them."""

from pathlib import Path
from random import Random

GOOD = ["good", "great", "fine", "moving", "bright"]
BAD = ["bad", "dull", "long", "weak", "flat"]
OTHERS = [f"word{i}" for i in range(200)]


def mixed_texts(n: int, rng: Random) -> tuple[list[str], list[str]]:
    """n texts of 5 to 25 words, and their labels."""
    texts, labels = [], []
    for _ in range(n):
        label = rng.choice(["pos", "neg"])
        own, other = (GOOD, BAD) if label == "pos" else (BAD, GOOD)
        words = rng.choices(OTHERS, k=rng.randint(3, 20))
        words += rng.choices(own, k=rng.randint(1, 4)) + rng.choices(other, k=rng.randint(0, 1))
        rng.shuffle(words)
        texts.append(" ".join(words))
        labels.append(label)
    return texts, labels


def write_films(path: Path, n: int) -> Path:
    """A CSV file of n mixed texts, always the same ones."""
    texts, labels = mixed_texts(n, Random(0))
    rows = zip(labels, texts, strict=True)
    path.write_text("label,text\n" + "".join(f"{y},{t}\n" for y, t in rows))
    return path
