"""What people do is kept, and can be taken back.

Tests of wordplane.annotation.project, wordplane.annotation.answers, wordplane.annotation.items and
wordplane.annotation.labels; also wordplane.common.votes.
"""

import pytest

import wordplane
from tests.annotation.conftest import TEXTS, answer, truth
from wordplane._core import Texts
from wordplane.annotation import Project
from wordplane.common.errors import InputError
from wordplane.data.corpus import Corpus


def reopened(project):
    project.close()
    return Project.open(project.path)


def test_answers_survive_and_the_same_text_is_shown_again(project):
    answer(project, 5)
    seen = project.next()
    with reopened(project) as again:
        assert len(again.answers.labeled()) == 5
        assert again.next() == seen


def test_undo_shows_the_text_again_and_history_keeps_what_was_undone(project):
    item = project.next()
    project.label(item.text, "ham")
    project.undo()
    assert project.answers.labeled() == {}
    assert project.next() == item
    project.label(item.text, "spam")
    with reopened(project) as again:
        assert again.answers.labeled() == {item.text: (again.labels.number("spam"),)}
        labels = [again.labels.names_of(e.labels) for e in again.store.events(undone=True)]
        assert labels == [("ham",), ("spam",)]
        again.undo()
        with pytest.raises(InputError, match="nothing to undo"):
            again.undo()


def test_undo_of_a_correction_brings_back_the_first_answer(project):
    project.label(7, "ham")
    project.label(7, "spam")
    assert project.next().text != 7
    project.undo()
    assert project.labels.names_of(project.answers.labels_of(7)) == ("ham",)


def test_labels_of_a_search_are_taken_back_at_once(project):
    project.label(3, "ham")
    shown = project.next()
    assert project.label_all([1, 2, 3, 4], "spam") == 3
    assert len(project.answers) == 4
    assert project.next() == shown
    project.undo()
    assert list(project.answers.labeled()) == [3]


def test_a_text_that_was_not_shown_can_be_labeled_and_the_shown_one_stays(project):
    shown = project.next()
    other = 1 if shown.text != 1 else 2
    project.label(other, "ham")
    assert project.next() == shown
    assert [e.shown.reason for e in project.answers.events] == ["direct"]


def test_labels_are_renamed_and_merged_with_their_texts(project):
    for text, name in ((1, "spam"), (2, "offer"), (3, "ham")):
        project.label(text, name, add=True)
    project.rename_label("offer", "advertising")
    project.merge_labels("advertising", "spam")
    project.merge_labels("spam", "ham")
    with reopened(project) as again:
        assert again.labels.names == ["ham"]
        ham = again.labels.number("ham")
        assert again.answers.labeled() == {1: (ham,), 2: (ham,), 3: (ham,)}
        for wrong in ("advertising", "spam", "<b>"):
            with pytest.raises(InputError, match="there is no label"):
                again.label(4, wrong)
        with pytest.raises(InputError, match="already"):
            again.labels.add("ham")
        again.labels.instruct("ham", "from people we know")
        with reopened(again) as last:
            assert [label.instruction for label in last.labels] == ["from people we know"]


def test_several_labels_or_none(tmp_path):
    data = Corpus(Texts(["a b", "c d", "e f"]), [("x", "y"), (), None])
    with Project.create(tmp_path / "m.db", data) as project:
        assert project.multi and project.labels.names == ["x", "y"]
        assert project.answers.labeled() == {1: (1, 2), 2: ()}
        project.label(3, ["y"])
        assert project.learn()
        assert wordplane.read(project.path).labels == [("x", "y"), (), ("y",)]


def test_one_label_is_required_unless_there_may_be_several(project):
    for wrong in ([], ["spam", "ham"]):
        with pytest.raises(InputError, match="expected one"):
            project.label(1, wrong)


def test_texts_that_do_not_exist(project):
    for text in (0, len(TEXTS) + 1):
        with pytest.raises(InputError, match="there is no text"):
            project.label(text, "ham")


def test_most_people_decide_and_of_a_tie_the_latest(project):
    said = [("ann", "spam"), ("bob", "ham"), ("eve", "ham"), ("bob", "spam")]
    found = []
    for person, label in said:
        project.label(1, label, person)
        found.append(project.labels.names_of(project.answers.labels_of(1))[0])
    assert found == ["spam", "ham", "ham", "spam"]


def test_the_project_is_data_for_other_verbs(project):
    answer(project, 40)
    project.learn()
    answer(project, 20)
    corpus = wordplane.read(project.path)
    assert len(corpus) == 60
    assert all(
        truth(text) == label for text, label in zip(corpus.texts, corpus.labels, strict=True)
    )
    random = {e.shown.text for e in project.answers.events if e.shown.reason == "random"}
    assert {int(i) for i, s in zip(corpus.ids, corpus.split, strict=True) if s == "cv"} == random


def test_the_classifier_knows_the_names_of_labels(project):
    with pytest.raises(InputError, match="no two different labels"):
        project.classifier()
    answer(project, 20)
    project.rename_label("spam", "advertising")
    assert project.classifier().predict(["cheap prize"]).tolist() == ["advertising"]
