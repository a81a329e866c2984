"""Models inside other programs: MLflow, spaCy. Each module needs its library."""
