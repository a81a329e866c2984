"""Three ways to count features: by the core, inside words, and in Python.

core          what the core finds itself: words, n-grams, features of tokens, known features
inside_words  characters inside words, found once per distinct word
python        what functions of Python find
"""
