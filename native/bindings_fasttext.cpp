// Models of fastText as Python sees them; see bindings.cpp.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "bindings.h"
#include "features/fasttext.h"
#include "text/char_offsets.h"
#include "text/texts.h"
#include "text/vocabulary.h"

namespace wordplane {
namespace {

static_assert(sizeof(FastTextReader::Kept) == 2 * sizeof(std::int32_t));

void bind_matrix_of_rows(nb::module_& m) {
  nb::class_<FastTextMatrix>(m, "FastTextMatrix", "Rows of numbers, or product-quantized.")
      .def(
          "__init__",
          [](FastTextMatrix* self, Array2<const float> values) {
            new (self) FastTextMatrix(as_span(values), values.shape(1), keep_alive(values));
          },
          "values"_a)
      .def(
          "__init__",
          [](FastTextMatrix* self, Array2<const std::uint8_t> codes, Array1<const float> centroids,
             Array1<const std::uint8_t> norm_codes, Array1<const float> norms,
             std::size_t n_columns, std::size_t part) {
            const FastTextMatrix::Codes arrays{as_span(codes), as_span(centroids),
                                               as_span(norm_codes), as_span(norms)};
            new (self) FastTextMatrix(arrays, n_columns, part,
                                      keep_alive(codes, centroids, norm_codes, norms));
            require_size(self->n_rows(), codes.shape(0), "rows of codes");
          },
          "codes"_a, "centroids"_a, "norm_codes"_a, "norms"_a, "n_columns"_a, "part"_a,
          "A row is a centroid of 256 for each part of so many columns, times its norm.")
      .def_prop_ro(
          "shape",
          [](const FastTextMatrix& self) { return std::tuple(self.n_rows(), self.n_columns()); })
      .def(
          "take",
          [](const FastTextMatrix& self, Array1<const std::int64_t> rows) {
            std::vector<float> taken(rows.size() * self.n_columns());
            for (std::size_t i = 0; i < rows.size(); ++i) {
              const auto row = static_cast<std::size_t>(rows.data()[i]);
              require(row < self.n_rows(), "rows out of range");
              self.add(row, taken.data() + i * self.n_columns());
            }
            return to_numpy(std::move(taken), {rows.size(), self.n_columns()});
          },
          "rows"_a, "The numbers of these rows.");
}

FastTextReader make_reader(const Vocabulary& words, const std::vector<std::string_view>& labels,
                           const FastTextReader::Settings& settings,
                           std::span<const FastTextReader::Kept> kept, std::size_t n_rows) {
  require(words.n_ngrams() == 0 && words.n_features() == words.n_words(), "single words expected");
  std::vector<std::string> names(words.n_words());
  for (std::size_t column = 0; column < names.size(); ++column) names[column] = words.name(column);
  return FastTextReader({names.begin(), names.end()}, labels, settings, kept, n_rows);
}

void bind_model(nb::module_& m) {
  nb::class_<FastText>(m, "FastText", "Text in, outputs out; see native/features/fasttext.h.")
      .def(
          "__init__",
          [](FastText* self, const Vocabulary& words, const std::vector<std::string_view>& labels,
             std::size_t n_buckets, std::tuple<int, int> subwords, int word_ngrams,
             std::optional<Array2<const std::int32_t>> kept, const FastTextMatrix& input,
             const FastTextMatrix& output) {
            const auto [min_n, max_n] = subwords;
            std::span<const FastTextReader::Kept> pairs;
            if (kept) {
              require_size(kept->shape(1), 2, "columns of kept buckets");
              pairs = {reinterpret_cast<const FastTextReader::Kept*>(kept->data()), kept->shape(0)};
            }
            const FastTextReader::Settings settings{n_buckets, min_n, max_n, word_ngrams,
                                                    kept.has_value()};
            new (self) FastText(make_reader(words, labels, settings, pairs, input.n_rows()), input,
                                output);
          },
          "words"_a, "labels"_a, "n_buckets"_a, "subwords"_a, "word_ngrams"_a, "kept"_a.none(),
          "input"_a, "output"_a,
          "kept: the buckets that have a row and which, or None if all have. Checked when made.")
      .def(
          "outputs",
          [](const FastText& self, const Texts& texts, std::size_t begin, Array2<float> out,
             Threads threads) {
            require_size(out.shape(1), self.n_outputs(), "columns of outputs");
            nb::gil_scoped_release nogil;
            self.outputs(texts, begin, begin + out.shape(0), out.data(), threads);
          },
          "texts"_a, "begin"_a, "out"_a.noconvert(), "threads"_a,
          "Write the outputs of as many documents as `out` has rows, from `begin` on.")
      .def(
          "word_vectors",
          [](const FastText& self, std::size_t begin, Array2<float> out, Threads threads) {
            require_size(out.shape(1), self.n_columns(), "columns of vectors");
            nb::gil_scoped_release nogil;
            self.word_vectors(begin, begin + out.shape(0), out.data(), threads);
          },
          "begin"_a, "out"_a.noconvert(), "threads"_a,
          "Write the vectors of as many words as `out` has rows, from `begin` on.")
      .def(
          "places",
          [](const FastText& self, const Texts& texts, std::size_t row) {
            require(row < texts.size(), "no such document");
            const CharOffsets chars(texts[row]);
            nb::list names;
            std::vector<std::int64_t> rows, starts, ends;
            for (const auto& place : self.reader().places(texts[row])) {
              names.append(to_str(place.name));
              rows.push_back(static_cast<std::int64_t>(place.row));
              starts.push_back(chars(place.span.begin));
              ends.push_back(chars(place.span.end));
            }
            return nb::make_tuple(names, to_numpy(std::move(rows)), to_numpy(std::move(starts)),
                                  to_numpy(std::move(ends)));
          },
          nb::sig("def places(self, texts: Texts, row: int) -> tuple[list[str], "
                  "NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.int64]]"),
          "texts"_a, "row"_a,
          "What the rows of the input stand for in a document: names, rows, first characters, "
          "ends.");
}

}  // namespace

void bind_fasttext(nb::module_& m) {
  bind_matrix_of_rows(m);
  bind_model(m);
}

}  // namespace wordplane
