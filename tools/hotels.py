"""Writes the reviews of hotels that commands on the pages read, into examples/.

They are those of `wordplane.datasets.hotel_reviews`: labeled ones, a few labeled ones without
footers, and unlabeled ones without footers.
"""

import csv
from pathlib import Path

from wordplane.data.hotel_reviews import hotel_reviews

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


def main() -> None:
    many, few = hotel_reviews(), hotel_reviews(60, footers=0, random_state=3)
    for name, corpus in {"hotels.csv": many, "hotels-few.csv": few}.items():
        with (EXAMPLES / name).open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["text", "label"])
            writer.writerows(zip(list(corpus.texts), corpus.labels or (), strict=True))
    unlabeled = hotel_reviews(800, footers=0, random_state=2)
    lines = "".join(f"{text}\n" for text in unlabeled.texts)
    (EXAMPLES / "hotels-unlabeled.txt").write_text(lines, encoding="utf-8")


if __name__ == "__main__":
    main()
