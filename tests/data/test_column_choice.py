"""Tests of wordplane.data.column_choice and wordplane.data.columns: which are read."""

import pickle
from pathlib import Path

import pytest

from tests.data.reading import parquet, refusal, rows
from wordplane.common.errors import InputError
from wordplane.data.column_choice import ColumnError
from wordplane.data.read import read, read_batches


def test_columns_by_name(write):
    name = write(
        "a.csv",
        "ID,Review Text,Sentiment,weight,split,other\n"
        "7,good,pos,1,Train,long long text\n8,bad,neg,.5,valid,long long text\n",
    )
    corpus = read(name)
    assert rows(corpus) == (["good", "bad"], ["pos", "neg"], ["7", "8"])
    assert corpus.weights.tolist() == [1, 0.5]
    assert corpus.split == ["train", "dev"]
    assert corpus.notes == (
        "id column: 'ID' (by its name)",
        "weight column: 'weight' (by its name)",
        "split column: 'split' (by its name)",
        "label column: 'Sentiment' (by its name)",
        "text column: 'Review Text' (by its name)",
        "other columns look like text, too: join them with `text=['Review Text', 'other']`",
    )


def test_columns_by_content(write):
    name = write(
        "a.csv",
        "nr,user_id,stuff,kind,price\n"
        "1,1,a few words,x,9.5\n2,1,some more words,y,9.5\n"
        "3,2,nothing much,x,3.5\n4,2,the last one,x,1.5\n",
    )
    corpus = read(name)
    # user_id has two values as well, but is an id; price has three, more than half of the rows
    assert corpus.notes == (
        "text column: 'stuff' (by its content)",
        "label column: 'kind' (by its content)",
    )
    assert corpus.labels == ["x", "y", "x", "x"]


def test_a_text_column_that_is_mostly_empty(write):
    def text_column(name, other):
        rows = [
            ("a long remark on it" if i % 3 == 0 else "", f"word {other} {i}", "xy"[i % 2])
            for i in range(9)
        ]
        write("a.csv", "\n".join(map(",".join, [("comment", name, "label"), *rows])))
        return read("a.csv").text_columns

    assert text_column("body", "two") == ("body",)  # by its name, though it comes later
    assert text_column("said", "two three") == ("said",)  # by its content
    assert text_column("town", "") == ("comment",)  # the other does not look like text
    assert text_column("link", "https://www.example.org/some/page") == ("comment",)
    assert read(write("a.csv", "text,b\n,x\n,y\na,z\n")).text_columns == ("text",)
    name = write(
        "a.csv", "text,kind\n" + ",not so good\n,good and cheap\na b c,good and cheap\n" * 2
    )
    assert read(name).text_columns == ("text",)  # the others repeat, as classes do


def test_a_label_has_at_most_half_as_many_values_as_rows(write):
    rows = ["a,1", "b,2", "c,3", "d,3", "e,1"]
    assert read(write("a.csv", "\n".join(["text,k", *rows]))).labels is None  # 3 of 5
    assert read(write("a.csv", "\n".join(["text,k", *rows, "f,2"]))).labels is not None  # 3 of 6
    assert read(write("a.csv", "text,k\na,1\nb,1\n")).labels is None  # one value


def test_labels_of_a_sorted_file(write):
    """The first rows have one label only: more are to come."""
    lines = ["day;said;mark"] + [
        f"{i % 28 + 1}.03.2024;a b c {i};{'good' if i < 1500 else 'bad'}" for i in range(2000)
    ]
    name = write("a.csv", "\n".join(lines))
    corpus = read(name, require_label=True)
    assert "label column: 'mark' (by its content)" in corpus.notes
    assert corpus.labels.count("bad") == 500
    assert read(name).labels is None  # not asked for, and not sure
    few = write("b.csv", "\n".join(lines[:500]))  # all rows are seen: there is no label
    assert "None looks like it" in refusal(few, require_label=True)


def test_dates_are_no_labels_by_their_content(write):
    for date in ("2024-03-{:02}", "{}/3/2024", "{:02}.03.24 10:15", "2024-03-{:02}T10:15:00Z"):
        lines = ["day,said"] + [f"{date.format(i % 2 + 1)},a b {i}" for i in range(10)]
        assert read(write("a.csv", "\n".join(lines))).labels is None


def test_columns_given_are_not_noted(write):
    name = write("a.csv", "a,b,c,text,label\nt1,l1,2,x,y\nt2,l2,3,x,y\n")
    corpus = read(name, text=("a", "text"), label="b", id="a", weight="c")
    assert rows(corpus) == (["t1\nx", "t2\nx"], ["l1", "l2"], ["t1", "t2"])
    assert corpus.weights.tolist() == [2, 3] and corpus.notes == ()


def test_equally_good_labels(write):
    name = write("a.csv", "text,a,b\nt,1,x\nu,2,y\nv,1,y\nw,2,x\n")
    assert read(name).labels is None
    message = refusal(name, require_label=True)
    assert "which column has the labels? 'a' and 'b' would do:" in message
    assert "  'b': 2 values, such as 'x', 'y'" in message
    assert message.endswith("Name it with `label`")


def test_equally_good_texts(write):
    message = refusal(write("a.csv", "a,b\nxx,yy\nxy,yx\n"))
    assert "which column has the texts? 'a', 'b' fit equally well. Name it with `text`" in message


def test_no_text(write):
    message = refusal(write("a.csv", "a,b\n1,2\n3,4\n"))
    assert "which column has the texts? None looks like it" in message


def test_an_id_is_never_a_label(write):
    for name in "user_id", "User ID", "index", "", "Unnamed: 0":
        write("a.csv", f"text,{name}\n" + "a,1\nb,2\n" * 4)
        assert read("a.csv").labels is None
        assert "None looks like it" in refusal("a.csv", require_label=True)
        assert read("a.csv", label=name).labels[:2] == ["1", "2"]


def test_a_label_by_name_that_cannot_be_one(write):
    name = write("a.jsonl", '{"text": "a", "label": 1.5}\n{"text": "b", "label": 2.0}')
    assert read(name).labels is None
    assert "row 1: the label in column 'label' is 1.5, a number" in refusal(
        name, require_label=True
    )


def test_a_column_that_is_absent(write):
    name = write("a.csv", "text,sentiment\na,b\n")
    message = "a.csv has no column 'sentimnt'; its columns are 'text', 'sentiment'; did you mean"
    assert refusal(name, label="sentimnt") == f"{message} 'sentiment'?"
    for option in "text", "id", "weight", "extra":
        assert "has no column 'zzz'; its columns are" in refusal(name, **{option: "zzz"})


def test_several_columns_in_one_name(write):
    name = write("a.csv", "title,the body,label\na,b,x\n")
    assert read(name, text="title, the body").text_columns == ("title", "the body")
    assert "has no column 'title, zzz'" in refusal(name, text="title, zzz")
    name = write("b.csv", '"a,b",a,b,label\n1,2,3,x\n')
    assert read(name, text="a,b").text_columns == ("a,b",)


def test_a_column_absent_from_the_second_file(write):
    write("a.csv", "text,label\na,b\n")
    write("b.csv", "text,class\nc,d\n")
    assert refusal(["a.csv", "b.csv"]).startswith("b.csv has no column 'label'")


def test_files_are_read_by_column_name(write):
    write("a.csv", "text,label\na,x\n")
    write("b.csv", "label,more,text\ny,?,b\n")
    write("c.jsonl", '{"text": "c", "label": "z"}')
    parquet("d.parquet", text=["d", "é"], label=["x", "y"])
    corpus = read([Path("a.csv"), "b.csv", "c.jsonl", "d.parquet"])
    assert rows(corpus)[:2] == (["a", "b", "c", "d", "é"], ["x", "y", "z", "x", "y"])
    assert corpus.source == "a.csv and 3 more"
    assert len(corpus.notes) == 2


def test_a_column_cannot_be_text_and_label(write):
    name = write("a.csv", "text,label\na,x\n")
    assert "'label' is both text and label" in refusal(name, text=("text", "label"), label="label")


def test_labels_are_not_looked_at_if_not_wanted(write):
    name = write("a.jsonl", '{"text": "a", "rating": 4.5, "weight": "heavy"}\n')
    corpus = read(name, labels=False)
    assert (corpus.labels, corpus.weights) == (None, None)
    assert corpus.notes == ("text column: 'text' (by its name)",)


def test_a_hint_of_the_text_columns(write):
    name = write("a.csv", "title,body\na,b\n")
    (batch,) = read_batches(name, text_hint=["title", "body"])
    assert list(batch.texts) == ["a\nb"]
    assert batch.text_columns == ("title", "body")
    (batch,) = read_batches(name, text_hint=["absent"])
    assert list(batch.texts) == ["b"]


TICKETS = "Ticket-Nr;Eingang;Nachricht;{};Bearbeiter"


def tickets(write, label="Kategorie", n=60):
    rows = [
        f"{i};{i % 28 + 1:02}.05.2024;meine Karte geht nicht {i};K{i % 20};Frau {'ABC'[i % 3]}"
        for i in range(n)
    ]
    return write("t.csv", "\n".join([TICKETS.format(label), *rows]))


def test_fewest_values_do_not_make_a_label(write):
    """Of 20 categories and 3 persons, the name decides; without one, nobody guesses."""
    assert read(tickets(write), require_label=True).label_column == "Kategorie"
    name = tickets(write, "Gruppe")
    message = refusal(name, require_label=True)
    assert "t.csv: which column has the labels? 'Gruppe' and 'Bearbeiter' would do:" in message
    assert "  'Gruppe': 20 values, such as 'K0', 'K1', 'K2'" in message
    assert "  'Bearbeiter': 3 values, such as" in message
    assert read(name).labels is None


def test_a_question_has_the_ways_to_answer_it(write):
    with pytest.raises(ColumnError) as error:
        read(tickets(write, "Gruppe"), require_label=True)
    assert error.value.remedies == ({"label": "Gruppe"}, {"label": "Bearbeiter"})
    again = pickle.loads(pickle.dumps(error.value))
    assert str(again) == str(error.value) and again.remedies == error.value.remedies


def test_two_columns_of_texts_are_a_question(write):
    rows = [f"first words of {i},other words of {i},c{i % 2}" for i in range(20)]
    name = write("a.csv", "\n".join(["note1,note2,label", *rows]))
    with pytest.raises(ColumnError) as error:
        read(name)
    assert "which column has the texts? 'note1' and 'note2' would do" in str(error.value)
    assert error.value.remedies[-1] == {"text": ["note1", "note2"]}
    assert read(name, text=["note1", "note2"]).text_columns == ("note1", "note2")
    assert read(name, text_hint=["note2"]).text_columns == ("note2",)
    name = write("b.csv", "\n".join(["review,comment,label", *rows]))
    assert "'review' and 'comment' would do" in refusal(name)
    name = write("c.csv", "\n".join(["subject,message,label", *rows]))
    assert read(name).text_columns == ("message",)  # a title is a text only if there is none else


def test_two_questions_are_asked_at_once(write):
    rows = [f"first words of {i},other words of {i},c{i % 2},p{i % 3}" for i in range(20)]
    message = refusal(write("a.csv", "\n".join(["n1,n2,u,v", *rows])), require_label=True)
    assert "which column has the texts?" in message and "which column has the labels?" in message


def test_a_frame_is_asked_about_too():
    frame = {
        "words": [f"a few words {i}" for i in range(20)],
        "a": ["x", "y"] * 10,
        "b": ["p"] * 20,
    }
    frame["c"] = ["r", "s", "t", "u"] * 5
    with pytest.raises(ColumnError, match="'a' and 'c' would do"):
        read(frame, require_label=True)


def test_the_text_column_is_not_taken_for_labels(write):
    rows = [f"words of {i},c{i % 2}" for i in range(40)]
    name = write("a.csv", "\n".join(["text,label", *rows]))
    message = refusal(name, label="text", require_label=True)
    assert "`label` is 'text', but that column looks like the texts" in message
    assert "the labels may be in 'label'" in message
    assert read(name, label="text", text="label").labels[0] == "words of 0"  # both are named
    name = write("b.csv", "\n".join(["what,kind", *(f"quite a few words {i},c" for i in range(9))]))
    assert "looks like the texts" in refusal(name, label="what", require_label=True)


def test_all_problems_are_listed_at_once(write):
    name = write("a.csv", "text,label\na b,x\nc d,x,y\ne f,\ng,h,i\nj k,\n")
    message = refusal(name, require_label=True)
    assert "row 2 (line 3): 3 fields, expected 2" in message
    assert "1 more row (line 5) cannot be read either" in message
    assert "the label is missing (column 'label'" in message and "as in 1 more row" in message
    with pytest.raises(InputError) as error:
        read(name, require_label=True)
    assert error.value.remedies == ({"skip_bad": True, "skip_unlabeled": True},)
    assert len(read(name, **error.value.remedies[0], require_label=True)) == 1


def test_kept_columns_can_be_the_text(write):
    name = write("a.csv", "text,label,n\na b,x,1\nc d,y,\n")
    corpus = read(name, extra={"text": "kept", "label": "kept", "n": "kept"}, labels=False)
    assert corpus.text_columns == ("text",)
    assert corpus.extras == {"text": ["a b", "c d"], "label": ["x", "y"], "n": ["1", ""]}


def test_a_column_of_numbers_may_be_what_is_to_be_learned(write):
    rows = [f"some words of {i},{i / 8}" for i in range(60)]
    with pytest.raises(InputError) as error:
        read(write("a.csv", "\n".join(["text,price", *rows])), require_label=True)
    assert "'price' has 60 numbers" in str(error.value)
    assert error.value.remedies[0] == {"target": "price"}


def test_a_first_line_that_is_a_row_is_named(write):
    rows = [f"{'good' if i % 2 else 'bad'},words of {i}" for i in range(8)]
    message = refusal(write("a.csv", "\n".join(["good,first words", "bad,others"])), label="x")
    assert "has no column 'x'" in message
    name = write("b.csv", "\n".join(["good,words of 9", *rows]))
    assert "header=False" in refusal(name, require_label=True)


def test_a_refusal_tells_what_was_guessed_of_the_file(write):
    name = write("a.csv", "Export,,\nid;first;second\n1;words here;2\n2;other words;1\n")
    assert "delimiter" in refusal(name, label="topic")
