"""One file per learner: a matrix and labels in, weights out.

>>> from wordplane.learners import LinearSVM
>>> LinearSVM().fit([[1, 0], [0, 1]], ["a", "b"]).predict([[2, 0]])
array(['a'], dtype='<U1')

A class is loaded when it is first used, so that the command line stays quick.
"""

from wordplane.common.lazy_names import lazy_names

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "approximate_neighbors": "ApproximateNeighbors",
        "baselines": "MajorityBaseline RandomBaseline",
        "bernoulli_nb": "BernoulliNB",
        "complement_nb": "ComplementNB",
        "em": "EMNaiveBayes",
        "ensemble": "Bagging Ensemble",
        "gaussian_nb": "GaussianNB",
        "hand_set": "HandSetWeights",
        "joint": "JointLinearClassifier",
        "kernel_svm": "KernelSVM",
        "kmeans": "KMeans",
        "label_tree": "LabelTree",
        "least_squares": "LeastSquares RidgeClassifier",
        "lexicon_voting": "LexiconVoting",
        "linear_regressor": "LinearRegressor",
        "logistic": "LogisticRegression",
        "mira": "MIRA",
        "naive_bayes": "MultinomialNB",
        "nbsvm": "NBSVM",
        "neighbors": "KNeighbors KNeighborsRegressor",
        "one_class_svm": "OneClassSVM",
        "online_logistic": "OnlineLogistic",
        "online_svm": "OnlineSVM",
        "ordinal": "OrdinalLogistic",
        "perceptron": "Perceptron",
        "positive_unlabeled": "PositiveUnlabeled",
        "self_training": "SelfTraining",
        "svm": "LinearSVM",
    },
)
