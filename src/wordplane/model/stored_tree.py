"""The label tree of a model file, which may come from a stranger."""

from wordplane.common.errors import InputError
from wordplane.common.types import JsonObject
from wordplane.learners.support.tree_weights import ARRAYS, TreeWeights
from wordplane.model.stored_parts import Arrays

PREFIX = "tree."
TREE_ARRAYS = {name: (dtype, 1) for name, dtype in ARRAYS.items()}  # and numbers of dimensions


def read_tree(
    metadata: JsonObject, arrays: Arrays, n_labels: int, n_features: int
) -> TreeWeights | None:
    """The tree, None of a linear model; sizes, indices and that all ways lead down are checked."""
    described = metadata.get("tree")
    if metadata["kind"] != "tree":
        if arrays:
            raise InputError("a label tree in a linear model")
        return None
    if not isinstance(described, dict) or set(described) != {"beam"}:
        raise InputError("the beam of the label tree is expected")
    return TreeWeights(n_labels, n_features, arrays, described["beam"])
