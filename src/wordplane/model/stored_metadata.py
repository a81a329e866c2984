"""The entries of the metadata of a model file, which may come from a stranger."""

from types import NoneType

from wordplane.common.errors import InputError

# With their types; those that only some models have.
METADATA: dict[str, type | tuple[type, ...]] = {
    "kind": str,
    "wordplane": str,
    "unicode": str,
    "analyzer": dict,
    "groups": list,
    "categories": dict,
    "classes": dict,
    "calibration": (dict, NoneType),
    "training": dict,
    "golden": dict,
}
OPTIONAL: dict[str, type | tuple[type, ...]] = {
    "chain": list,
    "learner": dict,
    "tree": dict,
    "vectors": dict,
    "embeddings": list,
    "fasttext": dict,
    "reference": dict,
}


def require(holds: bool, what: str) -> None:
    """Raise an InputError that says what is wrong, unless it holds."""
    if not holds:
        raise InputError(what)


def check_metadata(metadata: object) -> None:
    """Raise an InputError unless it has the entries of a model, of the right types."""
    if not isinstance(metadata, dict):
        raise InputError("metadata is missing")
    found, known = set(metadata), set(METADATA) | set(OPTIONAL)
    require(found >= set(METADATA), f"without {', '.join(sorted(set(METADATA) - found))}")
    require(found <= known, f"with {', '.join(sorted(found - known))}, which is not known")
    for name, kinds in {**METADATA, **OPTIONAL}.items():
        right = name not in metadata or isinstance(metadata[name], kinds)
        require(right, f"{name} is {metadata.get(name)!r:.60}")
    kind = metadata["kind"]
    require(kind in ("linear", "tree", "fasttext"), f"a model of the unknown kind {kind!r}")
