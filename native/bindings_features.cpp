// Features of texts, counted with analyses and vocabularies, as Python sees them; see bindings.cpp.
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string_view.h>

#include "bindings.h"
#include "features/block.h"
#include "features/cooccurrence.h"
#include "features/transform.h"
#include "text/char_offsets.h"
#include "text/lexicon.h"
#include "text/texts.h"

namespace wordplane {
namespace {

std::uint32_t checked_columns(std::uint32_t n) {
  if (n < 1 || n > kMaxId) throw std::invalid_argument("from 1 to 2,147,483,647 columns expected");
  return n;
}

void bind_block(nb::module_& m) {
  nb::class_<Block>(m, "Block", "A part of the features: how they are read, and their columns.")
      .def(
          "__init__",
          [](Block* self, const Analysis& analysis, std::shared_ptr<Vocabulary> vocabulary) {
            new (self) Block{analysis, std::move(vocabulary), 0};
          },
          "features"_a, "vocabulary"_a, "Words and n-grams.")
      .def(
          "__init__",
          [](Block* self, const TokenFeatures& features, std::shared_ptr<Vocabulary> vocabulary) {
            if (vocabulary->n_ngrams() > 0)
              throw std::invalid_argument("the vocabulary has n-grams, expected whole names");
            new (self) Block{features, std::move(vocabulary), 0};
          },
          "features"_a, "vocabulary"_a, "Features of single tokens, by whole names.")
      .def(
          "__init__",
          [](Block* self, const Analysis& analysis, std::uint32_t n_hashed) {
            new (self) Block{analysis, nullptr, checked_columns(n_hashed)};
          },
          "features"_a, "n_hashed"_a, "Words and n-grams, hashed into so many columns.")
      .def(
          "__init__",
          [](Block* self, const TokenFeatures& features, std::uint32_t n_hashed) {
            new (self) Block{features, nullptr, checked_columns(n_hashed)};
          },
          "features"_a, "n_hashed"_a, "Features of single tokens, hashed by their names.")
      .def_prop_ro("n_features", &Block::n_features);
}

void bind_counts(nb::module_& m) {
  m.def(
      "count_features",
      [](const Block& block, const Texts& texts, std::size_t begin, std::size_t end,
         Threads threads) {
        std::vector<std::int32_t> indices;
        std::vector<std::int64_t> values;
        Rows rows;
        {
          nb::gil_scoped_release nogil;
          rows = count_features([&] { return block.reader(); }, texts, begin, end, threads);
          indices.reserve(rows.counts.size());
          values.reserve(rows.counts.size());
          for (const Count& entry : rows.counts) {
            indices.push_back(entry.column);
            values.push_back(entry.count);
          }
        }
        return to_arrays(std::move(rows.indptr), std::move(indices), std::move(values));
      },
      "block"_a, "texts"_a, "begin"_a, "end"_a, "threads"_a,
      "Documents begin .. end-1 as counts of the block's features: indptr, indices, values.");

  m.def(
      "count_tokens",
      [](const Analysis& analysis, const Texts& texts, std::size_t begin, std::size_t end,
         Threads threads) {
        std::vector<double> lengths;
        {
          nb::gil_scoped_release nogil;
          lengths = count_tokens(analysis, texts, begin, end, threads);
        }
        return to_numpy(std::move(lengths));
      },
      "analysis"_a, "texts"_a, "begin"_a, "end"_a, "threads"_a,
      "How many tokens documents begin .. end-1 have.");
}

void bind_cooccurrence(nb::module_& m) {
  const auto pair_counts = [](auto&& count) {
    PairCounts pairs;
    {
      nb::gil_scoped_release nogil;
      pairs = count();
    }
    return to_arrays(std::move(pairs.indptr), std::move(pairs.indices), std::move(pairs.values));
  };
  m.def(
      "count_in_windows",
      [=](const Analysis& analysis, const Vocabulary& words, const Texts& texts, std::size_t begin,
          std::size_t end, std::size_t window, Threads threads) {
        return pair_counts(
            [&] { return count_in_windows(analysis, words, texts, begin, end, window, threads); });
      },
      "analysis"_a, "words"_a, "texts"_a, "begin"_a, "end"_a, "window"_a, "threads"_a,
      "How often two words are at most `window` tokens apart in documents begin .. end-1: the "
      "upper half of a symmetric matrix, by row.");
  m.def(
      "count_in_sentences",
      [=](const Analysis& analysis, const Vocabulary& words, const Texts& texts, std::size_t begin,
          std::size_t end, Threads threads) {
        return pair_counts(
            [&] { return count_in_sentences(analysis, words, texts, begin, end, threads); });
      },
      "analysis"_a, "words"_a, "texts"_a, "begin"_a, "end"_a, "threads"_a,
      "The same for two words of one sentence.");
  m.def(
      "count_in_documents",
      [=](const Analysis& analysis, std::shared_ptr<Vocabulary> words, const Texts& texts,
          std::size_t begin, std::size_t end, Threads threads) {
        const Block block{analysis, words, 0};
        return pair_counts([&] {
          const auto reader = [&] { return block.reader(); };
          return count_in_units(count_features(reader, texts, begin, end, threads),
                                words->n_features(), threads);
        });
      },
      "analysis"_a, "words"_a, "texts"_a, "begin"_a, "end"_a, "threads"_a,
      "The same for two words of one document.");
}

void bind_token_feature_counter(nb::module_& m) {
  nb::class_<TokenFeatureCounter>(m, "TokenFeatureCounter",
                                  "Counts features of single tokens and gives them columns.")
      .def(nb::init<TokenFeatures>(), "features"_a, "features: which of them are counted.")
      .def(
          "add",
          [](TokenFeatureCounter& self, const Texts& texts, std::size_t begin, std::size_t end,
             Threads threads) { self.add(texts, begin, end, threads); },
          "texts"_a, "begin"_a, "end"_a, "threads"_a, nb::call_guard<nb::gil_scoped_release>(),
          "Count the documents begin .. end-1.")
      .def("finish", &TokenFeatureCounter::finish, nb::call_guard<nb::gil_scoped_release>(),
           "End the counting and number the features.")
      .def_prop_ro("n_features", &TokenFeatureCounter::n_features)
      .def_prop_ro("n_selected", &TokenFeatureCounter::n_selected)
      .def(
          "document_frequency",
          [](const TokenFeatureCounter& self, Threads) {
            return to_numpy(self.document_frequency());
          },
          "threads"_a, "In how many documents each feature occurs.")
      .def(
          "select",
          [](TokenFeatureCounter& self, Array1<const bool> keep, Threads) {
            nb::gil_scoped_release nogil;
            self.select(as_span(keep));
          },
          "keep"_a, "threads"_a, "Keep the flagged features; they take the columns 0, 1, ...")
      .def(
          "indptr", [](const TokenFeatureCounter& self) { return to_numpy(self.indptr()); },
          "Row pointers of the matrix of the selected features.")
      .def(
          "fill",
          [](const TokenFeatureCounter& self, Array1<std::int32_t> indices, Array1<float> values,
             Threads threads) {
            require(!self.indptr().empty(), "select features first");
            require_size(indices.size(), static_cast<std::size_t>(self.indptr().back()), "indices");
            require_size(values.size(), indices.size(), "values");
            nb::gil_scoped_release nogil;
            self.fill(indices.data(), values.data(), threads);
          },
          "indices"_a.noconvert(), "values"_a.noconvert(), "threads"_a,
          "Write the matrix of the selected features.")
      .def(
          "name",
          [](const TokenFeatureCounter& self, std::size_t column) {
            require(column < self.n_selected(), "a column out of range");
            return to_str(self.name(column));
          },
          "column"_a, "The name of a selected feature.")
      .def(
          "vocabulary", [](const TokenFeatureCounter& self, Threads) { return self.vocabulary(); },
          "threads"_a = 1, nb::call_guard<nb::gil_scoped_release>(),
          "The vocabulary of the selected features.");
}

void bind_lexicon(nb::module_& m) {
  m.def(
      "lexicon_features",
      [](const Analysis& analysis, const Vocabulary& entries, Array1<const double> scores,
         const Texts& texts, std::size_t begin, std::size_t end, Threads threads) {
        require_size(scores.size(), entries.n_features(), "scores");
        if (end > texts.size() || begin > end) throw std::out_of_range("documents out of range");
        std::vector<double> out((end - begin) * kLexiconFeatures);
        {
          nb::gil_scoped_release nogil;
          lexicon_features(analysis, entries, as_span(scores), texts, begin, end, out.data(),
                           threads);
        }
        return to_numpy(std::move(out), {end - begin, kLexiconFeatures});
      },
      "analysis"_a, "entries"_a, "scores"_a, "texts"_a, "begin"_a, "end"_a, "threads"_a,
      "What a lexicon says about documents begin .. end-1.");
  m.def(
      "lexicon_matches",
      [](const Analysis& analysis, const Vocabulary& entries, std::string_view text) {
        const CharOffsets chars(text);
        nb::typed<nb::list, std::tuple<std::int32_t, std::int64_t, std::int64_t>> matches;
        LexiconReader reader(analysis, entries);
        for (const auto& [entry, span] : reader.read(text))
          matches.append(nb::make_tuple(entry, chars(span.begin), chars(span.end)));
        return matches;
      },
      "analysis"_a, "entries"_a, "text"_a, "Entry, first character and end of every match.");
}

}  // namespace

void bind_features(nb::module_& m) {
  bind_block(m);
  bind_counts(m);
  bind_cooccurrence(m);
  bind_token_feature_counter(m);
  bind_lexicon(m);
}

}  // namespace wordplane
