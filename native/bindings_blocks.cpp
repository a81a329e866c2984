// Texts in blocks as Python sees them; see bindings.cpp.
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <type_traits>

#include "bindings.h"
#include "features/text_blocks.h"

namespace wordplane {
namespace {

using Bytes = Array1<const std::uint8_t>;
using Ends = Array1<const std::int64_t>;

WordList word_list(const Bytes& bytes, const Ends& ends) {
  const WordList words{{reinterpret_cast<const char*>(bytes.data()), bytes.size()}, as_span(ends)};
  words.check();
  return words;
}

// Pairs of numbers as the rows of an array, and back.
template <class T>
NumPy<T> pairs_to_numpy(std::vector<std::array<T, 2>> pairs) {
  using Pairs = std::vector<std::array<T, 2>>;
  auto* held = new Pairs(std::move(pairs));
  nb::capsule owner(held, [](void* p) noexcept { delete static_cast<Pairs*>(p); });
  return NumPy<T>(held->data(), {held->size(), 2}, owner);
}
template <class T>
std::span<const std::array<T, 2>> as_pairs(const Array2<const T>& array) {
  require_size(array.shape(1), 2, "columns of frequencies");
  static_assert(sizeof(std::array<T, 2>) == 2 * sizeof(T));
  return {reinterpret_cast<const std::array<T, 2>*>(array.data()), array.shape(0)};
}

auto words_to_arrays(OwnedWords words) {
  return std::tuple(to_numpy(std::move(words.bytes)), to_numpy(std::move(words.ends)));
}

template <class Features>
void bind_cut(nb::module_& m) {
  m.def(
      "cut_words",
      [](const Features& analysis, const Texts& texts, std::size_t begin, std::size_t end,
         std::size_t first_row) {
        CutTexts cut;
        {
          nb::gil_scoped_release nogil;
          cut = cut_words(analysis, texts, begin, end, first_row);
        }
        return std::tuple(
            words_to_arrays(std::move(cut.words)),
            to_arrays(std::move(cut.doc_ends), std::move(cut.tokens), std::move(cut.times)));
      },
      "analysis"_a, "texts"_a, "begin"_a, "end"_a, "first_row"_a,
      "The texts begin .. end-1 as words: bytes and ends of the sorted words; ends of the texts, "
      "numbers of their words, and how often each counts (nothing: once).");
}

// A block of texts: the arrays are kept alive.
struct TokenBlock {
  Ends doc_ends;
  Array1<const std::uint32_t> tokens, times;
  std::size_t n_words;

  TokensView view() const { return {as_span(doc_ends), as_span(tokens), as_span(times)}; }
};

using Indices = std::vector<const NgramIndex*>;

void check_words(const TokenBlock& block, const Array1<const std::uint32_t>& word_of,
                 const Indices& levels) {
  require_size(word_of.size(), block.n_words, "numbers of words");
  require_all(levels, "a level is None, expected an NgramIndex");
}

void bind_token_block(nb::module_& m) {
  nb::class_<TokenBlock>(m, "TokenBlock", "The texts of a block as numbers of its words.")
      .def(
          "__init__",
          [](TokenBlock* self, Ends doc_ends, Array1<const std::uint32_t> tokens,
             Array1<const std::uint32_t> times, std::size_t n_words) {
            TokenBlock made{doc_ends, tokens, times, n_words};
            made.view().check(n_words);
            new (self) TokenBlock(std::move(made));
          },
          "doc_ends"_a, "tokens"_a, "times"_a, "n_words"_a, "What `cut_words` returned.")
      .def(
          "word_frequency",
          [](const TokenBlock& self, Array1<const bool> held_out) {
            require_size(held_out.size(), self.doc_ends.size(), "flags of texts");
            std::vector<Frequency> df;
            {
              nb::gil_scoped_release nogil;
              df = word_frequency(self.view(), self.n_words, as_span(held_out));
            }
            return pairs_to_numpy(std::move(df));
          },
          "held_out"_a,
          "By word: how many texts have it, of those that are not held out and of those that are.")
      .def(
          "count_ngrams",
          [](const TokenBlock& self, Array1<const std::uint32_t> word_of, const Indices& levels,
             Array1<const bool> held_out) {
            check_words(self, word_of, levels);
            require_size(held_out.size(), self.doc_ends.size(), "flags of texts");
            NgramRun run;
            {
              nb::gil_scoped_release nogil;
              run = count_ngrams(self.view(), as_span(word_of), levels, as_span(held_out));
            }
            return std::tuple(to_numpy(std::move(run.keys)), pairs_to_numpy(std::move(run.df)));
          },
          "word_of"_a, "levels"_a, "held_out"_a,
          "The n-grams one word longer than those of the last level: sorted keys, frequencies.")
      .def(
          "encode_ngrams",
          [](const TokenBlock& self, Array1<const std::uint32_t> word_of, const Indices& levels,
             const std::vector<Array1<const std::int32_t>>& columns, std::size_t n_columns) {
            check_words(self, word_of, levels);
            EncodedRows rows;
            {
              nb::gil_scoped_release nogil;
              std::vector<std::span<const std::int32_t>> spans;
              for (const auto& column : columns) spans.push_back(as_span(column));
              rows = encode_ngrams(self.view(), as_span(word_of), levels, spans, n_columns);
            }
            return to_arrays(std::move(rows.indptr), std::move(rows.indices),
                             std::move(rows.counts));
          },
          "word_of"_a, "levels"_a, "columns"_a, "n_columns"_a,
          "Row pointers, columns and counts of the words and n-grams that have a column.");
}

}  // namespace

void bind_text_blocks(nb::module_& m) {
  bind_cut<Analysis>(m);
  bind_cut<TokenFeatures>(m);
  nb::class_<WordIndex>(m, "WordIndex", "The numbers of sorted words.")
      .def(
          "__init__",
          [](WordIndex* self, Bytes bytes, Ends ends) {
            const WordList words = word_list(bytes, ends);
            nb::gil_scoped_release nogil;
            new (self) WordIndex(words);
          },
          "bytes"_a, "ends"_a)
      .def(
          "find",
          [](const WordIndex& self, Bytes bytes, Ends ends) {
            const WordList words = word_list(bytes, ends);
            std::vector<std::uint32_t> numbers;
            {
              nb::gil_scoped_release nogil;
              numbers = self.find(words);
            }
            return to_numpy(std::move(numbers));
          },
          "bytes"_a, "ends"_a, "The number of each word, or 2**32 - 1.");
  nb::class_<NgramIndex>(m, "NgramIndex", "The numbers of the n-grams of one length by their keys.")
      .def(
          "__init__",
          [](NgramIndex* self, Array1<const std::uint64_t> keys) {
            nb::gil_scoped_release nogil;
            new (self) NgramIndex(as_span(keys));
          },
          "keys"_a)
      .def("__len__", &NgramIndex::size);
  bind_token_block(m);
  m.def(
      "merge_words",
      [](const std::vector<std::tuple<Bytes, Ends, Array2<const std::uint32_t>>>& lists,
         std::uint64_t min_df) {
        std::vector<CountedWords> counted;
        for (const auto& [bytes, ends, df] : lists) {
          counted.push_back({word_list(bytes, ends), as_pairs(df)});
          require_size(df.shape(0), ends.size(), "frequencies of words");
        }
        MergedWords merged;
        {
          nb::gil_scoped_release nogil;
          merged = merge_words(counted, min_df);
        }
        return std::tuple(to_numpy(std::move(merged.words.bytes)),
                          to_numpy(std::move(merged.words.ends)),
                          pairs_to_numpy(std::move(merged.df)));
      },
      "lists"_a, "min_df"_a,
      "Sorted lists of words (bytes, ends, frequencies) as one, without those in fewer than "
      "`min_df` texts.");
  m.def(
      "merge_ngrams",
      [](Array1<const std::uint64_t> keys, Array2<const std::uint16_t> df, Ends run_ends,
         std::uint64_t min_df) {
        MergedNgrams merged;
        const auto frequencies = as_pairs(df);
        {
          nb::gil_scoped_release nogil;
          merged = merge_ngrams(as_span(keys), frequencies, as_span(run_ends), min_df);
        }
        return std::tuple(to_numpy(std::move(merged.keys)), pairs_to_numpy(std::move(merged.df)),
                          merged.n_distinct);
      },
      "keys"_a, "df"_a, "run_ends"_a, "min_df"_a,
      "Sorted runs of n-grams, one after the other, as one, without those in fewer than `min_df` "
      "texts; and how many different ones there were.");
}

}  // namespace wordplane
