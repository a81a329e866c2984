"""Why some checks of scikit-learn are expected to fail for support vector machines."""

TO_THE_LAST_BIT = (
    "wants scores equal to 1e-9, closer than any duality gap can promise; "
    "test_weights_are_repeated_rows tests the same as far as the gap goes"
)
