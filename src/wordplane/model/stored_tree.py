"""The label tree of a model file, which may come from a stranger."""

from wordplane.common.errors import InputError
from wordplane.common.types import AnyArray, JsonObject
from wordplane.learners.support.tree_weights import ARRAYS, TreeWeights

PREFIX = "tree."
TREE_ARRAYS = {name: (dtype, 1) for name, dtype in ARRAYS.items()}  # and numbers of dimensions

Arrays = dict[str, AnyArray]


def tree_arrays(tree: TreeWeights) -> Arrays:
    """The arrays as they are stored."""
    return {PREFIX + name: array for name, array in tree.arrays.items()}


def take_tree_arrays(arrays: Arrays) -> Arrays:
    """The arrays of the tree, taken out of all arrays."""
    names = [name for name in arrays if name.startswith(PREFIX)]
    return {name.removeprefix(PREFIX): arrays.pop(name) for name in names}


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
