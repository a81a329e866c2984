"""Lines: plain texts, counts, fastText, Vowpal Wabbit, svmlight; and folders."""

import os

from tests.bad_inputs.cases import GOOD, N_GOOD, file, made, more_texts


def lines(ending: str, good: str, *bad: str, more: int | None = None, **options):
    """Good lines of a format, made from `good`, and then bad ones."""
    rows = [good.format(text=text, label=label) for text, label in GOOD]
    n_rows = N_GOOD + (len(bad) if more is None else more)
    return file(f"x.{ending}", "\n".join([*rows, *bad]) + "\n", n_rows, **options)


def txt(content: str | bytes, n_rows: int, **options):
    return file("x.txt", content, n_rows, **options)


PLAIN = {
    "lines without labels": txt("good film\nbad film\n", 2),
    "lines with tabs": txt("good film\ta\nbad film\tb\n", 2),
    "lines of fastText called .txt": txt("__label__a good\n__label__b bad\n", 2),
    "lines that are empty": txt("good\n\n\nbad\n", 4),
    "one empty line": txt("\n", 1),
    "a .txt file with carriage returns alone": txt("good\rbad\r", 1),
    "no line end after the last line": txt("good\nbad", 2),
    "a line with a zero byte": txt("good\0film\nbad\n", 2),
    "line separators of Unicode": txt("good\u2028film\x85bad\x0cfilm\n", 1),
}


def counts(*bad: str):
    good = [f"film:1 {text.split()[0]}:2 #label#:{label}" for text, label in GOOD]
    return file("x.counts", "\n".join([*good, *bad]) + "\n", N_GOOD + len(bad))


COUNTS = {
    "an item without a count": counts("film #label#:a"),
    "a count below 0": counts("film:-1 #label#:a"),
    "a count that is not whole": counts("film:1.5 #label#:a"),
    "a count of 0": counts("film:0 good:1 #label#:a"),
    "a count of 4,294,967,295": counts("film:4294967295 #label#:a"),
    "a count of 4,294,967,296": counts("film:4294967296 #label#:a"),
    "a count of 5,000 digits": counts(f"film:{'9' * 5000} #label#:a"),
    "a count without a word": counts(":3 #label#:a"),
    "a word with colons": counts("a:b:c:3 #label#:a"),
    "two labels in counts": counts("film:1 #label#:a #label#:b"),
    "no label in counts": counts("film:1"),
    "a line of counts that is empty": counts(""),
    "a label alone": counts("#label#:a"),
    "a word twice": counts("film:1 film:2 #label#:a"),
}

FASTTEXT = {
    "a label without a name": lines("ft", "__label__{label} {text}", "__label__ film"),
    "no label": lines("ft", "__label__{label} {text}", "film"),
    "labels in the middle": lines("ft", "__label__{label} {text}", "good __label__a film"),
    "two labels": lines("ft", "__label__{label} {text}", "__label__a __label__b film"),
    "a label and no text": lines("ft", "__label__{label} {text}", "__label__a"),
    "an empty line in fastText": lines("ft", "__label__{label} {text}", ""),
    "no label anywhere": file("x.ft", "good film\nbad film\n", 2),
}


def vw(*bad: str, more: int | None = None):
    return lines("vw", "{label} |t {text}", *bad, more=more)


VW = {
    "no bar": vw("a film"),
    "a bar that touches the label": vw("a|t film"),
    "no label before the bar": vw("|t film"),
    "an importance below 0": vw("a -1 |t film"),
    "an importance in words": vw("a much |t film"),
    "an importance that no row had before": vw("a 2 |t film"),
    "an initial prediction": vw("a 1 0.5 |t film"),
    "costs": vw("a:0.5 b:1 |t film"),
    "a value that is not whole": vw("a |t film:0.5"),
    "a value below 0": vw("a |t film:-1"),
    "a value of 1,001": vw("a |t film:1001"),
    "a value without a word": vw("a |t :3"),
    "a namespace with a weight": vw("a |t:2 film"),
    "an empty namespace": vw("a |t"),
    "several namespaces": vw("a |t good |u film"),
    "empty lines in vw": vw("", "a |t film", more=1),
    "several labels with commas": vw("a,b |t film"),
}


def svm(*bad: str, more: int | None = None):
    good = [f"{label} {1 + (label == 'b')}:2 3:1" for _, label in GOOD]
    n_rows = N_GOOD + (len(bad) if more is None else more)
    return file("x.svm", "\n".join([*good, *bad]) + "\n", n_rows)


SVMLIGHT = {
    "a line without a label": svm("1:2 3:1"),
    "a label and no features": svm("a"),
    "a value that is a fraction": svm("a 1:0.5"),
    "a value that is negative": svm("a 1:-1"),
    "a value that is not a number": svm("a 1:x"),
    "a feature that is a word": svm("a film:1"),
    "features out of order": svm("a 3:1 1:2"),
    "a comment at the end": svm("a 1:2 # film"),
    "a comment alone": svm("# film", more=0),
    "a value of ten digits": svm("a 1:9999999999"),
    "a qid": svm("a qid:1 1:2"),
}


def folder(make, n_rows: int, **options):
    def write(root):
        for number, (text, label) in enumerate(GOOD):
            path = root / "in" / label / f"{number}.txt"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        make(root / "in")

    return made("in", write, n_rows, **options)


def texts(*names: str):
    def make(root):
        for name in names:
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text("film")

    return make


def split(root):
    for part in ("train", "test"):
        for number, (text, label) in enumerate(GOOD):
            path = root / "in" / part / label / f"{number}.txt"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)


def outside(root):
    (root.parent / "other.txt").write_text("film")
    (root / "a" / "link.txt").symlink_to(root.parent / "other.txt")


def linked_folder(root):
    (root.parent / "more").mkdir()
    (root.parent / "more" / "1.txt").write_text("film")
    (root / "c").symlink_to(root.parent / "more")


FOLDERS = {
    "an empty folder": made("in", lambda root: (root / "in").mkdir()),
    "a folder without class folders": made("in", lambda root: texts("in/1.txt")(root), 1),
    "a file outside the class folders": more_texts(folder(texts("other.txt"), N_GOOD)),
    "a hidden file": folder(texts("a/.hidden"), N_GOOD),
    "a class folder without files": folder(lambda root: (root / "c").mkdir(), N_GOOD),
    "an empty file": folder(lambda root: (root / "a" / "9.txt").touch(), N_GOOD + 1),
    "a picture": folder(lambda r: (r / "a" / "x.png").write_bytes(b"\x89PNG\0\0"), N_GOOD),
    "a file in Latin-1": folder(lambda r: (r / "a" / "9").write_bytes(b"caf\xe9"), N_GOOD + 1),
    "a file in UTF-16": folder(
        lambda r: (r / "a" / "9").write_bytes("film".encode("utf-16")), N_GOOD + 1
    ),
    "a file name that is not UTF-8": folder(
        lambda r: (r / "a" / os.fsdecode(b"caf\xe9")).write_text("film"), N_GOOD + 1
    ),
    "folders in class folders": folder(texts("a/deep/er/1.txt"), N_GOOD + 1),
    "a link to a file outside": folder(outside, N_GOOD),
    "a link to a folder outside": folder(linked_folder, N_GOOD),
    "a link to a folder outside, followed": folder(linked_folder, N_GOOD + 1, follow_links=True),
    "a link to nothing in a folder": folder(
        lambda root: (root / "a" / "x").symlink_to("nowhere"), N_GOOD
    ),
    "a folder linked into itself": folder(
        lambda root: (root / "a" / "x").symlink_to(root), N_GOOD, follow_links=True
    ),
    "a pipe in a folder": folder(lambda root: os.mkfifo(root / "a" / "x"), N_GOOD),
    "a class folder with blanks in its name": folder(texts(" a /9.txt"), N_GOOD + 1),
    "a split of folders": made("in", split, 2 * N_GOOD),
    "one class folder": made("in", lambda root: texts("in/a/1.txt", "in/a/2.txt")(root), 2),
}
