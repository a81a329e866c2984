"""Where the demos come from, and what to look at in each.

The places are those of the five documents: a chapter on linear text classification, notes on more
text classification, a lab on classification, slides on text classification with mostly linear
models, and a review of machine learning for text classification.
"""

from typing import NamedTuple


class Entry(NamedTuple):
    """The place of a demo in the documents, and a sentence about what to look at."""

    place: str
    look: str


GUIDE = {
    "bag-of-words": Entry(
        "chapter, figure 2.1; review, sparse bag of words",
        "the counts stand in the slot of the class, and all other slots are 0",
    ),
    "hand-set": Entry(
        "chapter, section 2.1", "weights need not be learned: two word lists are a classifier"
    ),
    "spam-vectors": Entry(
        "slides, two mails as vectors", "both mails have the same columns, in the same order"
    ),
    "word-properties": Entry(
        "review, sparse word properties", "a feature need not be a word: how it is written counts"
    ),
    "negation": Entry("slides, words after a negation", "the mark ends at the comma"),
    "lexicon": Entry("slides, lexicon features", "a few numbers say what thousands of words would"),
    "zipf": Entry("review, Zipf's law", "on logarithmic axes, the counts fall along a line"),
    "information-gain": Entry(
        "slides, words selected by information gain",
        "the best words are likely in one class and rare in the other",
    ),
    "embeddings": Entry(
        "slides, word embeddings in two dimensions, and closest words",
        "words of the same group are near each other, though no labels were used",
    ),
    "two-gaussians": Entry(
        "lab, figures 1.1 and 1.2", "even the best line leaves some points on the wrong side"
    ),
    "gaussian-nb": Entry(
        "lab, exercises 1.1 and 1.3", "the formula gives the very weights of the learner"
    ),
    "perceptron-epochs": Entry(
        "chapter, algorithm 3; notes, section 2.2.2; lab, exercise 1.4",
        "the mistakes do not end, so the line of the last weights jumps from epoch to epoch",
    ),
    "all-learners": Entry(
        "lab, exercise 1.8",
        "which learner loses least depends on the world more than on the learner",
    ),
    "margins": Entry(
        "chapter, figure 2.3; slides, the maximum margin, and support vectors",
        "only the points on the edges of the street hold it in place",
    ),
    "separators": Entry(
        "chapter, figure 2.3; slides, linear separators",
        "many lines separate the points; the bold one is farthest from them",
    ),
    "slack": Entry(
        "slides, the relaxed problem", "slack is measured from the tangent of a point's own class"
    ),
    "neighbors": Entry(
        "slides, k nearest neighbors",
        "with k = 1 training is perfect, and new points are not; a larger k smooths the border",
    ),
    "kmeans": Entry("slides, clustering with k-means", "the centers move less in every round"),
    "kernels": Entry(
        "slides, a transformation that makes classes separable, and three kernels",
        "the circle in the plane is where a plane cuts the space of the feature map",
    ),
    "lab": Entry(
        "lab, exercises 1.2, 1.5, 1.6 and 1.7",
        "a small lambda fits the training points best, and not the others",
    ),
    "generate": Entry(
        "chapter, algorithms 1 and 2", "the words are right and the order is not: it has none"
    ),
    "die": Entry(
        "lab, section 1.5.1", "within what is known, all faces are equally likely: nothing else is"
    ),
    "entropy": Entry(
        "chapter, section 2.7.2",
        "beyond some C the model grows surer, and its loss on new texts grows too",
    ),
    "unknown-words": Entry(
        "notes, question 7", "without smoothing, a word that is unknown rules out every class"
    ),
    "losses": Entry(
        "chapter, figure 2.2",
        "the hinge losses are nowhere below the step, and all but the step are convex",
    ),
    "sigmoid": Entry(
        "slides, the sigmoid; review, the logistic sigmoid", "a score of 0 is a probability of 1/2"
    ),
    "softmax": Entry(
        "slides, scores per class; review, softmax and argmax",
        "scores of 800 do not overflow: only differences count",
    ),
    "hinge": Entry("review, hinge and argmax", "the hinge is nowhere below the step"),
    "regression": Entry(
        "slides, linear regression, and its closed form", "both ways find the same line"
    ),
    "descent": Entry(
        "slides, the search space of the squared error, and batch gradient descent",
        "every step goes straight down, across the contours",
    ),
    "bowl": Entry(
        "slides, the search space of the squared error", "one bottom, and the sides rise everywhere"
    ),
    "stochastic": Entry(
        "chapter, algorithm 5; slides, stochastic gradient descent; review, SGD",
        "the path staggers, and one pass over the points brings it near the minimum",
    ),
    "step-sizes": Entry(
        "notes, question 6", "steps that are too large leap over the minimum, and away from it"
    ),
    "newton": Entry(
        "slides, the Newton-Raphson method", "the number of right digits doubles with every step"
    ),
    "optimizers": Entry(
        "notes, section 2.3.2; lab, exercise 1.6",
        "stochastic methods lead in the first passes, L-BFGS at the end",
    ),
    "gradients": Entry(
        "review, gradients of softmax, cross-entropy and hinge",
        "all differences are rounding errors",
    ),
    "precision-recall": Entry(
        "slides, precision-recall diagram", "precision falls where recall is bought with mistakes"
    ),
    "roc": Entry("slides, ROC curve", "the area is the share of pairs that are ranked right"),
    "smoothing": Entry(
        "chapter, section 2.2.4; review, Laplace smoothing",
        "the error on held-out texts is smallest between no smoothing and too much",
    ),
    "penalty": Entry(
        "chapter, section 2.2.4",
        "training errors fall as the penalty does; those of others rise again",
    ),
    "overfitting": Entry(
        "slides, diagnostics",
        "overfitting leaves a gap between the curves; underfitting closes it, too high up",
    ),
    "bigrams": Entry("notes, table of section 2.3.4", "what bigrams add depends on the learner"),
    "learners": Entry(
        "chapter, section 2.8; notes, sections 2.3.4 and 2.4; slides, words after a negation",
        "no word tells 'not clean' from 'clean': bigrams do, and NOT_ does also at a distance",
    ),
    "unlabeled": Entry(
        "slides, semi-supervised naive Bayes",
        "unlabeled texts add ten points, or nothing, if EM finds other classes than ours",
    ),
    "perceptron-bound": Entry(
        "chapter, section 2.3.1", "the narrower the gap, the more mistakes, never above the bound"
    ),
    "error-parts": Entry(
        "slides, generalization error in parts",
        "lines have an error that no data cures; cubics need more data",
    ),
    "online-svm": Entry(
        "chapter, section 2.4.1; notes, section 2.4",
        "the mean of the weights comes near the minimum, though no step is one down",
    ),
    "perceptron-steps": Entry(
        "chapter, algorithm 3", "only a mistake changes weights, and only those of its words"
    ),
    "averaged-steps": Entry(
        "chapter, algorithm 4", "the mean moves less and less, also where theta jumps"
    ),
    "mira-steps": Entry(
        "lab, exercise 1.5",
        "after a step, the sentence has a margin of 1 if C allows it",
    ),
    "online-svm-steps": Entry(
        "chapter, section 2.4.1", "the first steps are huge, later ones fall as 1 / t"
    ),
    "sgd-steps": Entry(
        "chapter, algorithm 5", "a sentence that is right but not sure teaches, too"
    ),
    "em-steps": Entry(
        "slides, semi-supervised classification with EM",
        "words that no labeled sentence has, such as poor, get a class from their company",
    ),
    "label-propagation": Entry(
        "slides, label propagation", "six words are enough to find the words of either side"
    ),
    "genetic-search": Entry(
        "slides, search for feature subsets", "half of the words do better than all of them"
    ),
    "one-word": Entry("chapter, exercise 1", "the difference is a rounding error, or none"),
    "one-feature": Entry("chapter, exercise 2", "the error is that of the formula"),
    "prior": Entry(
        "chapter, exercise 3; review, maximum likelihood of a categorical distribution",
        "chance comes near the formula, and not beyond it",
    ),
    "reference-class": Entry("chapter, exercise 4", "a weight vector less changes no prediction"),
    "union": Entry(
        "chapter, exercise 5",
        "for one feature never outside, for three often: correlations do that",
    ),
    "shrinkage": Entry(
        "chapter, exercise 6", "the length of the weights falls as the penalty grows"
    ),
    "averaging": Entry(
        "chapter, algorithm 4 and exercise 7; notes, question 5",
        "the mean of all weights costs no more than the updates",
    ),
    "two-labels": Entry("chapter, exercise 8", "the step at which it stops is that of the formula"),
    "convexity": Entry("chapter, exercise 9", "nowhere is the loss above its chord"),
    "safe-step": Entry("chapter, exercise 10", "no step descends less than promised"),
    "word-order": Entry(
        "chapter, section 2.2.1", "both sentences have the same bag, so no weights tell them apart"
    ),
    "likelihood": Entry(
        "chapter, section 2.2.3, and section 2.2.4",
        "no random phi is likelier than the counts say, and much smoothing makes all words equal",
    ),
    "unfit": Entry(
        "chapter, section 2.3", "the word implies its prefix, and naive Bayes multiplies both"
    ),
    "separability": Entry(
        "chapter, section 2.3.1", "XOR has no margin above 0, and the AND of its words gives it one"
    ),
    "subgradients": Entry(
        "chapter, section 2.4", "any mix of both gradients stays below the loss, and nothing beyond"
    ),
    "counts-or-mistakes": Entry(
        "chapter, section 2.4",
        "copied words make naive Bayes surer, and leave the perceptron alone",
    ),
    "moments": Entry(
        "chapter, section 2.7.2", "without a penalty, the model expects what was counted"
    ),
    "gaussian-prior": Entry(
        "chapter, section 2.5.1", "at the learner's weights the posterior is flat: lambda is 1 / C"
    ),
    "joint-features": Entry(
        "lab, equation 1.12 to 1.17", "f(x, y) holds g(x) in the slot of y, and zeros elsewhere"
    ),
    "armijo": Entry(
        "lab, algorithm 4", "the first step would raise the loss; halved, every step lowers it"
    ),
    "tf-idf": Entry(
        "slides, TF-IDF", "words such as 'the' come first by TF, and names of things by TF-IDF"
    ),
    "centroids": Entry(
        "slides, centroids of word embeddings", "with IDF, texts of one package stand out more"
    ),
    "dreadful": Entry(
        "review, interpreting linear models", "the word speaks for bad, whichever learner is asked"
    ),
    "ands": Entry(
        "slides, three kernels and their feature maps",
        "the kernel has the value of the long vectors of ANDs, and nobody built them",
    ),
    "lazy-penalty": Entry(
        "chapter, section 2.6.2", "the weights are the same, and few of them are ever touched"
    ),
    "standardizing": Entry(
        "slides, batch gradient descent",
        "the same scale saves steps, and the start does not matter",
    ),
}
