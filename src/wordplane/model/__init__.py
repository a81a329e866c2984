"""TextClassifier, the fitted model behind it, and the file that it is saved in."""
