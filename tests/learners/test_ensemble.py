import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.utils.estimator_checks import check_estimator

from wordplane import MIRA, Bagging, BernoulliNB, Ensemble, GaussianNB, MultinomialNB, Perceptron
from wordplane.common import progress
from wordplane.common.errors import InputError
from wordplane.learners.baselines import MajorityBaseline

DRAWS = "rows are drawn at random: two equal rows are drawn otherwise than one of weight 2"
STEPS = "the perceptron's weights multiply the step; see test_perceptron.py"


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("learner", "why"),
    [
        (Ensemble([GaussianNB(variance="pooled"), GaussianNB(variance=400.0)]), None),
        (Ensemble([GaussianNB(), MIRA()], combine="vote"), STEPS),
        (Bagging(GaussianNB(variance="pooled")), DRAWS),
        (Bagging(GaussianNB(), combine="vote"), DRAWS),
    ],
)
def test_scikit_learn_s_checks(learner, why):
    names = ["check_sample_weight_equivalence_on_" + kind for kind in ("dense_data", "sparse_data")]
    expected = dict.fromkeys(names, why) if why else {}
    check_estimator(learner, expected_failed_checks=expected, on_skip=None)


@pytest.fixture(params=[2, 3])
def data(request):
    rng = np.random.default_rng(0)
    y = np.array(list("abc"))[np.arange(90) % request.param]
    X = rng.poisson(0.5, (90, 6)).astype(float)
    X[np.arange(90), np.arange(90) % request.param] += rng.poisson(1.0, 90)
    return X, y


def test_average_is_one_linear_model(data):
    X, y = data
    members = [MultinomialNB().fit(X, y), Perceptron().fit(X, y)]
    model = Ensemble([MultinomialNB(), Perceptron()], weights=[3, 1]).fit(X, y)
    assert model.kind == "linear"
    expected = 0.75 * members[0].decision_function(X) + 0.25 * members[1].decision_function(X)
    assert np.allclose(model.decision_function(X), expected)
    assert np.allclose(model.coef_, 0.75 * members[0].coef_ + 0.25 * members[1].coef_)
    normal = Ensemble([MultinomialNB(), Perceptron()], normalize=True).fit(X, y)
    scales = [np.sqrt(np.mean(m.decision_function(X) ** 2)) for m in members]
    assert np.allclose(
        normal.coef_, (members[0].coef_ / scales[0] + members[1].coef_ / scales[1]) / 2
    )


def test_votes(data):
    X, y = data
    learners = [MultinomialNB(), BernoulliNB(), Perceptron(), MajorityBaseline()]
    model = Ensemble(learners, combine="vote", weights=[1, 1, 2, 0]).fit(X, y)
    assert model.kind == "votes" and not hasattr(model, "coef_")
    said = [clone(learner).fit(X, y).predict(X) for learner in learners]
    classes = np.unique(y)
    votes = sum(w * (s[:, None] == classes) for w, s in zip([1, 1, 2, 0], said, strict=True)) / 4
    z = model.decision_function(X)
    assert np.allclose(z, votes[:, 1] - votes[:, 0] if z.ndim == 1 else votes)
    assert np.array_equal(model.predict(X), classes[votes.argmax(axis=1)])
    assert model.learners[0].get_params() == MultinomialNB().get_params()
    assert not hasattr(model.learners[0], "coef_")  # copies were fitted


@pytest.mark.parametrize("combine", ["average", "vote"])
def test_groups_of_columns(data, combine):
    X, y = data
    model = Ensemble(
        [MultinomialNB(), MultinomialNB(), MultinomialNB()], columns=[[0, 1, 2], [5, 3], None],
        combine=combine,
    ).fit(sp.csr_matrix(X), y)  # fmt: skip
    parts = [MultinomialNB().fit(X[:, columns], y) for columns in ([0, 1, 2], [5, 3], range(6))]
    seen = [X[:, columns] for columns in ([0, 1, 2], [5, 3], range(6))]
    if combine == "average":
        expected = sum(m.decision_function(s) for m, s in zip(parts, seen, strict=True)) / 3
        assert np.allclose(model.decision_function(X), expected)
        assert model.coef_.shape[1] == 6
    else:
        said = [m.predict(s) for m, s in zip(parts, seen, strict=True)]
        classes = np.unique(y)
        votes = sum((s[:, None] == classes) for s in said) / 3
        assert np.array_equal(model.predict(X), classes[votes.argmax(axis=1)])


def test_shares_of_votes(data):
    X, y = data
    learners = [MultinomialNB(), BernoulliNB(), Perceptron()]
    for model in (
        Ensemble(learners, weights=[1, 2, 3], combine="vote").fit(X, y),
        Bagging(MultinomialNB(), combine="vote", n_learners=5).fit(X, y),
    ):
        weights = [1 / 6, 1 / 3, 1 / 2] if len(model.learners_) == 3 else [0.2] * 5
        said = np.array([learner.predict(X) for learner in model.learners_])
        shares = [[np.dot(weights, row == k) for k in model.classes_] for row in said.T]
        assert np.allclose(model.predict_proba(X), shares)
    for combine, has in (("vote", True), ("average", False)):
        assert hasattr(Ensemble(learners, combine=combine), "predict_proba") is has


def test_bagging_trains_on_rows_drawn_by_class(data):
    X, y = data
    model = Bagging(MultinomialNB(), n_learners=4, max_samples=0.5, random_state=3).fit(X, y)
    assert len(model.learners_) == 4
    n_k = [round((y == label).sum() * 0.5) for label in np.unique(y)]
    for learner in model.learners_:
        assert learner.class_count_.tolist() == n_k
    assert len({learner.feature_count_.tobytes() for learner in model.learners_}) == 4
    assert np.allclose(model.coef_, np.mean([m.coef_ for m in model.learners_], axis=0))
    same = Bagging(MultinomialNB(), n_learners=4, max_samples=0.5, random_state=3).fit(X, y)
    assert np.array_equal(model.coef_, same.coef_)
    votes = Bagging(MultinomialNB(), combine="vote", n_learners=5).fit(X, y)
    assert votes.score(X, y) > 0.5 and votes.kind == "votes"
    steps = []
    with progress.listen(lambda *step: steps.append(step)):
        Bagging(MajorityBaseline(), n_learners=2).fit(X, y)
    assert steps == [("training", 1, 2), ("training", 2, 2)]


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (Ensemble([]), "learners is empty"),
        (Ensemble([Perceptron()], combine="mix"), "combine is 'mix'"),
        (Ensemble([Perceptron()], weights=[1, 2]), "expected 1 numbers"),
        (Ensemble([Perceptron()], weights=[-1]), "weights is"),
        (Ensemble([GaussianNB()]), "combine='vote'"),
        (Ensemble([BernoulliNB()]), "combine='vote'"),
        (Ensemble([Perceptron()], columns=[[0], [1]]), "2 lists of columns for 1"),
        (Ensemble([Perceptron()], columns=[[0, 9]]), "different ones of 2"),
        (Ensemble([Perceptron()], columns=[[0, 0]]), "different ones of 2"),
        (Ensemble([Perceptron()], columns=[["a"]]), "column numbers"),
        (Bagging(Perceptron(), n_learners=0), "n_learners is 0"),
        (Bagging(Perceptron(), max_samples=0), "max_samples is 0"),
        (Bagging(GaussianNB()), "combine='vote'"),
    ],
)
def test_bad_parameters(model, message):
    with pytest.raises(InputError, match=message):
        model.fit(np.eye(2), ["a", "b"])
