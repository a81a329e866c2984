"""Tests of wordplane.data.column_names: what columns are called in many languages."""

import pytest

from tests.data.reading import refusal
from wordplane.data.column_names import label_groups, plain_name, text_groups
from wordplane.data.read import read

LABELS = (
    "category", "Class", "tag", "QUEUE", "topic", "Department", "is_spam", "isSpam", "Kategorie",
    "Klasse", "Thema", "Etikett", "Abteilung", "Catégorie", "CATE\u0301GORIE", "étiquette",
    "Categoría", "etiqueta", "categoria", "etichetta", "categorie", "kategori", "kategoria",
    "Категория", "метка", "категорія", "κατηγορία", "类别", "標籤", "カテゴリ", "ｶﾃｺﾞﾘ", "ラベル",
    "카테고리", "분류", "تصنيف", "الفئة", "קטגוריה", "श्रेणी", "หมวดหมู่", "Thể loại",
    "Ticket Category", "ticket-category", "TicketCategory",
)  # fmt: skip
TEXTS = (
    "Text", "message", "Review Text", "Nachricht", "Kommentar", "message_body", "commentaire",
    "Mensaje", "mensagem", "testo", "bericht", "wiadomość", "Текст", "сообщение", "文本", "内容",
    "本文", "コメント", "내용", "نص", "הודעה", "संदेश", "ข้อความ", "Nội dung",
)  # fmt: skip


@pytest.mark.parametrize("name", LABELS)
def test_labels_by_name_in_many_languages(write, name):
    """Another column has fewer values: the name decides."""
    rows = [f"{i},some words {i},c{i % 4},p{i % 2}" for i in range(40)]
    file = write("a.csv", "\n".join([f"nr,words,{name},person", *rows]))
    corpus = read(file, require_label=True)
    assert corpus.label_column == name
    assert f"label column: {name!r} (by its name)" in corpus.notes


@pytest.mark.parametrize("name", TEXTS)
def test_texts_by_name_in_many_languages(write, name):
    """Another column has longer values."""
    rows = [f"short {i},c{i % 4},a much longer remark {i}" for i in range(40)]
    file = write("a.csv", "\n".join([f"{name},label,internal", *rows]))
    assert read(file).text_columns == (name,)


def test_names_that_mean_nothing():
    others = ["Bearbeiter", "Priorität", "agent", "status", "Eingang", "price", "island", "this"]
    assert not any(map(any, (label_groups(others), text_groups(others))))


def test_names_are_compared_without_case_accents_and_punctuation():
    assert plain_name("  Ticket-Nr. ") == plain_name("ticketNr") == "ticket_nr"
    assert plain_name("Cate\u0301gorie") == plain_name("CATÉGORIE") == "categorie"


def test_label_and_text_come_before_all_other_names(write):
    rows = [f"a text {i},a comment {i},c{i % 3},k{i % 2}" for i in range(20)]
    file = write("a.csv", "\n".join(["text,comment,category,label", *rows]))
    corpus = read(file, require_label=True)
    assert (corpus.text_columns, corpus.label_column) == (("text",), "label")
    file = write("b.csv", "\n".join(["text,remark,category,topic", *rows]))
    assert "'category' and 'topic' would do" in refusal(file, require_label=True)
