"""The sign test (McNemar's): is one classifier better than another, or was it luck?

Of the texts that only one of two classifiers gets right, each is a coin toss if they are equally
good. p is the probability that tosses are as one-sided as these, or more.
"""

from math import comb


def sign_test(only_a: int, only_b: int) -> float:
    """The two-sided p-value, exact.

    >>> sign_test(5, 0)  # 2 / 2^5
    0.0625
    """
    n = only_a + only_b
    if only_a == only_b:
        return 1.0
    tail = sum(comb(n, k) for k in range(max(only_a, only_b), n + 1))
    return tail / 2.0 ** (n - 1)
