"""The checks of scikit-learn that online learners are expected to fail, and why."""

# Rows are taken one after the other, and the weight of a row multiplies its step: a row of weight
# 2 is one step of double length, two equal rows are two steps, in other places of the order.
STEPS = "in online learners weights multiply the step"


EXPECTED = {
    "check_sample_weight_equivalence_on_dense_data": STEPS,
    "check_sample_weight_equivalence_on_sparse_data": STEPS,
}


# That check gives class 0 the weight 1,000 and the others 0.0001, and wants 87 % of rows from
# overlapping clouds to be called 0. The perceptron gets all training rows of class 0 right, and
# then has nothing more to learn from them: 86 %. The SVM's steps, 1,000 times too long, take longer
# to average out than the check allows.
HEAVY = {"check_class_weight_classifiers": "weights of 10 million to 1, and too few epochs"}
