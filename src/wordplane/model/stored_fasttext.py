"""What a model file has of fastText, which may come from a stranger."""

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.types import JsonObject, LabelArray
from wordplane.features.text_features import TextFeatures
from wordplane.learners.support.fasttext_weights import ARRAYS as ARRAYS
from wordplane.learners.support.fasttext_weights import FastTextSettings, FastTextWeights
from wordplane.model.stored_parts import Arrays

PREFIX = "fasttext."


def read_weights(
    metadata: JsonObject, arrays: Arrays, classes: LabelArray, features: TextFeatures
) -> FastTextWeights | None:
    """The matrices, None of another model; sizes, indices and settings are checked."""
    if metadata["kind"] != "fasttext":
        if arrays or "fasttext" in metadata:
            raise InputError("parts of fastText in another model")
        return None
    settings = FastTextSettings.from_dict(metadata.get("fasttext"))
    words = features.vocabularies.get("words")
    if classes.dtype.kind != "U" or not isinstance(words, _core.Vocabulary):
        raise InputError("words and labels of fastText are expected")
    if features.n_features != words.n_features:
        raise InputError("features that fastText does not have")
    return FastTextWeights(words, classes.tolist(), settings, arrays)
