"""What every part of the package needs: errors, estimators, labels, matrices, files, threads."""
