"""One page about a model: how good it is, why, and what to do next."""
