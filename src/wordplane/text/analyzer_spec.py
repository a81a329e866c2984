"""What an analyzer asks for, checked once: five parts, and whether they go together.

A specification is made by `Analyzer.resolve` and does not change. Whatever is built from an
analyzer (features, matrices, model files) takes the specification; nothing is checked again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Self

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.frozen import frozen
from wordplane.text.column_spec import ColumnSpec
from wordplane.text.fields import name_of_field, parse_part
from wordplane.text.selection_spec import SelectionSpec
from wordplane.text.token_spec import WORD_TOKENS, TokenSpec
from wordplane.text.weighting_spec import WeightingSpec
from wordplane.text.word_feature_spec import WordFeatureSpec

if TYPE_CHECKING:  # the options of the command line are made without NumPy
    from wordplane.common.types import JsonObject
    from wordplane.text.documents import Documents

OF_WORDS = ("negation", "prefixes", "suffixes", "shapes", "lengths", "known_words")
# With hashing, a feature has no column of its own that could be left out or paired.
BY_COLUMN = {"min_df": 1, "max_df": 1.0, "max_features": None, "select": None, "conjoin": None}
# What is written only if it is set, and its value if it is not.
OPTIONAL: dict[str, object] = {
    "strip_accents": False,
    "normalize": (),
    "forbid": (),
    "stop_words": (),
    "stem": None,
    "embeddings": {},
    "fields": {},
    "select": None,
    "conjoin": None,
    "hash_bits": None,
}


@frozen
class AnalyzerSpec:
    """The parameters of an `Analyzer`, as they were given and as five checked parts."""

    given: Mapping[str, object]
    tokens: TokenSpec
    word_features: WordFeatureSpec
    columns: ColumnSpec
    selection: SelectionSpec
    weighting: WeightingSpec

    @classmethod
    def of(cls, given: Mapping[str, object]) -> Self:
        """That of an analyzer with these parameters; an InputError if one is wrong, or if two do
        not go together."""
        spec = cls(
            given=given,
            tokens=TokenSpec.of(given),
            word_features=WordFeatureSpec.of(given),
            columns=ColumnSpec.of(given),
            selection=SelectionSpec.of(given),
            weighting=WeightingSpec.of(given),
        )
        spec._check_together()
        return spec

    def with_stems(self, stems: dict[str, str]) -> Self:
        """The same with these words and their stems."""
        given, tokens = {**self.given, "stem": stems}, replace(self.tokens, stem=stems)
        return replace(self, given=given, tokens=tokens)

    @property
    def learns_from_labels(self) -> bool:
        """Whether features are chosen, paired or weighted by the labels of texts."""
        selection = self.selection
        chooses = selection.select is not None or selection.conjoin is not None
        return chooses or self.weighting.idf == "delta"

    def mask(self, documents: Documents) -> Documents:
        """The documents with spaces in place of forbidden words: what all features are made of.

        >>> from wordplane import Analyzer
        >>> from wordplane.text.documents import as_documents
        >>> spec = Analyzer(forbid=["smith"]).resolve()
        >>> list(spec.mask(as_documents(["a film by Smith"], {})).texts)
        ['a film by      ']
        """
        from wordplane.text.documents import join_fields

        if not self.tokens.forbid:
            return documents
        if not documents.fields:
            return replace(documents, texts=self._mask_texts(documents.texts))
        fields = {name: self._mask_texts(t, name) for name, t in documents.fields.items()}
        return replace(documents, texts=join_fields(fields), fields=fields)

    def _mask_texts(self, texts: _core.Texts, field: str | None = None) -> _core.Texts:
        """Texts without the words that are forbidden in them."""
        words = self.tokens.forbid
        if field is not None:
            others = tuple(f"{name}:" for name in self.columns.fields if name != field)
            own = [word for word in words if not word.startswith(others)]
            words = tuple(word.removeprefix(f"{field}:") for word in own)
        return self.tokens.mask_of(words).texts(texts) if words else texts

    def analyses(self) -> dict[str, _core.Analysis | _core.TokenFeatures]:
        """The parts that count, for the core: words, characters, features of single tokens; with
        fields, those of each field."""
        parts = self._text_analyses()
        of_fields = {
            name_of_field(field, part): one
            for field in range(len(self.columns.fields))
            for part, one in parts.items()
        }
        return of_fields or parts

    def group_weight(self, group: str) -> float:
        """What the values of a group are multiplied by; with fields, also by the weight of its
        own."""
        field, kind = parse_part(group)
        weight = self.weighting.group_weight(kind)
        return weight if field is None else weight * list(self.columns.fields.values())[field]

    def to_dict(self) -> JsonObject:
        """The parameters as JSON can hold them; of the embeddings, only their names."""
        values = self._values()
        written = {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in values.items()
            if name not in OPTIONAL or value != OPTIONAL[name]
        }
        for name in ("triggers", "lexica", "columns", "weights"):
            written[name] = written[name] or None
        if self.columns.embeddings:
            written["embeddings"] = list(self.columns.embeddings)
        if self.selection.select is not None:
            written["select"] = "{}:{}".format(*self.selection.select)
        return written

    def _values(self) -> JsonObject:
        """The checked parameters by name, in the order of the analyzer's."""
        parts = (self.tokens, self.word_features, self.columns, self.selection, self.weighting)
        return {name: value for part in parts for name, value in vars(part).items()}

    def _text_analyses(self) -> dict[str, _core.Analysis | _core.TokenFeatures]:
        parts: dict[str, _core.Analysis | _core.TokenFeatures] = {}
        chars = self.word_features.chars
        if self.tokens.ngrams is not None:
            parts["words"] = self.tokens.word_analysis()
        if chars is not None and self.word_features.chars_across:
            parts["chars"] = self.tokens.char_analysis(chars)
        of_tokens = self.word_features.token_features(
            spaced=self.tokens.tokens == "spaced", folding=self.tokens.folding()
        )
        if of_tokens is not None:
            parts["tokens"] = of_tokens
        return parts

    def _check_together(self) -> None:
        values, tokens = self._values(), self.tokens.tokens
        of_words = [name for name in OF_WORDS if values[name]]
        if tokens not in WORD_TOKENS and of_words:
            raise InputError(
                f"`tokens` is {tokens!r}, but `{of_words[0]}` needs 'words': leave out either"
            )
        if tokens == "counts":
            self._check_counts(values)
        if self.selection.hash_bits is not None:
            self._check_hashing(values)
        if self.columns.fields:
            self._check_fields()

    def _check_counts(self, values: JsonObject) -> None:
        ngrams = self.tokens.ngrams
        if ngrams is None or ngrams[1] > 1 or self.tokens.boundaries:
            raise InputError(
                "word:count texts have no order of words; use `ngrams=(1, 1)` without `boundaries`"
            )
        if any(values[name] for name in (*OF_WORDS, "chars", "triggers", "normalize")):
            raise InputError(
                "word:count texts have words only; leave out `negation`, `chars`, `prefixes`, "
                "`suffixes`, `shapes`, `lengths`, `known_words`, `triggers` and `normalize`"
            )

    def _check_hashing(self, values: JsonObject) -> None:
        for name, usual in BY_COLUMN.items():
            if values[name] != usual:
                raise InputError(
                    f"`hash_bits` leaves no feature a column of its own: leave out `{name}`"
                )
        for name in (*OF_WORDS, "triggers"):
            if values[name] and name != "negation":
                raise InputError(f"`hash_bits` is for words and characters: leave out `{name}`")

    def _check_fields(self) -> None:
        if self.selection.hash_bits is not None:
            raise InputError("`hash_bits` cannot keep `fields` apart: leave out either")
        if self.weighting.tf == "relative":
            raise InputError("`tf` 'relative' is for one text, not for `fields`: leave out either")
        for name in self.columns.fields:
            if name in self.columns.columns:
                raise InputError(
                    f"the column {name!r} is in `fields` and in `columns`, expected once"
                )
