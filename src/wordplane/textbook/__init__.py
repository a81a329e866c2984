"""The algorithms of a textbook chapter on linear text classification, one short file each.

They are written to be read and changed: plain Python, the chapter's names (x, y, theta, f, phi, mu,
alpha, lambda, eta, C), dictionaries instead of arrays, and no concern for speed. The learners of
Wordplane compute the same numbers, which the tests check to 1e-9; use the learners for real texts.

>>> from wordplane.textbook.bag_of_words import bag_of_words, predict
>>> from wordplane.textbook.perceptron import perceptron
>>> data = [(bag_of_words("good film"), "+"), (bag_of_words("bad film"), "-")]
>>> predict(perceptron(data), bag_of_words("a good story"), ["+", "-"])
'+'
"""
