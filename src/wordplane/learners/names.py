"""The names of learners, and where their classes are: what is known before any is imported."""

RECIPE = "recipe"  # on the command line, for the analyzer and the learner that suit the texts
# The names on the command line: the `name` of each class, and where the class is.
LEARNERS = {
    "nb": "naive_bayes.MultinomialNB",
    "bernoulli": "bernoulli_nb.BernoulliNB",
    "complement": "complement_nb.ComplementNB",
    "perceptron": "perceptron.Perceptron",
    "mira": "mira.MIRA",
    "onlinesvm": "online_svm.OnlineSVM",
    "onlinelogistic": "online_logistic.OnlineLogistic",
    "svm": "svm.LinearSVM",
    "logistic": "logistic.LogisticRegression",
    "ordinal": "ordinal.OrdinalLogistic",
    "nbsvm": "nbsvm.NBSVM",
    "ridge": "least_squares.RidgeClassifier",
    "em": "em.EMNaiveBayes",
    "tree": "label_tree.LabelTree",
}
# Those that are taught one label only: for `train`, as there is nothing to compare or tune by.
ONE_LABEL_LEARNERS = {
    "pu": "positive_unlabeled.PositiveUnlabeled",
    "oneclass": "one_class_svm.OneClassSVM",
}
# The learners that take the place of others if there are texts without labels too.
WITH_UNLABELED = {"nb": "em"}
# Names in model files only: made of other learners, or not meant for texts.
FURTHER_LEARNERS = {
    "bagging": "ensemble.Bagging",
    "chain": "support.chain.ClassifierChain",
    "ensemble": "ensemble.Ensemble",
    "gaussian": "gaussian_nb.GaussianNB",
    "one_vs_rest": "support.one_vs_rest.OneVsRest",
    "majority": "baselines.MajorityBaseline",
    "random": "baselines.RandomBaseline",
    "self_training": "self_training.SelfTraining",
}
# Names that a user may try, of classifiers that make no text model.
NO_TEXT_MODEL = {
    "knn": "neighbors.KNeighbors",
    "neighbors": "neighbors.KNeighbors",
    "kernel": "kernel_svm.KernelSVM",
}
