"""Features and values at once, where a test looks at both."""

from wordplane.features.text_features import fit_texts


def fitted_features(analyzer, documents, threads):
    fitted = fit_texts(analyzer, documents, threads)
    return fitted.features(), fitted.X
