"""What counts become: the part of an analyzer's specification about the weights of features."""

from collections.abc import Mapping
from typing import Self, cast

from wordplane.common.errors import InputError
from wordplane.common.frozen import frozen
from wordplane.text.checks import check_choice, check_mapping, check_number

TFS = ("count", "binary", "relative", "log1p", "log")
IDFS = (None, "smooth", "exact", "delta")
NORMS = (None, "l1", "l2")
IN_PIPELINES = (("tf", "bm25"), ("idf", "bm25"), ("idf", "igm"))
COUNTED_GROUPS = ("word", "char", "length", "prefix", "shape", "suffix", "trigger")
WEIGHTED_GROUPS = (*COUNTED_GROUPS, "embedding", "vector", "and")


@frozen
class WeightingSpec:
    """The parameters of an `Analyzer` that weight features, checked."""

    tf: str
    idf: str | None
    norm: str | None
    weights: dict[str, float]

    @classmethod
    def of(cls, given: Mapping[str, object]) -> Self:
        """Those of an analyzer with these parameters; an InputError if one is wrong."""
        for name, choices in (("tf", TFS), ("idf", IDFS), ("norm", NORMS)):
            if (name, given[name]) in IN_PIPELINES:
                raise InputError(
                    f"{name} is {given[name]!r}, which a model file cannot hold: use "
                    f"Weighting({name}={given[name]!r}) after CountVectorizer in a pipeline"
                )
            check_choice(name, given[name], choices)
        weights = check_mapping("weights", given["weights"], "groups of features to numbers")
        for name in weights:
            if name not in WEIGHTED_GROUPS:
                raise InputError(
                    f"weights has the group {name!r}, expected one of {', '.join(WEIGHTED_GROUPS)}"
                )
        return cls(
            tf=cast(str, given["tf"]),
            idf=cast(str | None, given["idf"]),
            norm=cast(str | None, given["norm"]),
            weights={
                name: check_number(f"the weight of {name}", weight)
                for name, weight in weights.items()
            },
        )

    def group_weight(self, group: str) -> float:
        """The weight of a group of features, 1 unless it was given."""
        return self.weights.get(group, 1.0)
