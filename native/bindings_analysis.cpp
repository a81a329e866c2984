// Analyses and vocabularies as Python sees them; see bindings.cpp.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "bindings.h"
#include "model/stored_vocabulary.h"
#include "text/analysis.h"
#include "text/char_offsets.h"
#include "text/token_features.h"
#include "text/tokenizer.h"
#include "text/vocabulary.h"

namespace wordplane {
namespace {

Parts parts_named(const std::string& name) {
  if (name == "words") return Parts::words;
  if (name == "chars") return Parts::chars;
  if (name == "whole") return Parts::whole;
  throw std::invalid_argument("parts is '" + name + "', expected words, chars or whole");
}

void bind_word_features(nb::module_& m) {
  nb::class_<Folding>(m, "Folding", "What is done to a text before its words are compared.")
      .def(
          "__init__",
          [](Folding* self, bool lowercase, bool accents, bool urls, bool mentions, bool numbers) {
            new (self) Folding{lowercase, accents, urls, mentions, numbers};
          },
          nb::kw_only(), "lowercase"_a = true, "accents"_a = false, "urls"_a = false,
          "mentions"_a = false, "numbers"_a = false,
          "lowercase: fold case; accents: strip them; urls, mentions, numbers: replace them by "
          "<url>, <mention>, <number>.");
  nb::class_<Stems>(m, "Stems", "Words, and what each becomes.")
      .def(nb::init<const std::vector<std::pair<std::string, std::string>>&>(), "pairs"_a,
           "pairs: words with their stems.");
  nb::class_<Analysis>(m, "Analysis", "How a text becomes features.")
      .def(
          "__init__",
          [](Analysis* self, const std::string& tokens, const Folding& folding, bool boundaries,
             std::pair<int, int> ngrams, std::vector<std::string> stop_words,
             std::vector<std::string> negations, std::shared_ptr<Stems> stems) {
            new (self)
                Analysis(make_analysis(tokens, folding, boundaries, ngrams, std::move(stop_words),
                                       std::move(negations), std::move(stems)));
          },
          nb::kw_only(), "tokens"_a = "words", "folding"_a = Folding(), "boundaries"_a = false,
          "ngrams"_a = std::pair(1, 1), "stop_words"_a = std::vector<std::string>(),
          "negations"_a = std::vector<std::string>(), "stems"_a = nb::none(),
          "tokens: words, spaced, pattern, counts, whitespace, chars or regex:PATTERN; boundaries: "
          "put <s> before and </s> after the words; ngrams: the shortest and the longest; "
          "negations: words that mark those after them with NOT_; stems: what words become.");
}

void bind_token_features(nb::module_& m) {
  nb::class_<TokenFeatures>(m, "TokenFeatures", "Which features of single tokens a text has.")
      .def(
          "__init__",
          [](TokenFeatures* self, bool spaced, const Folding& folding, std::pair<int, int> chars,
             std::pair<std::vector<int>, std::vector<int>> affixes, bool shapes, bool lengths,
             std::vector<std::string> known_words,
             const std::vector<std::pair<std::string, std::vector<std::string>>>& triggers) {
            std::vector<TriggerList> lists;
            for (const auto& [name, words] : triggers) lists.push_back({name, words});
            auto& [prefixes, suffixes] = affixes;
            const auto positive = [](int n) { return n > 0; };
            if (chars.first < 0 || chars.second < chars.first || (chars.second && !chars.first) ||
                !std::ranges::all_of(prefixes, positive) ||
                !std::ranges::all_of(suffixes, positive))
              throw std::invalid_argument("lengths of 1 or more expected");
            new (self) TokenFeatures{spaced,
                                     folding,
                                     chars.first,
                                     chars.second,
                                     std::move(prefixes),
                                     std::move(suffixes),
                                     shapes,
                                     lengths,
                                     std::move(known_words),
                                     std::move(lists)};
          },
          nb::kw_only(), "spaced"_a, "folding"_a, "chars"_a, "affixes"_a, "shapes"_a, "lengths"_a,
          "known_words"_a, "triggers"_a,
          "Whether words have spaces between them in every script; how texts are folded; lengths "
          "of n-grams of "
          "characters (0, 0: none), of prefixes and of suffixes; whether shapes and lengths of "
          "words count; words that are known; lists of words by name.");
}

void bind_tokenize(nb::module_& m) {
  m.def(
      "tokenize",
      [](const Analysis& analysis, std::string_view text) {
        WordReader reader(analysis);
        reader.read(text);
        const CharOffsets chars(text);
        reader.locate(text);
        nb::typed<nb::list, std::tuple<nb::str, std::int64_t, std::int64_t>> tokens;
        for (std::size_t i = 0; i < reader.words().size(); ++i) {
          const Span span = reader.spans()[i];
          tokens.append(
              nb::make_tuple(to_str(reader.words()[i]), chars(span.begin), chars(span.end)));
        }
        return tokens;
      },
      "analysis"_a, "text"_a, "The words of a text, each with its first character and its end.");
}

void bind_vocabulary(nb::module_& m) {
  nb::class_<Vocabulary>(m, "Vocabulary",
                         "Which words and n-grams are features, and their columns.")
      .def(
          "__init__",
          [](Vocabulary* self, Array1<const std::uint8_t> bytes, Array1<const std::int64_t> ends,
             Array1<const std::uint32_t> firsts, Array1<const std::uint32_t> lasts,
             Array1<const std::int32_t> columns, const std::string& parts) {
            const std::string_view view(reinterpret_cast<const char*>(bytes.data()), bytes.size());
            nb::gil_scoped_release nogil;
            new (self) Vocabulary(view, as_span(ends), as_span(firsts), as_span(lasts),
                                  as_span(columns), parts_named(parts));
          },
          "word_bytes"_a, "word_ends"_a, "ngram_firsts"_a, "ngram_lasts"_a, "columns"_a,
          "parts"_a = "words",
          "Words as bytes and their ends; n-grams as pairs of nodes (words, then n-grams); the "
          "column of each node, or -1; what a name is made of: words, chars or whole.")
      .def_prop_ro("n_features", &Vocabulary::n_features)
      .def(
          "name",
          [](const Vocabulary& self, std::size_t column) {
            require(column < self.n_features(), "a column out of range");
            return to_str(self.name(column));
          },
          "column"_a, "The name of a feature.")
      .def(
          "names",
          [](const Vocabulary& self) {
            nb::typed<nb::list, nb::str> names;
            for (std::size_t j = 0; j < self.n_features(); ++j) names.append(to_str(self.name(j)));
            return names;
          },
          "The names of all features, in column order.")
      .def(
          "arrays",
          [](const Vocabulary& self) {
            const std::string& bytes = self.words().bytes();
            std::vector<std::uint32_t> firsts, lasts;
            std::vector<std::int32_t> columns;
            for (std::uint32_t id = 0; id < self.n_ngrams(); ++id) {
              firsts.push_back(self.ngrams().first(id));
              lasts.push_back(self.ngrams().last(id));
            }
            for (std::uint32_t node = 0; node < self.n_words() + self.n_ngrams(); ++node)
              columns.push_back(self.column(node));
            const auto ends = self.words().ends();
            return to_arrays(std::vector<std::uint8_t>(bytes.begin(), bytes.end()),
                             std::vector<std::int64_t>(ends.begin(), ends.end()), std::move(firsts),
                             std::move(lasts), std::move(columns));
          },
          "What the constructor takes, to be stored.")
      .def(
          "select",
          [](const Vocabulary& self, Array1<const bool> keep) {
            nb::gil_scoped_release nogil;
            return self.select(as_span(keep));
          },
          "keep"_a, "The same with the flagged columns only, which are numbered in their order.")
      .def_static(
          "read",
          [](Array1<const std::uint8_t> bytes, Array1<const std::int64_t> ends,
             Array1<const std::uint32_t> firsts, Array1<const std::uint32_t> lasts,
             Array1<const std::int32_t> columns, const std::string& parts, std::size_t longest) {
            const std::string_view view(reinterpret_cast<const char*>(bytes.data()), bytes.size());
            nb::gil_scoped_release nogil;
            return read_vocabulary(view, as_span(ends), as_span(firsts), as_span(lasts),
                                   as_span(columns), parts_named(parts), longest);
          },
          "word_bytes"_a, "word_ends"_a, "ngram_firsts"_a, "ngram_lasts"_a, "columns"_a, "parts"_a,
          "longest"_a,
          "The vocabulary of a model file, with n-grams of at most `longest` words or characters, "
          "and names in proportion to the arrays.")
      .def_static(
          "from_names",
          [](const std::vector<std::string>& names, const std::string& parts) {
            return Vocabulary::from_names(names, parts_named(parts));
          },
          "names"_a, "parts"_a = "words",
          "The vocabulary with these columns; `parts` says what a name is made of: words joined by "
          "single spaces, chars, or one whole.")
      .def_prop_ro("parts",
                   [](const Vocabulary& self) {
                     return self.parts() == Parts::words   ? "words"
                            : self.parts() == Parts::chars ? "chars"
                                                           : "whole";
                   })
      .def("__reduce__", [](nb::handle_t<Vocabulary> self) {
        return nb::typed<nb::tuple, nb::object, nb::ellipsis>(nb::make_tuple(
            self.type(), self.attr("arrays")() + nb::make_tuple(self.attr("parts"))));
      });
}

}  // namespace

void bind_analysis(nb::module_& m) {
  bind_word_features(m);
  bind_token_features(m);
  bind_tokenize(m);
  bind_vocabulary(m);
}

}  // namespace wordplane
