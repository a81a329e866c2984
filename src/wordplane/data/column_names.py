"""Names that columns of texts, labels and ids have in the exports of many languages.

Names are compared without case, accents, blanks and punctuation: `Ticket-Nr`, `ticket_nr` and
`TicketNr` are the same. A name also counts by its last word, as in `ticket_category`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache

CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
MARKS = frozenset(',;|\t"')
BETWEEN = re.compile(r"[\W_]+")

_TEXT = "text texts"
_TEXTS = """
    review reviews comment comments message messages body content contents sentence document tweet
    sms post question utterance feedback transcript
    nachricht nachrichten inhalt kommentar rezension bewertungstext freitext mitteilung anfrage
    frage satz meldung nachrichtentext anliegen
    texte commentaire commentaires avis contenu phrase corps
    texto mensaje comentario reseña contenido opinión frase pregunta cuerpo
    mensagem comentário avaliação conteúdo pergunta
    testo messaggio commento recensione contenuto domanda
    tekst bericht opmerking recensie inhoud vraag
    meddelande innehåll besked melding indhold innhold teksti viesti kommentti arvostelu sisältö
    wiadomość treść komentarz opinia recenzja zpráva komentář obsah recenze správa
    szöveg üzenet megjegyzés vélemény tartalom mesaj comentariu recenzie conținut metin yorum içerik
    текст сообщение комментарий отзыв содержание обращение вопрос повідомлення коментар відгук
    съобщение коментар κείμενο μήνυμα σχόλιο κριτική
    文本 内容 內容 评论 評論 正文 消息 留言 问题 句子
    テキスト 本文 メッセージ コメント 文章 レビュー 質問
    텍스트 본문 내용 메시지 댓글 리뷰 문장
    نص النص رسالة الرسالة تعليق التعليق محتوى المحتوى متن پیام נוסח טקסט הודעה תגובה תוכן
    पाठ संदेश टिप्पणी ข้อความ văn_bản nội_dung bình_luận teks pesan komentar ulasan isi
"""
_TITLES = """
    abstract description summary title headline subject
    betreff titel beschreibung überschrift zusammenfassung kurztext
    objet titre sujet résumé asunto título descripción resumen assunto descrição resumo
    oggetto titolo descrizione onderwerp omschrijving ämne emne temat tytuł opis předmět popis
    tárgy leírás subiect titlu konu başlık açıklama
    тема заголовок описание опис θέμα τίτλος 标题 標題 描述 件名 タイトル 題名 제목
    عنوان العنوان موضوع الموضوع נושא כותרת शीर्षक หัวข้อ tiêu_đề judul
"""
_LABEL = "label labels"
_LABELS = """
    class classes category categories target topic topics y sentiment polarity intent emotion rating
    stars spam tag tags queue department genre genres gold
    klasse etikett kategorie kategorien thema themen abteilung warteschlange rubrik ressort stimmung
    sterne schlagwort zielklasse klassifikation klassifizierung
    catégorie catégories étiquette classe thème rubrique département étoiles
    categoría categorías etiqueta clase tema temas departamento sentimiento estrellas
    categoria categorias rótulo sentimento etichetta categorie argomento reparto
    categorieën afdeling rubriek kategori klass avdelning avdeling etiket kategoria luokka osasto
    etykieta klasa dział třída štítek oddělení kategória trieda oddelenie címke osztály részleg
    eticheta clasa departament sınıf departman duygu
    метка класс ярлык категория категории рубрика отдел тональность тематика
    мітка клас категорія відділ етикет ετικέτα κλάση κατηγορία
    标签 標籤 类别 類別 分类 分類 类目 部门 情感 主题
    ラベル クラス カテゴリ カテゴリー 部署 感情 種別
    라벨 레이블 클래스 카테고리 분류 범주 부서 감정
    تسمية التسمية وسم صنف فئة الفئة تصنيف التصنيف قسم القسم برچسب دسته
    תווית תגית קטגוריה מחלקה लेबल श्रेणी वर्ग ป้ายกำกับ หมวดหมู่
    nhãn danh_mục thể_loại phân_loại kelas
"""
_IDS = "id uid uuid guid doc_id docid document_id"


def plain_name(name: str) -> str:
    """A name as names are compared.

    >>> plain_name("Ticket-Nr."), plain_name(" Catégorie"), plain_name("isSpam")
    ('ticket_nr', 'categorie', 'is_spam')
    """
    parts = unicodedata.normalize("NFKD", CAPITAL.sub("_", name))
    letters = "".join(c for c in parts if not unicodedata.combining(c))
    return BETWEEN.sub("_", letters.casefold()).strip("_")


@cache
def _names(listed: str) -> frozenset[str]:
    return frozenset(map(plain_name, listed.split()))


def is_id(name: str) -> bool:
    """Whether a column of this name has ids."""
    return plain_name(name) in _names(_IDS)


def text_groups(names: list[str]) -> Iterator[list[str]]:
    """The columns that are named like texts, the likeliest names first."""
    yield _exactly(names, _TEXT)
    yield _exactly(names, _TEXTS)
    yield _by_last_word(names, _TEXT)
    yield _by_last_word(names, _TEXTS)
    yield _exactly(names, _TITLES)
    yield _by_last_word(names, _TITLES)


def label_groups(names: list[str]) -> Iterator[list[str]]:
    """The columns that are named like labels, the likeliest names first."""
    yield _exactly(names, _LABEL)
    yield _exactly(names, _LABELS)
    yield _by_last_word(names, _LABEL)
    flags = [name for name in names if plain_name(name).startswith("is_")]
    yield list(dict.fromkeys([*_by_last_word(names, _LABELS), *flags]))


def is_text_name(name: str) -> bool:
    """Whether a column is named like the texts."""
    return plain_name(name) in _names(_TEXT) | _names(_TEXTS)


def _exactly(names: list[str], listed: str) -> list[str]:
    return [name for name in names if plain_name(name) in _names(listed)]


def _by_last_word(names: list[str], listed: str) -> list[str]:
    """
    >>> _by_last_word(["Ticket Category", "category"], _LABELS)
    ['Ticket Category']
    """
    known = _names(listed)
    return [
        name
        for name in names
        if not set(name) & MARKS  # as if the whole header were one name
        and "_" in (plain := plain_name(name))
        and plain.rpartition("_")[2] in known
    ]
