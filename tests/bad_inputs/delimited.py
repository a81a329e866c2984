"""CSV and TSV files: fields, headers, labels, weights, splits."""

from tests.bad_inputs.cases import GOOD, N_GOOD, csv, file, more_texts, unlabeled

ROWS = [f"{text},{label}" for text, label in GOOD]


def plain(text: str, n_rows: int, **options):
    return file("x.csv", text, n_rows, **options)


def ended(end: str):
    return plain(end.join(["text,label", *ROWS, ""]), N_GOOD)


def columns(header: str, *rows: str, **options):
    return plain("\n".join([header, *rows]) + "\n", len(rows), **options)


def column(header: str, *values: str, **options):
    """Good rows with one more column, whose last values are these."""
    first = values[0] if len(values) > 1 else "1"
    filled = [first] * (N_GOOD - len(values)) + list(values)
    rows = [f"{row},{value}" for row, value in zip(ROWS, filled, strict=True)]
    return columns(f"text,label,{header}", *rows, **options)


def classes(*labels: str):
    return columns("text,label", *(f"text {i} film,{one}" for i in range(6) for one in labels))


FIELDS = {
    "a row with too many fields": csv("one, two,a"),
    "a row with too few fields": csv("only a text"),
    "a row with too many fields, left out": csv("one, two,a", more=0, skip_bad=True),
    "every row has too many fields": columns("text,label", *["a,b,c"] * 4),
    "a quote that is never closed": csv('"never closed,a', "next,b"),
    "a quote not doubled inside quotes": csv('"a "quoted" word",a'),
    "letters after a closing quote": csv('"a"b,a'),
    "a quote inside a field without quotes": csv('a 5" screen,a'),
    "line breaks inside quotes": csv('"two\nlines",a'),
    "empty lines between rows": csv("", "film,a", "", "", more=1),
    "lines of blanks between rows": csv("  ", "film,a", more=1),
    "a row of commas alone": unlabeled(csv(",", more=0)),
    "lines that end with a carriage return": ended("\r"),
    "lines that end with both": ended("\r\n"),
    "line ends that differ": plain("text,label\r\n" + "\n".join(ROWS) + "\r\n", N_GOOD),
    "no line end after the last row": plain("text,label\n" + "\n".join(ROWS), N_GOOD),
    "a first line sep=;": plain("sep=;\ntext;label\n" + "\n".join(ROWS).replace(",", ";"), N_GOOD),
    "semicolons between fields": plain("\n".join(["text,label", *ROWS]).replace(",", ";"), N_GOOD),
    "tabs between the fields of a .csv": plain(
        "\n".join(["text,label", *ROWS]).replace(",", "\t"), N_GOOD
    ),
    "commas between the fields of a .tsv": file("x.tsv", "\n".join(["text,label", *ROWS]), N_GOOD),
    "a field of a million letters": csv("x" * 1_000_000 + ",a"),
    "two thousand columns": columns(
        "text,label," + ",".join(f"c{i}" for i in range(2000)),
        *(row + "," + ",".join(["1"] * 2000) for row in ROWS),
    ),
    "a field that a spreadsheet would run": csv("=cmd|' /C calc'!A0,a"),
    "markup in a text": csv("<script>alert(1)</script>,a"),
    "a single column": columns("text", *(text for text, _ in GOOD)),
    "columns of numbers alone": columns("x,y", *["1,2", "3,4"] * 4),
    "a column of texts and none of labels": columns("text,id", *["good film,1", "bad film,2"] * 4),
    "a header that is a row": columns("good film,a", *ROWS),
    "two columns with the name of the text": columns("text,text,label", *["a b,c,x", "d,e,y"] * 4),
    "two columns with a name that is not needed": columns(
        "text,label,x,x", *(f"{row},1,2" for row in ROWS)
    ),
    "columns without names": columns("text,label,,", *(f"{row},," for row in ROWS)),
    "names in capitals and with blanks": columns(" Text , LABEL ", *ROWS),
    "two columns that may be the text": columns(
        "one,two,label", *["good film,same size,a", "poor film,some size,b"] * 4
    ),
    "two columns that may be the label": columns("text,p,q", *["good film,a,c", "bad one,b,d"] * 4),
    "the text column is mostly empty": columns(
        "text,label", *["good film,a", "bad film,b", *[",a", ",b"] * 5]
    ),
}

LABELS = {
    "a label is missing": csv("film,"),
    "a label is missing, and such rows are left out": more_texts(
        csv("film,", skip_unlabeled=True, more=0)
    ),
    "a label of blanks": csv("film,  "),
    "all labels are missing": columns("text,label", *["good film,", "bad film,"] * 4),
    "blanks around a label": csv("film, a "),
    "labels that differ in case": csv("film,A"),
    "labels that differ in how letters are composed": csv("film,é", "film,e\u0301"),
    "a label with a line break": csv('film,"a\nb"'),
    "a label with an escape sequence": csv("film,a\x1b[31m"),
    "a label with a zero byte": csv("film,a\0"),
    "a label of ten thousand letters": csv("film," + "x" * 10_000),
    "a label like a file name": csv("film,../../etc/passwd"),
    "labels true and false": classes("true", "false"),
    "labels NaN and None": classes("NaN", "None"),
    "labels 1 and 1.0": classes("1", "1.0"),
    "labels with a comma in quotes": classes('"a,b"', "c"),
    "labels that are dates, named label": classes("2024-01-01", "2024-01-02"),
    "one class": columns("text,label", *["good film,a"] * 8),
    "one row": columns("text,label", "good film,a"),
    "two rows of two classes": columns("text,label", "good film,a", "bad film,b"),
    "every row a class of its own": columns(
        "text,label", *(f"text {i} film,c{i}" for i in range(12))
    ),
    "a class with a single row": csv("other film,c"),
    "several labels, and a separator": csv("film,a;b", label_separator=";"),
    "a separator that no label has": csv("film,c", label_separator=";"),
    "labels with separators around them": csv("film,;a;;b;", label_separator=";"),
}

TEXTS = {
    "an empty text": csv(",a"),
    "a text of blanks": csv("   ,a"),
    "all texts are empty": columns("text,label", *[",a", ",b"] * 4),
    "all texts are the same": columns("text,label", *["film,a", "film,b"] * 4),
    "texts NULL, NaN and NA": csv("NULL,a", "NaN,b", "NA,a"),
    "texts that are numbers, named text": columns("text,label", *["12,a", "34,b"] * 4),
    "texts of punctuation alone": columns("text,label", *["!!!,a", "???,b"] * 4),
    "texts of one letter": columns("text,label", *["x,a", "y,b"] * 4),
    "the same text with two labels": csv("good film,b"),
    "a word of a million letters": csv("good " + "x" * 1_000_000 + ",a"),
    "a text of a hundred thousand words": csv("good film " * 50_000 + ",a"),
}

NUMBERS = {
    "a weight is missing": column("weight", "1", "", weight="weight"),
    "a weight below 0": column("weight", "1", "-1", weight="weight"),
    "an infinite weight": column("weight", "1", "inf", weight="weight"),
    "a weight that is not a number": column("weight", "1", "nan", weight="weight"),
    "a weight in words": column("weight", "1", "two", weight="weight"),
    "a column called weight with words": column("weight", "1", "two"),
    "all weights are 0": column("weight", *["0"] * 8),
    "one class weighs 0": column("weight", *["0", "1"] * 4),
    "a weight of 1e308": column("weight", "1", "1e308"),
    "a weight of 1e-320": column("weight", "1", "1e-320"),
    "an id that occurs twice": column("id", "x", "x", "y"),
    "ids that are empty": column("id", *[""] * 8),
    "an id with a line break": column("id", *"abcdefg", '"h\ni"'),
    "a split that is not a part": column("split", "train", "other"),
    "a split that is missing": column("split", "train", ""),
    "a split in capitals": column("split", *["train"] * 6, "TEST", "Test"),
    "no row is marked train": column("split", *["test"] * 8),
    "all rows are marked train": column("split", *["train"] * 8),
    "the rows to train on have one class": column("split", *["train", "test"] * 4),
    "the rows to test have a class of their own": columns(
        "text,label,split", *[f"{row},train" for row in ROWS], "other film,c,test"
    ),
    "a column called fold with numbers": column("fold", "1", "2"),
    "a column called set that is not a split": column("set", "train", "other"),
}
