"""Tests of wordplane.data.charsets: the encoding is that which reads like a language."""

import random

import pytest

from wordplane.data.charsets import foreign_words, guess_encoding

SENTENCES = {
    "cp1252": (
        "Größere Änderungen müssen nächste Woche überprüft werden, schöne Grüße",
        "Le garçon a été très déçu par la qualité de cette crème brûlée à l’hôtel",
        "El niño comió piñones y después se durmió en el sofá, ¿qué más podía hacer?",
        "A informação não está disponível, então nós vamos à próxima estação amanhã",
        "Rødgrød med fløde på båden, æbler og øl til børnene",
    ),
    "cp1250": (
        "Zażółć gęślą jaźń, proszę o szybką odpowiedź w sprawie źle naliczonej opłaty",
        "Příliš žluťoučký kůň úpěl ďábelské ódy a zásilka ještě nepřišla",
        "Árvíztűrő tükörfúrógép, köszönöm szépen a gyors választ, őszintén örülök",
    ),
    "iso8859-2": ("Zażółć gęślą jaźń, proszę o szybką odpowiedź w sprawie źle naliczonej opłaty",),
    "cp1251": (
        "Здравствуйте, моя карта не работает, помогите пожалуйста",
        "Добрий день, моя картка не працює, допоможіть будь ласка",
    ),
    "koi8-r": ("Здравствуйте, моя карта не работает, помогите пожалуйста",),
    "cp1253": ("Καλημέρα, η κάρτα μου δεν λειτουργεί, παρακαλώ βοηθήστε με",),
    "cp1254": ("Merhaba, kartım çalışmıyor, lütfen yardım edin, ağır bir gündü, teşekkürler",),
    "cp1255": ("שלום הכרטיס שלי לא עובד בבקשה תעזרו לי תודה רבה",),
    "cp1256": ("مرحبا بطاقتي لا تعمل من فضلكم ساعدوني شكرا جزيلا",),
    "cp932": ("カードが使えません。至急確認してください。よろしくお願いします。",),
    "euc-jp": ("カードが使えません。至急確認してください。よろしくお願いします。",),
    "gb18030": ("你好，我的卡不能用了，请尽快帮我处理一下，谢谢你们的帮助。",),
    "big5": ("你好，我的卡不能用了，請盡快幫我處理一下，謝謝你們的幫助。",),
    "cp949": ("안녕하세요 제 카드가 작동하지 않습니다 빨리 도와 주세요 감사합니다",),
    "cp874": ("สวัสดีครับ บัตรของผมใช้งานไม่ได้ กรุณาช่วยตรวจสอบให้ด้วยครับ ขอบคุณมาก",),
}


@pytest.mark.parametrize(
    ("encoding", "sentence"),
    [(encoding, each) for encoding, sentences in SENTENCES.items() for each in sentences],
)
def test_languages(encoding, sentence):
    guess = guess_encoding(sentence.encode(encoding))
    assert sentence.encode(encoding).decode(guess.encoding) == sentence
    assert guess.rivals == {}
    assert all(word in sentence for word in guess.words.split())


def test_one_accent_is_enough():
    guess = guess_encoding("the café was closed".encode("cp1252"))
    assert (guess.encoding, guess.words, guess.rivals) == ("cp1252", "café", {})


def test_what_could_be_two_languages_is_a_question():
    """Two letters, which are Italian in one encoding and Slavic in another."""
    guess = guess_encoding("za ním è".encode("cp1252"))
    named = {guess.encoding: guess.words, **guess.rivals}
    assert len(named) > 1 and "cp1250" in named


@pytest.mark.parametrize("seed", range(5))
def test_noise_is_no_language(seed):
    assert guess_encoding(random.Random(seed).randbytes(500)) is None


def test_words_are_shown_where_encodings_differ():
    assert foreign_words("plain words only") == ""
    assert foreign_words("über Käse über Öl und Äpfel") == "über Käse Öl"


def test_long_samples_may_end_within_a_character():
    data = ("カードが使えません。" * 20 + "\n").encode("cp932") * 300
    assert len(data) > 1 << 16
    assert guess_encoding(data).encoding == "cp932"
