"""What the lines of demos must say: each check fails if the effect is absent."""

import re

import numpy as np
import pytest

from wordplane.demos import find_demo


def numbers(line):
    return [float(x) for x in re.findall(r"-?\d+\.?\d*(?:e-?\d+)?", line)]


def check_bound(lines):
    for line in lines[1:]:
        _, share, bound, most, mean = numbers(line)
        assert mean <= most <= bound
        assert bound == pytest.approx(1 / share**2, rel=0.02)
    assert len(lines) == 7


def check_die(lines):
    p = [numbers(line)[1] for line in lines[:6]]
    assert p == pytest.approx([1 / 12] * 3 + [1 / 4] * 3, abs=1e-4)
    largest, others = numbers(lines[6])[-1], numbers(lines[7])[-1]
    assert largest == pytest.approx(0.25 * np.log2(12) + 0.75 * np.log2(4), abs=1e-4)
    assert others < largest


def check_parts(lines):
    rows = np.array([numbers(line.partition(",")[2])[1:] for line in lines[1:]])
    assert rows[:, :3].sum(axis=1) == pytest.approx(rows[:, 3], abs=0.02)
    noise, family, sample = rows[:, 0], rows[:, 1], rows[:, 2]
    assert np.ptp(noise) == 0
    assert family[0] > 0.5 > 0.1 > abs(family[3])  # lines cannot bend, cubics can
    assert sample[3] > sample[0] > sample[2]  # a richer family needs more points


def check_unknown(lines):
    # 8 tokens of spam, 4 of ham, 9 words: log-odds (alpha + 0) / (9 alpha + n) by hand.
    for line in lines[1:4]:
        alpha, odds = numbers(line)
        assert odds == pytest.approx(np.log((9 * alpha + 4) / (9 * alpha + 8)), abs=1e-3)
    assert "[-inf -inf]" in lines[4] and "+0.000" in lines[5]
    weights = [numbers(line)[-1] for line in lines[7:]]
    assert 0 < weights[0] < weights[1] < weights[2]


def check_entropy(lines):
    rows = np.array([numbers(line) for line in lines[2:]])
    assert (np.diff(rows[:, 1]) < 0).all() and rows[0, 1] < np.log2(10)
    assert rows[-1, 2] > rows[-2, 2] and rows[-1, 2] > rows[-1, 1]  # too sure


def check_generate(lines):
    assert all(len(line.split()) == 13 for line in lines[:5])
    assert numbers(lines[6])[0] < 0.01
    assert "three words have 6 orders" in lines[7]


def check_gradients(lines):
    assert len(lines) == 7 and all(numbers(line)[-1] < 1e-8 for line in lines[1:])


def check_genetic(lines):
    every, genetic, climbing = (numbers(line.partition("error")[2])[0] for line in lines)
    assert genetic < every and climbing < every


def check_propagation(lines):
    for line in lines[1::2]:
        found, every = numbers(line)
        assert found > every + 25


def check_small(lines):
    (line,) = lines
    assert numbers(line)[-1] < 1e-9


def check_shrinkage(lines):
    lengths = [numbers(line)[-1] for line in lines]
    assert len(lengths) == 5 and lengths == sorted(lengths, reverse=True)


def check_all_learners(lines):
    behind = np.array([numbers(line[21:]) for line in lines[1:]])
    assert behind.shape == (7, 6) and (behind > -0.2).all()  # nobody beats the best rule
    assert (behind[:, 0] > behind[:, 1]).all() and (behind[:, 1] > behind[:, 2]).all()


def check_prior(lines):
    assert numbers(lines[0])[-3:] == pytest.approx([0.2, 0.5, 0.3], abs=0.01)
    assert numbers(lines[1]) == [0.2, 0.5, 0.3]


def check_regression(lines):
    assert numbers(lines[0]) == numbers(lines[1])[-2:]


def check_equal(*rows):
    def check(lines):
        for row in rows:
            left, right = (re.sub(r"^[^\d\[-]*", "", line) for line in (lines[row], lines[row + 1]))
            assert numbers(left) == pytest.approx(numbers(right), abs=1e-6)

    return check


def check_says(*words):
    def check(lines):
        assert [word for word in words if word not in "\n".join(lines)] == []

    return check


def check_bigrams(lines):
    (nb, nb_bigrams), (logistic, logistic_bigrams) = (numbers(line[24:]) for line in lines[1:])
    assert nb_bigrams > nb + 5 and logistic_bigrams > logistic + 5
    assert logistic > nb and logistic_bigrams > nb_bigrams


def check_learners(lines):
    rows = np.array([numbers(line[20:]) for line in lines[1:-1]])
    words, bigrams, marked = rows.T
    always = numbers(lines[-1])[-1]
    assert len(rows) == 11 and (rows > always + 20).all()
    assert (bigrams > words + 2).all() and (marked > words + 3).all()


def check_unlabeled(lines):
    (alone, both, _), (all_alone, all_both, _) = (numbers(line[30:]) for line in lines[1:])
    assert both > alone + 8 and all_both - all_alone < both - alone


def check_zipf(lines):
    _, once = numbers(lines[0].replace(",", ""))
    assert 25 < once < 60
    assert -1.2 < numbers(lines[1])[-1] < -0.8


def check_gain(lines):
    rows = np.array([numbers(line[10:]) for line in lines[1:]])
    bits, p, p_other, p_email = rows.T
    share = np.mean((p - p_other) / (p_email - p_other))

    def entropy(q):
        return -(q * np.log2(q) + (1 - q) * np.log2(1 - q))

    given = share * entropy(p_email) + (1 - share) * entropy(p_other)
    assert bits == pytest.approx(entropy(p) - given, abs=0.003)  # symmetric: of X and of the class
    assert (np.diff(bits) <= 0).all() and (p_email > 5 * p_other).all()


def check_two_gaussians(lines):
    train, test = numbers(lines[0])
    assert (80 * train + 20 * test) / 100 == pytest.approx(97.7, abs=3)  # Phi(sqrt(2) / sqrt(0.5))


def check_epochs(lines):
    weights = np.array([numbers(line.partition("weights")[2]) for line in lines[:-1]])
    steps = np.linalg.norm(np.diff(weights, axis=0), axis=1)
    assert len(weights) == 5 and (steps > 1).all()  # the last weights jump
    assert min(numbers(lines[-1])) >= 1


def check_separators(lines):
    width, (margin, _) = numbers(lines[0])[0], numbers(lines[1])
    (_, widest) = numbers(str(find_demo("margins")().lines[1]).replace("1 / |w|", ""))
    assert margin == pytest.approx(widest, abs=1e-3) and 10 < width < 170


def check_slack(lines):
    n, total = numbers(lines[0])
    cheap, dear = (numbers(find_demo("slack")(C=C).lines[0])[1] for C in (0.01, 100.0))
    assert cheap > total > dear > 0 and n >= 1


def check_neighbors(lines):
    (one, train_1, test_1), _, (most, train_25, test_25) = map(numbers, lines)
    assert (one, most) == (1, 25) and train_1 == 1 > train_25 and test_25 > test_1


def check_kmeans(lines):
    centers = np.array(sorted(numbers(line) for line in lines))
    assert np.abs(centers - [[-2, -1], [0, 2], [2, -1]]).max() < 0.6


def check_lab(lines):
    lbfgs, sgd = numbers(lines[-2])[-3:], numbers(lines[-1])[-3:]
    assert lbfgs[0] > lbfgs[2] and sgd[0] > sgd[2]
    assert lbfgs[2] == pytest.approx(sgd[2], abs=1e-3)


def check_sigmoid(lines):
    for line in lines:
        score, p = numbers(line)
        assert p == pytest.approx(1 / (1 + np.exp(-score)), abs=5e-4)


def check_descent(lines):
    reached, best = (np.array(numbers(line)[-2:]) for line in lines)
    assert 0 < np.abs(reached - best).max() < 0.02


def check_stochastic(lines):
    reached, best = (np.array(numbers(line)[-2:]) for line in lines)
    assert 0.02 < np.abs(reached - best).max() < 0.3  # near, and noisy


def check_optimizers(lines):
    rows = {line.split()[0]: numbers(line[10:]) for line in lines[1:]}
    (optimum,) = rows.pop("minimum")
    assert len(rows) == 7
    assert all(optimum - 1e-3 < last < first for first, _, last in rows.values())
    assert rows["sgd"][0] < rows["gd"][1]  # one pass of SGD is worth five of gradient descent
    assert rows["lbfgs"][2] == pytest.approx(optimum, abs=1e-3)
    assert rows["cg"][2] == pytest.approx(optimum, abs=1e-3)


def check_above(least):
    def check(lines):
        assert least < numbers(lines[0])[-1] <= 1

    return check


def check_smoothing(lines):
    alpha, train, held_out = np.array(sorted(map(numbers, lines[1:]))).T
    assert (np.diff(train) > 0).all()
    assert 0 < held_out.argmin() < len(alpha) - 1


def check_penalty(lines):
    _, train, held_out = np.array(sorted(map(numbers, lines[1:]))).T
    assert (np.diff(train) < 0).all() and train[-1] < 0.5
    assert held_out[0] > held_out[-1] + 20 and held_out[-1] > train[-1] + 10


def check_overfitting(lines):
    (over_few, over_many), (_, under_many) = (
        [numbers(line.partition("loss")[2]) for line in lines[at : at + 2]] for at in (0, 2)
    )
    assert over_many[0] > over_few[0] and over_many[1] < over_few[1]  # the losses approach
    assert over_many[1] > over_many[0] + 0.2  # and a gap is left
    assert under_many[1] < under_many[0] + 0.2 and under_many[0] > over_many[0]


def check_online_svm(lines):
    *heights, least = [numbers(line)[-1] for line in lines[1:]]
    assert heights == sorted(heights, reverse=True)
    assert 0 <= heights[-1] - least < 0.002


def check_first_steps(*changes):
    """What the first sentences change; the fourth line is that of the second step."""

    def check(lines):
        assert len(lines) == 12
        assert [part for part in changes if part not in "\n".join(lines[1:4:2])] == []

    return check


def check_em_steps(lines):
    heights = [numbers(line)[-1] for line in lines[:5]]
    assert heights == sorted(heights)
    p = {line[:27].strip(): numbers(line)[-1] for line in lines[5:]}
    assert p["a fine end"] > 0.8 and p["poor jokes and a poor end"] < 0.1


def check_word_order(lines):
    bags = [line.partition(":")[2] for line in lines[::2]]
    assert bags[0] == bags[1] == " {bites: 1, dog: 1, man: 1}, B(x) = 6"
    assert [numbers(line)[0] for line in lines[1::2]] == [6.0, 6.0]


def check_likelihood(lines):
    rows = np.array([numbers(line) for line in lines[1:]])
    assert rows[0, 1:5] == pytest.approx([0.6, 0.3, 0.1, 0])
    assert rows[1, 1:5] == pytest.approx(np.array([7, 4, 2, 1]) / 14, abs=1e-4)
    assert rows[2, 1:5] == pytest.approx([0.25] * 4, abs=1e-4)
    assert (rows[:, 5] < rows[:, 6]).all() and (rows[:2, 6] - rows[:2, 5] < 0.1).all()


def check_unfit(lines):
    for line in lines[1:]:
        joint, multiplied, factor = numbers(line[16:])
        assert factor > 10 and multiplied < joint / 10
    assert len(lines) == 11


def check_separability(lines):
    found = {line[:22].strip(): numbers(line[22:]) for line in lines[1:]}
    assert len(found) == 6
    inseparable = [name for name, (rho, _) in found.items() if rho == 0]
    assert [name.split() for name in inseparable] == [["XOR", "words"]]
    assert all((left > 0) == (rho == 0) for rho, left in found.values())


def check_subgradients(lines):
    least = [numbers(line)[1] for line in lines[2:]]
    assert [one == 0 for one in least] == [False, True, True, True, False]
    assert least[0] < -1 and least[-1] < -1


def check_counts_or_mistakes(lines):
    counted, copied, *mistakes = [numbers(line[26:]) for line in lines[1:]]
    assert copied[1] > counted[1] + 0.02 and counted[0] == copied[0]
    assert [row[-1] for row in mistakes] == [0, 0] and mistakes[0][0] < counted[0]


def check_bowl(lines):
    *best, bottom = numbers(lines[0])
    *lowest, height = numbers(lines[1].partition("points")[2])
    assert bottom < height < bottom + 0.02 and best == pytest.approx(lowest, abs=0.06)
    assert min(numbers(lines[2])) > 0


def check_moments(lines):
    counted, expected = np.array([numbers(line)[-2:] for line in lines[1:]]).T
    assert len(counted) == 8 and np.ptp(counted) > 5
    assert counted == pytest.approx(expected, abs=2e-3)
    _, weak = np.array([numbers(line)[-2:] for line in find_demo("moments")(C=0.1).lines[1:]]).T
    assert np.abs(counted - weak).max() > 1  # a penalty keeps the model from it


def check_gaussian_prior(lines):
    rows = np.array([numbers(line) for line in lines[1:]])
    assert rows[:, 0] * rows[:, 1] == pytest.approx(1) and (rows[:, 2] < 1e-6).all()


def check_armijo(lines):
    _, halved, eta, loss, unsafe = np.array([numbers(line) for line in lines[1:]]).T
    assert (halved > 0).all() and eta == pytest.approx(100 / 2**halved, abs=1e-4)
    assert (np.diff(loss, prepend=np.log(2)) < 0).all()
    assert unsafe[0] > np.log(2) and (unsafe > loss).all()


def check_tf_idf(lines):
    by_tf, by_both = (
        np.array([numbers(line[13:]) for line in lines[at : at + 5]]) for at in (3, 9)
    )
    n = numbers(lines[0].replace(",", ""))[0]
    for rows in (by_tf, by_both):
        assert rows[:, 2] == pytest.approx(np.log(n / rows[:, 1]), abs=1e-3)
    assert by_both[:, 2].mean() > 1.5 * by_tf[:, 2].mean()
    once, common, of_tokens = (numbers(line)[0] for line in lines[-3:])
    assert once > 30 and common < 1 < 10 < of_tokens


def check_centroids(lines):
    (_, _, by_tf), (_, _, by_both) = (numbers(line[9:]) for line in lines[1:])
    assert by_both > 1.2 * by_tf > 0.2


def check_dreadful(lines):
    weights = [numbers(line[20:])[0] for line in lines[1:]]
    assert len(weights) == 9 and min(weights) > 0.1
    praised = [numbers(line[20:])[0] for line in find_demo("dreadful")(word="wonderful").lines[1:]]
    assert max(praised) < 0


def check_union(lines):
    assert lines[0] == "1 feature(s): a weight outside in 0 of 100 pairs"
    assert numbers(lines[1])[1] > 10 and len(lines) == 3
    first, second, both = np.array(numbers(lines[2])).reshape(3, 3)
    assert ((both < np.minimum(first, second)) | (both > np.maximum(first, second))).any()


def check_ands(lines):
    n_common, kernel, product = (
        numbers(lines[0])[0],
        *(numbers(line.partition("=")[2])[0] for line in lines[1:]),
    )
    assert kernel == product == n_common**2 == 16


def check_lazy(lines):
    dense, lazy = (numbers(line.replace(",", ""))[0] for line in lines[:2])
    largest, difference = numbers(lines[2])
    assert dense > 50 * lazy and difference < 1e-12 < 0.1 < largest


def check_standardizing(lines):
    raw, same = (numbers(line) for line in lines[1:])
    assert raw[0] > 5 * same[0]
    for _, *weights in (raw, same):
        assert weights[:3] == pytest.approx(weights[3:], abs=0.01)


CHECKS = {
    "ands": check_ands,
    "lazy-penalty": check_lazy,
    "standardizing": check_standardizing,
    "word-order": check_word_order,
    "likelihood": check_likelihood,
    "unfit": check_unfit,
    "separability": check_separability,
    "subgradients": check_subgradients,
    "counts-or-mistakes": check_counts_or_mistakes,
    "bowl": check_bowl,
    "moments": check_moments,
    "gaussian-prior": check_gaussian_prior,
    "joint-features": check_says(
        "g(x) = [1, 0, 1]", "f(x, sport) = [1, 0, 1, 0, 0, 0]", "politics) = [0, 0, 0, 1, 0, 1]"
    ),
    "armijo": check_armijo,
    "tf-idf": check_tf_idf,
    "centroids": check_centroids,
    "dreadful": check_dreadful,
    "online-svm": check_online_svm,
    # By hand: "a great film with a great cast" has 2 + 2 + 1 + 1 + 1 words and the bias.
    "perceptron-steps": check_first_steps("great +0.00 to +4.00", "dull +0.00 to -4.00"),
    "averaged-steps": check_first_steps("great +0.00 to +4.00", "dull +0.00 to -2.00"),
    "mira-steps": check_first_steps("great +0.00 to +0.17", "dull +0.00 to -0.25"),
    "online-svm-steps": check_first_steps("great +0.00 to +40.00", "great +40.00 to +20.00"),
    "sgd-steps": check_first_steps("great +0.00 to +1.00"),
    "em-steps": check_em_steps,
    "bigrams": check_bigrams,
    "learners": check_learners,
    "unlabeled": check_unlabeled,
    "perceptron-bound": check_bound,
    "die": check_die,
    "error-parts": check_parts,
    "unknown-words": check_unknown,
    "entropy": check_entropy,
    "generate": check_generate,
    "gradients": check_gradients,
    "convexity": check_small,
    "safe-step": check_small,
    "shrinkage": check_shrinkage,
    "all-learners": check_all_learners,
    "label-propagation": check_propagation,
    "genetic-search": check_genetic,
    "gaussian-nb": check_equal(2),
    "averaging": check_equal(0),
    "regression": check_regression,
    "negation": check_says("didn't NOT_like NOT_it , but the end was good"),
    "bag-of-words": check_says("it        2", "best      1", "aardvark  0"),
    "hand-set": check_says("the bicycle    score -2.0  English", "la bicicleta   score  2.0  Span"),
    "spam-vectors": check_says("money       1 0", "language    0 1", "successful  1 1"),
    "word-properties": check_says("shape:MISSPELT       1", "shape:ALLCAPS        4", "diploma"),
    "lexicon": check_says("sum_negative  -5", "mean          -0.666667", "max           3"),
    "one-word": check_says("largest difference: 0.0e+00"),
    "one-feature": check_says("error 0.2750, formula 0.2750"),
    "prior": check_prior,
    "reference-class": check_says("10 vectors become 9; same predictions: True"),
    "union": check_union,
    "two-labels": check_says("step 5; formula 5", "step 51; formula 51", "step 501; formula 501"),
    "newton": check_says("1.414213562373095"),
    "kernels": check_says("5.290000 = 5.290000", "10.890000 = 10.890000", "16.000000 = 16.000000"),
    "softmax": check_says("[0.705 0.259 0.035]", "[0.731 0.269 0.   ]", "[0.333 0.333 0.333]"),
    "hinge": check_says("zero-one loss in 0 of 10,000"),
    "step-sizes": check_says("2 to 1.0772", "2 to 0.0000", "2 to 4.3178"),
    "losses": check_says("0         1       0.000   1.000     0.693"),
    "margins": check_says("smallest functional margin 1.0000"),
    "zipf": check_zipf,
    "information-gain": check_gain,
    "embeddings": check_says("socket    connection", "test      run"),
    "two-gaussians": check_two_gaussians,
    "perceptron-epochs": check_epochs,
    "separators": check_separators,
    "slack": check_slack,
    "neighbors": check_neighbors,
    "kmeans": check_kmeans,
    "lab": check_lab,
    "sigmoid": check_sigmoid,
    "descent": check_descent,
    "stochastic": check_stochastic,
    "optimizers": check_optimizers,
    "precision-recall": check_above(0.9),
    "roc": check_above(0.97),
    "smoothing": check_smoothing,
    "penalty": check_penalty,
    "overfitting": check_overfitting,
}
