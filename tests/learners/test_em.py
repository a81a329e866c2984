"""Tests of wordplane.learners.em."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.utils.estimator_checks import check_estimator

import wordplane
from wordplane import (
    BernoulliNB,
    CountVectorizer,
    EMNaiveBayes,
    MultinomialNB,
    TextClassifier,
)
from wordplane.cli import main
from wordplane.common.errors import ConvergenceWarning, InputError

MODELS = ["multinomial", "bernoulli"]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("model", MODELS)
def test_scikit_learn_s_checks(model):
    negative = "the check has negative values, and counts are not"
    names = ("check_decision_proba_consistency", "check_class_weight_classifiers")
    expected = dict.fromkeys(names, negative)
    check_estimator(EMNaiveBayes(model=model), on_skip=None, expected_failed_checks=expected)


def slow_em(X, y, U, *, model, alpha, a, weight, rounds):
    """Straight from the page; returns mu, phi and the penalized log-likelihood of every round."""
    if model == "bernoulli":
        X, U = (X > 0).astype(float), (U > 0).astype(float)
    n_classes, n_features = y.max() + 1, X.shape[1]
    rows = np.vstack([X, U])
    w = np.r_[np.ones(len(X)), np.full(len(U), weight)]
    p = np.zeros((len(rows), n_classes))
    p[np.arange(len(X)), y] = 1
    values, w_now = [], np.r_[np.ones(len(X)), np.zeros(len(U))]
    for _ in range(rounds + 1):
        mu, phi = np.zeros(n_classes), np.zeros((n_classes, n_features))
        for k in range(n_classes):
            share = w_now * p[:, k]
            mu[k] = (a + share.sum()) / (n_classes * a + w_now.sum())
            for j in range(n_features):
                bottom = 2 * alpha + share.sum()
                if model == "multinomial":
                    bottom = n_features * alpha + sum(share @ rows[:, v] for v in range(n_features))
                phi[k, j] = (alpha + share @ rows[:, j]) / bottom
        joint = np.log(mu) + rows @ np.log(phi).T
        prior = a * np.log(mu).sum() + alpha * np.log(phi).sum()
        if model == "bernoulli":
            joint += (1 - rows) @ np.log(1 - phi).T
            prior += alpha * np.log(1 - phi).sum()
        known = sum(joint[i, y[i]] for i in range(len(X)))
        unknown = weight * sum(np.log(np.exp(joint[i]).sum()) for i in range(len(X), len(rows)))
        values.append(known + unknown + prior)
        p[len(X) :] = np.exp(joint[len(X) :]) / np.exp(joint[len(X) :]).sum(axis=1, keepdims=True)
        w_now = w
    return mu, phi, np.array(values), joint


@st.composite
def semi_supervised(draw):
    v, n_classes = draw(st.integers(2, 5)), draw(st.integers(2, 3))
    counts = st.integers(0, 3).map(float)
    X = draw(hnp.arrays(np.float64, (n_classes + 1, v), elements=counts))
    U = draw(hnp.arrays(np.float64, (draw(st.integers(1, 6)), v), elements=counts))
    return X, np.r_[np.arange(n_classes), 0], U


@pytest.mark.filterwarnings("ignore::wordplane.common.errors.ConvergenceWarning")
@pytest.mark.parametrize("model", MODELS)
@given(semi_supervised(), st.sampled_from([0.1, 1.0]), st.sampled_from([0.3, 1.0]))
def test_equals_the_page(model, problem, weight, alpha):
    X, y, U = problem
    params = {"alpha": alpha, "prior_alpha": 0.5, "max_iter": 4, "tol": 0.0}
    em = EMNaiveBayes(model=model, unlabeled_weight=weight, **params).fit(X, y, unlabeled=U)
    values = np.array(em.penalized_log_likelihood_)
    *_, expected, joint = slow_em(
        X, y, U, model=model, alpha=alpha, a=0.5, weight=weight, rounds=em.n_iter_ - 1
    )
    assert np.allclose(values, expected)
    assert (np.diff(values) >= -1e-9 * np.abs(values[:-1])).all()  # never falls
    P = np.exp(joint) / np.exp(joint).sum(axis=1, keepdims=True)
    assert np.allclose(em.predict_proba(np.vstack([X, U])), P)


def test_likelihood_rises_on_larger_data_and_dev_is_measured():
    rng = np.random.default_rng(0)
    topics = rng.dirichlet(np.full(200, 0.3), 3)
    y = np.arange(400) % 3
    X = np.array([rng.multinomial(10, topics[k]) for k in y])
    em = EMNaiveBayes().fit(X[:9], y[:9], unlabeled=X[9:300], dev=(X[300:], y[300:]))
    values = np.array(em.penalized_log_likelihood_)
    assert len(values) == em.n_iter_ == len(em.log_likelihood_) == len(em.dev_accuracy_)
    assert (np.diff(values) >= -1e-10 * np.abs(values[:-1])).all() and em.converged_
    plain = MultinomialNB(prior_alpha=1.0).fit(X[:9], y[:9])
    assert np.isclose(em.dev_accuracy_[0], plain.score(X[300:], y[300:]))
    assert em.dev_accuracy_[-1] == em.score(X[300:], y[300:]) > em.dev_accuracy_[0] + 0.05


def test_alpha_by_leave_one_out_on_the_labeled_rows():
    rng = np.random.default_rng(0)
    topics = rng.dirichlet(np.full(200, 0.1), 3)
    y = np.arange(60) % 3
    X = np.array([rng.multinomial(30, topics[k]) for k in y])
    weight = rng.random(30)
    chosen = EMNaiveBayes(alpha="loo").fit(X[:30], y[:30], weight, unlabeled=X[30:])
    alpha = MultinomialNB(alpha="loo").fit(X[:30], y[:30], weight).alpha_
    given = EMNaiveBayes(alpha=alpha).fit(X[:30], y[:30], weight, unlabeled=X[30:])
    assert chosen.alpha_ == alpha != 1 and np.array_equal(chosen.coef_, given.coef_)
    for refused in ({"model": "bernoulli"}, {"n_clusters": 2}):
        with pytest.raises(InputError, match="alpha is 'loo'"):
            EMNaiveBayes(alpha="loo", **refused).fit(X, None if "n_clusters" in refused else y)


@pytest.mark.parametrize("unlabeled_weight", [0.0, 1.0])
def test_without_unlabeled_rows_it_is_naive_bayes(unlabeled_weight):
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 4, (30, 6)).astype(float), rng.integers(0, 3, 30)
    U = None if unlabeled_weight else X[::-1]
    weight = rng.random(30)
    for model, plain in (
        ("multinomial", MultinomialNB(prior_alpha=1.0)),
        ("bernoulli", BernoulliNB(prior_alpha=1.0)),
    ):
        em = EMNaiveBayes(model=model, unlabeled_weight=unlabeled_weight)
        em.fit(X, y, weight, unlabeled=U)
        plain.fit(X, y, sample_weight=weight)
        assert np.allclose(em.coef_, plain.coef_) and np.allclose(em.intercept_, plain.intercept_)
        assert em.converged_ and em.n_iter_ == 1


@pytest.mark.filterwarnings("ignore::wordplane.common.errors.ConvergenceWarning")
def test_threads_change_no_bit():
    rng = np.random.default_rng(0)
    X, y = rng.poisson(0.3, (600, 200)).astype(float), rng.integers(0, 3, 600)
    one, *others = (
        EMNaiveBayes(n_jobs=n, max_iter=5).fit(X[:60], y[:60], unlabeled=X[60:]) for n in (1, 2, 3)
    )
    assert all(np.array_equal(one.coef_, other.coef_) for other in others)


def test_clusters_without_labels():
    X = np.repeat([[5.0, 4, 0, 0], [0, 0, 4, 5]], 20, axis=0)
    em = EMNaiveBayes(n_clusters=2, alpha=0.1).fit(X, None)
    found = em.predict(X)
    assert len(set(found[:20])) == 1 and len(set(found[20:])) == 1 and found[0] != found[-1]
    values = np.array(em.penalized_log_likelihood_)
    assert (np.diff(values) >= -1e-9 * np.abs(values[:-1])).all()
    alone = [
        EMNaiveBayes(n_clusters=2, alpha=0.1, n_init=n).fit(X, None).penalized_log_likelihood_[-1]
        for n in (1, 5)
    ]
    assert alone[1] >= alone[0]


def test_says_when_it_has_not_converged():
    X, y = np.array([[2.0, 0, 0, 0], [0, 0, 2, 0]]), [0, 1]
    U = np.array([[1.0, 2, 0, 0], [0, 1, 1, 2], [0, 2, 0, 1]])
    with pytest.warns(ConvergenceWarning, match="max_iter=1"):
        EMNaiveBayes(max_iter=1, tol=0).fit(X, y, unlabeled=U)


@pytest.mark.parametrize(
    "params", [{"model": "gaussian"}, {"alpha": 0}, {"prior_alpha": 0}, {"unlabeled_weight": 2},
               {"tol": -1}, {"max_iter": 0}, {"n_init": 0}, {"n_clusters": 0}],
)  # fmt: skip
def test_bad_parameters(params):
    with pytest.raises(InputError, match=f"{next(iter(params))} is"):
        EMNaiveBayes(**params).fit(np.eye(2), [0, 1])


def test_bad_rows():
    with pytest.raises(InputError, match="Negative values"):
        EMNaiveBayes().fit(np.eye(2), [0, 1], unlabeled=[[-1.0, 0]])
    with pytest.raises(InputError, match="3 features"):
        EMNaiveBayes().fit(np.eye(2), [0, 1], unlabeled=[[1.0, 0, 0]])
    with pytest.raises(InputError, match="7 is not among the classes"):
        EMNaiveBayes().fit(np.eye(2), [0, 1], dev=(np.eye(2), [0, 7]))


def write_few(folder):
    (folder / "few.csv").write_text(
        "text,label\ngoal,sport\ncourt law,law\ngoal ball,sport\nlaw,law\n"
    )
    (folder / "many.txt").write_text("goal striker\nlaw judge\nball striker\ncourt judge\n" * 3)
    return str(folder / "few.csv"), str(folder / "many.txt"), str(folder / "m.wordplane")


BERNOULLI = ["--learner", "em", "--param", "model=bernoulli"]


@pytest.mark.parametrize("learner", [["--learner", "em"], BERNOULLI, ["--learner", "nb"]])
def test_command_line(tmp_path, capsys, learner):
    few, many, output = write_few(tmp_path)
    options = [*learner, "--ngrams", "1,1", "-o", output, "--no-test"]
    assert main(["train", few, "--unlabeled", many, *options]) == 0
    assert "trained on 4 texts and 12 without labels" in capsys.readouterr().out
    model = wordplane.load(output)
    assert model.training_.n_unlabeled == 12
    if learner != ["--learner", "nb"]:  # words that only unlabeled texts have
        assert model.predict(["striker", "judge"]).tolist() == ["sport", "law"]


@pytest.mark.parametrize(
    ("options", "message"),
    [(["--unlabeled", "many.txt", "--learner", "svm"], "no probabilities"),
     (["--unlabeled", "absent.txt"], "absent.txt")],
)  # fmt: skip
def test_command_line_refuses(tmp_path, capsys, monkeypatch, options, message):
    few, _, output = write_few(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert main(["train", few, "-o", output, *options]) == 2
    assert message in capsys.readouterr().err


def test_classifier_refuses_unlabeled_texts_that_its_learner_cannot_use():
    with pytest.raises(InputError, match="cannot learn from texts without labels"):
        TextClassifier(learner="svm").fit(["a", "b"], [0, 1], unlabeled=["c"])


@pytest.mark.slow
@pytest.mark.data
def test_newsgroups_gain_by_unlabeled_posts(dataset):
    corpus = wordplane.read(dataset("newsgroups20"))
    train, test = (corpus.take(corpus.split_rows(part)) for part in ("train", "test"))
    vectorizer = CountVectorizer(min_df=2, stop_words="english")
    X, X_test = vectorizer.fit_transform(list(train.texts)), vectorizer.transform(list(test.texts))
    y = np.array(train.labels)
    rng = np.random.default_rng(0)
    few = np.concatenate([rng.permutation(np.flatnonzero(y == k))[:20] for k in np.unique(y)])
    plain = MultinomialNB(alpha=0.1).fit(X[few], y[few]).score(X_test, test.labels)
    rest = np.setdiff1d(np.arange(len(y)), few)
    em = EMNaiveBayes(alpha=0.1).fit(X[few], y[few], unlabeled=X[rest])
    values = np.array(em.penalized_log_likelihood_)
    assert (np.diff(values) >= 0).all()
    assert em.score(X_test, test.labels) > plain + 0.1  # 0.68 and 0.53


def test_training_says_how_each_round_went(tmp_path, capsys):
    """The rounds of the model that has not seen the texts held out, and its accuracy on those."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 240)
    texts = [" ".join(f"c{k}w{j}" for j in rng.integers(0, 40, 4)) + f" w{j}"
             for k, j in zip(y, rng.integers(0, 9, 240), strict=True)]  # fmt: skip
    labels = [("law", "sport")[k] for k in y]
    analyzer = wordplane.Analyzer(ngrams=(1, 1))
    result = wordplane.train(
        texts[:40], labels[:40], learner="em", analyzer=analyzer, unlabeled=texts[40:]
    )
    held = result.model.holdout_.rows
    kept = np.setdiff1d(np.arange(40), held)
    vectorizer = CountVectorizer(token_pattern=r"\w+").fit(
        [texts[i] for i in [*kept, *range(40, 240)]]
    )
    matrix = vectorizer.transform(texts)
    slow = EMNaiveBayes(alpha="loo").fit(
        matrix[kept],
        [labels[i] for i in kept],
        unlabeled=matrix[40:],
        dev=(matrix[held], [labels[i] for i in held]),
    )
    assert [r["log_likelihood"] for r in result.rounds] == pytest.approx(slow.log_likelihood_)
    penalized = [r["penalized_log_likelihood"] for r in result.rounds]
    assert penalized == pytest.approx(slow.penalized_log_likelihood_)
    assert [r["dev_accuracy"] for r in result.rounds] == slow.dev_accuracy_
    printed = str(result).splitlines()
    first = f"rounds    0: log likelihood {slow.log_likelihood_[0]:,.1f}, penalized log likelihood "
    assert any(line.startswith(first) for line in printed)
    assert sum("dev accuracy" in line for line in printed) == len(slow.dev_accuracy_)
    result.save(tmp_path / "m.wordplane")
    loaded = wordplane.load(tmp_path / "m.wordplane")
    assert loaded.training_.rounds == result.model.training_.rounds
    assert "dev_accuracy" not in loaded.training_.rounds[0]  # the last fit holds nothing out
    assert wordplane.train(texts[:40], labels[:40], learner="nb").rounds == ()
