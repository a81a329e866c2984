// Together with bindings_learners.cpp the only file that knows Python: arguments in, results
// out, the GIL released in between. Here: text and features.
#include "bindings.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "arrow.h"
#include "block.h"
#include "cooccurrence.h"
#include "counter.h"
#include "csr.h"
#include "duplicates.h"
#include "hashing.h"
#include "hstack.h"
#include "inner_ngrams.h"
#include "lexicon.h"
#include "scorer.h"
#include "take.h"
#include "texts.h"
#include "transform.h"
#include "unicode.h"
#include "weighting.h"

namespace wordplane {
namespace {

// Python objects that native code holds on to; let go with the GIL held.
std::shared_ptr<const void> keep_alive(nb::object object) {
  return std::shared_ptr<const void>(object.release().ptr(), [](const void* held) {
    nb::gil_scoped_acquire gil;
    Py_DECREF(static_cast<PyObject*>(const_cast<void*>(held)));
  });
}

struct StringList {
  nb::object strings;                // a tuple, so that nobody changes it under us
  std::vector<std::string> encoded;  // UTF-8 of those that are not ASCII
  ~StringList() {
    nb::gil_scoped_acquire gil;
    strings.reset();
  }
};

// ASCII strings are read in place; others are encoded beside, so that Python does
// not keep a second copy of every string for as long as the string lives.
Texts texts_from_list(nb::sequence sequence) {
  auto list = std::make_shared<StringList>();
  list->strings = nb::steal(PySequence_Tuple(sequence.ptr()));
  if (!list->strings.is_valid()) throw nb::python_error();
  const Py_ssize_t n = PyTuple_GET_SIZE(list->strings.ptr());
  std::vector<std::string_view> rows;
  rows.reserve(static_cast<std::size_t>(n));
  std::vector<std::size_t> encoded_rows;
  std::vector<char> room;
  constexpr Py_ssize_t kAhead = 16;  // strings lie anywhere: how far ahead their heads are fetched
  for (Py_ssize_t i = 0; i < n; ++i) {
    if (i + kAhead < n) __builtin_prefetch(PyTuple_GET_ITEM(list->strings.ptr(), i + kAhead));
    PyObject* item = PyTuple_GET_ITEM(list->strings.ptr(), i);
    if (!PyUnicode_Check(item))
      throw nb::type_error(
          ("document " + std::to_string(i) + " is " +
           nb::cast<std::string>(nb::repr(nb::handle(item)).attr("__getitem__")(nb::slice(0, 60))) +
           ", expected a string")
              .c_str());
    const auto length = static_cast<std::size_t>(PyUnicode_GET_LENGTH(item));
    if (PyUnicode_IS_ASCII(item)) {
      rows.emplace_back(reinterpret_cast<const char*>(PyUnicode_1BYTE_DATA(item)), length);
      continue;
    }
    const auto encoded = [&](const auto* characters) {
      const std::span cps(characters, length);
      const auto surrogate = [](char32_t cp) { return cp >= 0xD800 && cp < 0xE000; };
      if (const auto found = std::ranges::find_if(cps, surrogate); found != cps.end())
        throw nb::value_error(("document " + std::to_string(i) +
                               " has a lone surrogate at character " +
                               std::to_string(found - cps.begin()) +
                               "; it was decoded wrongly: decode it as UTF-8 or replace it")
                                  .c_str());
      if (room.size() < 4 * length) room.resize(4 * length);
      return std::string(room.data(), encode(cps, room.data()));
    };
    const int kind = PyUnicode_KIND(item);
    list->encoded.push_back(kind == PyUnicode_1BYTE_KIND   ? encoded(PyUnicode_1BYTE_DATA(item))
                            : kind == PyUnicode_2BYTE_KIND ? encoded(PyUnicode_2BYTE_DATA(item))
                                                           : encoded(PyUnicode_4BYTE_DATA(item)));
    encoded_rows.push_back(rows.size());
    rows.emplace_back();
  }
  for (std::size_t k = 0; k < encoded_rows.size(); ++k) rows[encoded_rows[k]] = list->encoded[k];
  return Texts::from_valid(std::move(rows), std::move(list));
}

Texts make_texts(nb::object source) {
  if (nb::isinstance<Texts>(source)) return nb::cast<Texts>(source);
  if (nb::hasattr(source, "__arrow_c_stream__")) {
    nb::object capsule = source.attr("__arrow_c_stream__")();
    auto* stream =
        static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule.ptr(), "arrow_array_stream"));
    if (!stream) throw nb::python_error();
    return Texts::from_arrow(stream);
  }
  if (nb::hasattr(source, "__arrow_c_array__")) {
    nb::object capsules = source.attr("__arrow_c_array__")();
    const auto pointer = [](nb::object capsule, const char* name) {
      void* held = PyCapsule_GetPointer(capsule.ptr(), name);
      if (!held) throw nb::python_error();
      return held;
    };
    return Texts::from_arrow(static_cast<ArrowSchema*>(pointer(capsules[0], "arrow_schema")),
                             static_cast<ArrowArray*>(pointer(capsules[1], "arrow_array")));
  }
  if (nb::isinstance<nb::list>(source) || nb::isinstance<nb::tuple>(source))
    return texts_from_list(nb::borrow<nb::sequence>(source));
  throw nb::type_error("expected a list of strings or an Arrow column of strings");
}

nb::str to_str(std::string_view text) { return nb::str(text.data(), text.size()); }

void bind_texts(nb::module_& m) {
  nb::class_<Texts>(m, "Texts",
                    "A column of documents, held as UTF-8: from a list of strings or an Arrow "
                    "column of strings. Indexing gives Python strings.")
      .def(
          "__init__", [](Texts* self, nb::object source) { new (self) Texts(make_texts(source)); },
          "source"_a)
      .def_static(
          "from_lines",
          [](nb::bytes data) {
            const std::string_view view(data.c_str(), data.size());
            auto owner = keep_alive(data);
            nb::gil_scoped_release nogil;
            return Texts::from_lines(view, std::move(owner));
          },
          "data"_a, "One document per line of UTF-8.")
      .def_static("join", &Texts::join, "parts"_a, "The documents of all parts, one after another.")
      .def("blank", &Texts::blank, "Which documents are empty or white space.")
      .def("__len__", &Texts::size)
      .def("__getitem__",
           [](const Texts& self, Py_ssize_t i) {
             const auto n = static_cast<Py_ssize_t>(self.size());
             if (i < 0) i += n;
             if (i < 0 || i >= n) throw nb::index_error("no such document");
             return to_str(self[static_cast<std::size_t>(i)]);
           })
      .def("batch_end", &Texts::batch_end, "begin"_a, "bytes"_a,
           "The end of a run of documents from `begin` that holds about this many bytes.")
      .def(
          "take",
          [](const Texts& self, Array1<const std::int64_t> rows) {
            return self.take(rows.data(), rows.size());
          },
          "rows"_a, "The documents at these row numbers, in that order.");
}

Tokens tokens_named(const std::string& name) {
  if (name == "words") return Tokens::words;
  if (name == "pattern") return Tokens::pattern;
  if (name == "counts") return Tokens::counts;
  if (name == "white") return Tokens::white;
  if (name == "chars") return Tokens::chars;
  throw std::invalid_argument("tokens is '" + name +
                              "', expected words, pattern, counts, white or chars");
}

Parts parts_named(const std::string& name) {
  if (name == "words") return Parts::words;
  if (name == "chars") return Parts::chars;
  if (name == "whole") return Parts::whole;
  throw std::invalid_argument("parts is '" + name + "', expected words, chars or whole");
}

Analysis make_analysis(const std::string& tokens, bool lowercase, bool boundaries, int min_n,
                       int max_n, std::vector<std::string> stop_words,
                       std::vector<std::string> negations) {
  if (min_n < 1 || max_n < min_n)
    throw std::invalid_argument("n-grams from " + std::to_string(min_n) + " to " +
                                std::to_string(max_n) + ", expected 1 <= from <= to");
  if (max_n > 65535) throw std::invalid_argument("n-grams of more than 65,535 words");
  return {tokens_named(tokens),  lowercase,           boundaries, min_n, max_n,
          std::move(stop_words), std::move(negations)};
}

// Byte offsets as offsets of characters, as Python counts them.
class CharOffsets {
 public:
  explicit CharOffsets(std::string_view text) : chars_before_(text.size() + 1) {
    for (std::size_t i = 0; i < text.size(); ++i)
      chars_before_[i + 1] =
          chars_before_[i] + ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80);
    // A character starts at its lead byte: count it only once it is over.
    for (std::size_t i = text.size(); i-- > 0;)
      if ((static_cast<unsigned char>(text[i]) & 0xC0) == 0x80) chars_before_[i] -= 1;
  }
  std::int64_t operator()(std::size_t byte) const { return chars_before_[byte]; }

 private:
  std::vector<std::int64_t> chars_before_;
};

void bind_text(nb::module_& m) {
  nb::class_<Analysis>(m, "Analysis", "How a text becomes features.")
      .def(
          "__init__",
          [](Analysis* self, const std::string& tokens, bool lowercase, bool boundaries, int min_n,
             int max_n, std::vector<std::string> stop_words, std::vector<std::string> negations) {
            new (self) Analysis(make_analysis(tokens, lowercase, boundaries, min_n, max_n,
                                              std::move(stop_words), std::move(negations)));
          },
          nb::kw_only(), "tokens"_a, "lowercase"_a, "boundaries"_a, "min_n"_a, "max_n"_a,
          "stop_words"_a, "negations"_a = std::vector<std::string>());

  nb::class_<TokenFeatures>(m, "TokenFeatures", "Which features of single tokens a text has.")
      .def(
          "__init__",
          [](TokenFeatures* self, bool lowercase, std::pair<int, int> chars,
             std::vector<int> prefixes, std::vector<int> suffixes, bool shapes, bool lengths,
             std::vector<std::string> known_words,
             const std::vector<std::pair<std::string, std::vector<std::string>>>& triggers) {
            std::vector<TriggerList> lists;
            for (const auto& [name, words] : triggers) lists.push_back({name, words});
            const auto positive = [](int n) { return n > 0; };
            if (chars.first < 0 || chars.second < chars.first || (chars.second && !chars.first) ||
                !std::ranges::all_of(prefixes, positive) ||
                !std::ranges::all_of(suffixes, positive))
              throw std::invalid_argument("lengths of 1 or more expected");
            new (self) TokenFeatures{
                lowercase,           chars.first, chars.second, std::move(prefixes),
                std::move(suffixes), shapes,      lengths,      std::move(known_words),
                std::move(lists)};
          },
          nb::kw_only(), "lowercase"_a, "chars"_a, "prefixes"_a, "suffixes"_a, "shapes"_a,
          "lengths"_a, "known_words"_a, "triggers"_a);
  m.def(
      "tokenize",
      [](const Analysis& analysis, std::string_view text) {
        WordReader reader(analysis);
        reader.read(text);
        const CharOffsets chars(text);
        const bool spans = reader.has_spans();
        nb::list tokens;
        for (std::size_t i = 0; i < reader.words().size(); ++i) {
          const Span span = spans ? reader.spans()[i] : Span{0, 0};
          tokens.append(
              nb::make_tuple(to_str(reader.words()[i]), chars(span.begin), chars(span.end)));
        }
        return tokens;
      },
      "analysis"_a, "text"_a, "The words of a text, each with its first character and its end.");

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
          "parts"_a = "words")
      .def_prop_ro("n_features", &Vocabulary::n_features)
      .def(
          "name",
          [](const Vocabulary& self, std::size_t column) { return to_str(self.name(column)); },
          "column"_a)
      .def(
          "names",
          [](const Vocabulary& self) {
            nb::list names;
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
            return nb::make_tuple(to_numpy(std::vector<std::uint8_t>(bytes.begin(), bytes.end())),
                                  to_numpy(std::vector<std::int64_t>(self.words().ends().begin(),
                                                                     self.words().ends().end())),
                                  to_numpy(std::move(firsts)), to_numpy(std::move(lasts)),
                                  to_numpy(std::move(columns)));
          },
          "What the constructor takes, to be stored.")
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
      .def("__reduce__", [](nb::handle self) {
        return nb::make_tuple(self.type(),
                              self.attr("arrays")() + nb::make_tuple(self.attr("parts")));
      });

  nb::class_<Block>(m, "Block", "A part of the features: how they are read, and their columns.")
      .def(
          "__init__",
          [](Block* self, const Analysis& analysis, std::shared_ptr<Vocabulary> vocabulary) {
            new (self) Block{analysis, std::move(vocabulary)};
          },
          "features"_a, "vocabulary"_a)
      .def(
          "__init__",
          [](Block* self, const TokenFeatures& features, std::shared_ptr<Vocabulary> vocabulary) {
            if (vocabulary->n_ngrams() > 0)
              throw std::invalid_argument("the vocabulary has n-grams, expected whole names");
            new (self) Block{features, std::move(vocabulary)};
          },
          "features"_a, "vocabulary"_a)
      .def_prop_ro("vocabulary", [](const Block& self) {
        return std::const_pointer_cast<Vocabulary>(self.vocabulary);
      });

  m.def(
      "trace",
      [](const Block& block, std::string_view text) {
        const CharOffsets chars(text);
        std::vector<std::int32_t> columns;
        std::vector<double> counts;
        std::vector<std::int64_t> starts, ends;
        for (const auto& found : block.reader()->trace(text)) {
          columns.push_back(found.column);
          counts.push_back(found.count);
          starts.push_back(chars(found.span.begin));
          ends.push_back(chars(found.span.end));
        }
        return nb::make_tuple(to_numpy(std::move(columns)), to_numpy(std::move(counts)),
                              to_numpy(std::move(starts)), to_numpy(std::move(ends)));
      },
      "block"_a, "text"_a,
      "Column, count, first character and end of every occurrence of a feature in the text.");

  m.def(
      "count_features",
      [](const Block& block, const Texts& texts, std::size_t begin, std::size_t end, int threads) {
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
        return nb::make_tuple(to_numpy(std::move(rows.indptr)), to_numpy(std::move(indices)),
                              to_numpy(std::move(values)));
      },
      "block"_a, "texts"_a, "begin"_a, "end"_a, "threads"_a,
      "Documents begin .. end-1 as counts of the block's features: indptr, indices, values.");

  m.def(
      "count_tokens",
      [](const Analysis& analysis, const Texts& texts, std::size_t begin, std::size_t end,
         int threads) {
        std::vector<double> lengths;
        {
          nb::gil_scoped_release nogil;
          lengths = count_tokens(analysis, texts, begin, end, threads);
        }
        return to_numpy(std::move(lengths));
      },
      "analysis"_a, "texts"_a, "begin"_a, "end"_a, "threads"_a,
      "How many tokens documents begin .. end-1 have.");

  const auto pair_counts = [](auto&& count) {
    PairCounts pairs;
    {
      nb::gil_scoped_release nogil;
      pairs = count();
    }
    return nb::make_tuple(to_numpy(std::move(pairs.indptr)), to_numpy(std::move(pairs.indices)),
                          to_numpy(std::move(pairs.values)));
  };
  m.def(
      "count_in_windows",
      [=](const Analysis& analysis, const Vocabulary& words, const Texts& texts, std::size_t begin,
          std::size_t end, std::size_t window, int threads) {
        return pair_counts(
            [&] { return count_in_windows(analysis, words, texts, begin, end, window, threads); });
      },
      "analysis"_a, "words"_a, "texts"_a, "begin"_a, "end"_a, "window"_a, "threads"_a,
      "How often two words are at most `window` tokens apart in documents begin .. end-1: the "
      "upper half of a symmetric matrix, by row.");
  m.def(
      "count_in_sentences",
      [=](const Analysis& analysis, const Vocabulary& words, const Texts& texts, std::size_t begin,
          std::size_t end, int threads) {
        return pair_counts(
            [&] { return count_in_sentences(analysis, words, texts, begin, end, threads); });
      },
      "analysis"_a, "words"_a, "texts"_a, "begin"_a, "end"_a, "threads"_a,
      "The same for two words of one sentence.");
  m.def(
      "count_in_documents",
      [=](const Analysis& analysis, std::shared_ptr<Vocabulary> words, const Texts& texts,
          std::size_t begin, std::size_t end, int threads) {
        const Block block{analysis, words};
        return pair_counts([&] {
          const auto reader = [&] { return block.reader(); };
          return count_in_units(count_features(reader, texts, begin, end, threads),
                                words->n_features(), threads);
        });
      },
      "analysis"_a, "words"_a, "texts"_a, "begin"_a, "end"_a, "threads"_a,
      "The same for two words of one document.");

  m.def(
      "find_duplicates",
      [](const Texts& texts, double threshold, int threads) {
        Duplicates found;
        {
          nb::gil_scoped_release nogil;
          found = find_duplicates(texts, threshold, threads);
        }
        return nb::make_tuple(to_numpy(std::move(found.same)), to_numpy(std::move(found.similar)));
      },
      "texts"_a, "threshold"_a, "threads"_a,
      "By text, the first that has the same words, and the first of those that are alike.");

  nb::class_<TokenFeatureCounter>(m, "TokenFeatureCounter",
                                  "Counts features of single tokens and gives them columns.")
      .def(nb::init<TokenFeatures>(), "features"_a)
      .def("add", &TokenFeatureCounter::add, "texts"_a, "begin"_a, "end"_a, "threads"_a,
           nb::call_guard<nb::gil_scoped_release>())
      .def("finish", &TokenFeatureCounter::finish, nb::call_guard<nb::gil_scoped_release>())
      .def_prop_ro("n_features", &TokenFeatureCounter::n_features)
      .def_prop_ro("n_selected", &TokenFeatureCounter::n_selected)
      .def(
          "document_frequency",
          [](const TokenFeatureCounter& self, int) { return to_numpy(self.document_frequency()); },
          "threads"_a)
      .def(
          "select",
          [](TokenFeatureCounter& self, Array1<const bool> keep, int) {
            require_size(keep.size(), self.n_features(), "flags");
            nb::gil_scoped_release nogil;
            self.select(keep.data());
          },
          "keep"_a, "threads"_a)
      .def("indptr", [](const TokenFeatureCounter& self) { return to_numpy(self.indptr()); })
      .def(
          "fill",
          [](const TokenFeatureCounter& self, Array1<std::int32_t> indices, Array1<float> values,
             int threads) {
            if (self.indptr().empty()) throw std::invalid_argument("select features first");
            require_size(indices.size(), static_cast<std::size_t>(self.indptr().back()), "indices");
            require_size(values.size(), indices.size(), "values");
            nb::gil_scoped_release nogil;
            self.fill(indices.data(), values.data(), threads);
          },
          "indices"_a.noconvert(), "values"_a.noconvert(), "threads"_a)
      .def(
          "vocabulary", [](const TokenFeatureCounter& self, int) { return self.vocabulary(); },
          "threads"_a = 1, nb::call_guard<nb::gil_scoped_release>());

  m.def(
      "lexicon_features",
      [](const Analysis& analysis, const Vocabulary& entries, Array1<const double> scores,
         const Texts& texts, std::size_t begin, std::size_t end, int threads) {
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
        nb::list matches;
        LexiconReader reader(analysis, entries);
        for (const auto& [entry, span] : reader.read(text))
          matches.append(nb::make_tuple(entry, chars(span.begin), chars(span.end)));
        return matches;
      },
      "analysis"_a, "entries"_a, "text"_a, "Entry, first character and end of every match.");
}

template <class Value>
void bind_fill(nb::class_<Counter>& counter) {
  counter.def(
      "fill",
      [](Counter& self, Array1<std::int32_t> indices, Array1<Value> values, int threads) {
        if (self.indptr().empty() || indices.size() != values.size() ||
            static_cast<std::size_t>(self.indptr().back()) != values.size())
          throw std::invalid_argument("arrays of the size that indptr tells expected");
        nb::gil_scoped_release nogil;
        self.fill(indices.data(), values.data(), threads);
      },
      "indices"_a, "values"_a.noconvert(), "threads"_a,
      "Write the matrix of the selected features, whose counts are then let go of.");
}

void bind_counter(nb::module_& m) {
  nb::class_<Counter> counter(m, "Counter", "Counts words and n-grams and gives them columns.");
  const auto frequency = [](auto method) {
    return [method](const Counter& self, int threads) {
      std::vector<std::int64_t> sums;
      {
        nb::gil_scoped_release nogil;
        sums = (self.*method)(threads);
      }
      return to_numpy(std::move(sums));
    };
  };
  counter.def(nb::init<const Analysis&>(), "analysis"_a)
      .def("add", &Counter::add, "texts"_a, "begin"_a, "end"_a, "threads"_a,
           nb::call_guard<nb::gil_scoped_release>(), "Count the documents begin .. end-1.")
      .def(
          "finish",
          [](Counter& self, const std::string& order, int threads) {
            if (order != "alphabetical" && order != "frequency")
              throw std::invalid_argument("order is '" + order +
                                          "', expected alphabetical or frequency");
            nb::gil_scoped_release nogil;
            self.finish(order == "frequency" ? Order::frequency : Order::alphabetical, threads);
          },
          "order"_a, "threads"_a, "End the counting and number the features in this order.")
      .def_prop_ro("n_docs", &Counter::n_docs)
      .def_prop_ro("n_features", &Counter::n_features)
      .def_prop_ro("n_selected", &Counter::n_selected)
      .def("document_frequency", frequency(&Counter::document_frequency), "threads"_a)
      .def("term_frequency", frequency(&Counter::term_frequency), "threads"_a)
      .def(
          "select",
          [](Counter& self, Array1<const bool> keep, int threads) {
            nb::gil_scoped_release nogil;
            self.select(as_span(keep), threads);
          },
          "keep"_a, "threads"_a,
          "Keep the flagged features; they take the columns 0, 1, ... Can be done once.")
      .def(
          "indptr", [](const Counter& self) { return to_numpy(self.indptr()); },
          "Row pointers of the matrix of the selected features.")
      .def("vocabulary", &Counter::vocabulary, "threads"_a = 1,
           nb::call_guard<nb::gil_scoped_release>());
  bind_fill<std::int64_t>(counter);
  bind_fill<float>(counter);
  bind_fill<double>(counter);
}

nb::tuple as_arrays(Lists lists) {
  return nb::make_tuple(to_numpy(std::move(lists.indptr)), to_numpy(std::move(lists.ngrams)),
                        to_numpy(std::move(lists.columns)));
}

void require_rows(std::span<const std::int64_t> indptr, std::span<const std::int32_t> indices,
                  std::size_t n_cols) {
  bool valid = !indptr.empty() && indptr[0] == 0 &&
               indptr.back() == static_cast<std::int64_t>(indices.size()) &&
               std::ranges::is_sorted(indptr);
  for (std::size_t e = 0; valid && e < indices.size(); ++e)
    valid = indices[e] >= 0 && static_cast<std::size_t>(indices[e]) < n_cols;
  if (!valid) throw std::invalid_argument("not the rows of a matrix");
}

// Documents as counts of words, and the n-grams of the words: the arrays are kept alive.
struct InnerCounts {
  Array1<const std::int64_t> doc_indptr;
  Array1<const std::int32_t> doc_words;
  Array1<const std::int64_t> doc_counts;
  Array1<const std::int64_t> list_indptr;
  Array1<const std::int32_t> list_ngrams;
  Array1<const std::int32_t> list_columns;
  std::vector<std::int64_t> indptr;

  WordCounts documents() const {
    return {as_span(doc_indptr), as_span(doc_words), as_span(doc_counts)};
  }
  ListsView lists() const {
    return {as_span(list_indptr), as_span(list_ngrams), as_span(list_columns)};
  }
};

template <class Value>
void bind_inner_fill(nb::class_<InnerCounts>& inner_counts) {
  inner_counts.def(
      "fill",
      [](const InnerCounts& self, Array1<std::int32_t> indices, Array1<Value> values, int threads) {
        require_size(indices.size(), static_cast<std::size_t>(self.indptr.back()), "indices");
        require_size(values.size(), indices.size(), "values");
        nb::gil_scoped_release nogil;
        inner_fill(self.documents(), self.lists(), self.indptr, indices.data(), values.data(),
                   threads);
      },
      "indices"_a, "values"_a.noconvert(), "threads"_a, "Write the matrix.");
}

void bind_inner_ngrams(nb::module_& m) {
  m.def(
      "inner_ngrams",
      [](const Counter& words, int min_n, int max_n) {
        InnerNgrams found;
        {
          nb::gil_scoped_release nogil;
          found = inner_ngrams(words.words(), min_n, max_n);
        }
        return nb::make_tuple(std::move(found.names), as_arrays(std::move(found.lists)));
      },
      "words"_a, "min_n"_a, "max_n"_a,
      "n-grams of characters inside words: their names by column; row pointers and numbers of each "
      "word's n-grams, columns of the numbers.");
  m.def(
      "known_inner_ngrams",
      [](const Counter& words, int min_n, int max_n, const Vocabulary& known) {
        Lists lists;
        {
          nb::gil_scoped_release nogil;
          lists = known_inner_ngrams(words.words(), min_n, max_n, known);
        }
        return as_arrays(std::move(lists));
      },
      "words"_a, "min_n"_a, "max_n"_a, "known"_a,
      "Row pointers and numbers of the n-grams of each word that have columns, and these.");

  nb::class_<InnerCounts> inner_counts(m, "InnerCounts",
                                       "Documents as counts of the n-grams inside their words.");
  inner_counts
      .def(
          "__init__",
          [](InnerCounts* self, Array1<const std::int64_t> doc_indptr,
             Array1<const std::int32_t> doc_words, Array1<const std::int64_t> doc_counts,
             Array1<const std::int64_t> list_indptr, Array1<const std::int32_t> list_ngrams,
             Array1<const std::int32_t> list_columns, int threads) {
            require_rows(as_span(list_indptr), as_span(list_ngrams), list_columns.size());
            require_rows(as_span(doc_indptr), as_span(doc_words), list_indptr.size() - 1);
            require_size(doc_counts.size(), doc_words.size(), "counts");
            InnerCounts made{doc_indptr,  doc_words,    doc_counts, list_indptr,
                             list_ngrams, list_columns, {}};
            {
              nb::gil_scoped_release nogil;
              made.indptr = inner_indptr(made.documents(), made.lists(), threads);
            }
            new (self) InnerCounts(std::move(made));
          },
          "doc_indptr"_a, "doc_words"_a, "doc_counts"_a, "list_indptr"_a, "list_ngrams"_a,
          "list_columns"_a, "threads"_a)
      .def("indptr", [](const InnerCounts& self) { return to_numpy(self.indptr); })
      .def(
          "document_frequency",
          [](const InnerCounts& self, int threads) {
            std::vector<std::int64_t> sums;
            {
              nb::gil_scoped_release nogil;
              sums = inner_frequency(self.documents(), self.lists(), threads);
            }
            return to_numpy(std::move(sums));
          },
          "threads"_a, "In how many documents each n-gram occurs.");
  bind_inner_fill<std::int64_t>(inner_counts);
  bind_inner_fill<float>(inner_counts);
  bind_inner_fill<double>(inner_counts);
}

template <class Value>
void make_csr(Csr* self, std::int64_t n_cols, Array1<const std::int64_t> indptr,
              Array1<const std::int32_t> indices, Array1<const Value> values, int threads) {
  struct Arrays {
    Array1<const std::int64_t> indptr;
    Array1<const std::int32_t> indices;
    Array1<const Value> values;
  };
  auto* arrays = new Arrays{indptr, indices, values};
  std::shared_ptr<const void> owner(arrays, [](const Arrays* held) {
    nb::gil_scoped_acquire gil;
    delete held;
  });
  nb::gil_scoped_release nogil;
  new (self)
      Csr(n_cols, as_span(indptr), as_span(indices), as_span(values), std::move(owner), threads);
}

// A view of what `owner` holds, and keeps alive.
template <class Value>
nb::object read_only(std::span<const Value> values, nb::handle owner) {
  return nb::cast(
      nb::ndarray<nb::numpy, const Value, nb::ndim<1>>(values.data(), {values.size()}, owner));
}

void bind_matrix(nb::module_& m) {
  m.def(
      "row_pointers",
      [](Array1<const std::uint32_t> sizes) { return to_numpy(row_pointers(as_span(sizes))); },
      "sizes"_a, "Row pointers of a matrix from the sizes of its rows.");
  nb::class_<Csr>(m, "Csr", "A sparse matrix, checked when made, that keeps its arrays alive.")
      .def("__init__", &make_csr<float>, "n_cols"_a, "indptr"_a, "indices"_a,
           "values"_a.noconvert(), nb::kw_only(), "threads"_a = 1)
      .def("__init__", &make_csr<double>, "n_cols"_a, "indptr"_a, "indices"_a,
           "values"_a.noconvert(), nb::kw_only(), "threads"_a = 1)
      .def_prop_ro("shape",
                   [](const Csr& self) { return nb::make_tuple(self.n_rows(), self.n_cols()); })
      .def_prop_ro("n_values", &Csr::n_values)
      .def(
          "arrays",
          [](nb::handle self) {
            const auto& X = nb::cast<const Csr&>(self);
            const nb::object values =
                std::visit([&](auto v) { return read_only(v, self); }, X.values());
            return nb::make_tuple(read_only(X.indptr(), self), read_only(X.indices(), self),
                                  values);
          },
          "Row pointers, indices and values, which are shared and cannot be written to.")
      .def_prop_ro("has_negative", &Csr::has_negative);
}

Tf tf_named(const std::string& name) {
  if (name == "count") return Tf::count;
  if (name == "binary") return Tf::binary;
  if (name == "relative") return Tf::relative;
  if (name == "log1p") return Tf::log1p;
  if (name == "log") return Tf::log;
  throw std::invalid_argument("tf is '" + name +
                              "', expected count, binary, relative, log1p or log");
}

Norm norm_named(const std::optional<std::string>& name) {
  if (!name) return Norm::none;
  if (*name == "l1") return Norm::l1;
  if (*name == "l2") return Norm::l2;
  throw std::invalid_argument("norm is '" + *name + "', expected l1, l2 or None");
}

GroupWeights make_group_weights(const std::string& tf, const std::optional<std::string>& norm,
                                const std::optional<Array1<const double>>& idf,
                                std::vector<std::int32_t> starts, std::vector<double> weights,
                                const Analysis* tokens) {
  GroupWeights made{tf_named(tf), norm_named(norm), {}, std::move(starts), std::move(weights), {}};
  if (tokens) made.tokens = *tokens;
  if (idf) made.idf.assign(idf->data(), idf->data() + idf->size());
  made.check();
  return made;
}

void bind_scorer(nb::module_& m) {
  nb::class_<GroupWeights>(m, "GroupWeights", "From counts to values, group by group.")
      .def(
          "__init__",
          [](GroupWeights* self, const std::string& tf, const std::optional<std::string>& norm,
             const std::optional<Array1<const double>>& idf, std::vector<std::int32_t> starts,
             std::vector<double> weights, const Analysis* tokens) {
            new (self) GroupWeights(
                make_group_weights(tf, norm, idf, std::move(starts), std::move(weights), tokens));
          },
          nb::kw_only(), "tf"_a, "norm"_a.none(), "idf"_a.none(), "starts"_a, "weights"_a,
          "tokens"_a.none())
      .def(
          "weigh",
          [](const GroupWeights& self, Array1<const std::int64_t> indptr,
             Array1<const std::int32_t> columns, Array1<float> values,
             const std::optional<Array1<const double>>& lengths, int threads) {
            require_rows(as_span(indptr), as_span(columns), self.starts.back());
            require_size(values.size(), columns.size(), "values");
            std::span<const double> tokens;
            if (lengths) tokens = as_span(*lengths);
            if (self.tokens) require_size(tokens.size(), indptr.size() - 1, "lengths");
            nb::gil_scoped_release nogil;
            self.weigh_rows(as_span(indptr), as_span(columns), values.data(), tokens, threads);
          },
          "indptr"_a, "columns"_a, "values"_a.noconvert(), "lengths"_a.none(), "threads"_a,
          "Counts, by ascending column in each row, become values. Relative counts need the "
          "lengths of the texts.");

  m.def(
      "hstack",
      [](const std::vector<const Csr*>& parts, int threads) {
        std::vector<std::int64_t> indptr;
        std::vector<std::int32_t> indices;
        std::vector<float> values;
        {
          nb::gil_scoped_release nogil;
          indptr = hstack_indptr(parts);
          indices.resize(static_cast<std::size_t>(indptr.back()));
          values.resize(indices.size());
          hstack(parts, indptr, indices.data(), values.data(), threads);
        }
        return nb::make_tuple(to_numpy(std::move(indptr)), to_numpy(std::move(indices)),
                              to_numpy(std::move(values)));
      },
      "parts"_a, "threads"_a, "Matrices side by side: indptr, indices, values.");

  m.def(
      "take",
      [](const Csr& X, Array1<const std::int64_t> rows, Array1<const std::int32_t> column_of,
         int threads) {
        require_size(column_of.size(), static_cast<std::size_t>(X.n_cols()), "columns");
        for (const std::int64_t row : as_span(rows))
          if (row < 0 || row >= X.n_rows()) throw std::invalid_argument("a row out of range");
        std::vector<std::int64_t> indptr;
        std::vector<std::int32_t> indices;
        std::vector<float> values;
        {
          nb::gil_scoped_release nogil;
          indptr = take_indptr(X, as_span(rows), as_span(column_of), threads);
          indices.resize(static_cast<std::size_t>(indptr.back()));
          values.resize(indices.size());
          take(X, as_span(rows), as_span(column_of), indptr, indices.data(), values.data(),
               threads);
        }
        return nb::make_tuple(to_numpy(std::move(indptr)), to_numpy(std::move(indices)),
                              to_numpy(std::move(values)));
      },
      "X"_a, "rows"_a, "column_of"_a, "threads"_a,
      "Some rows with renumbered columns, -1 for those left out: indptr, indices, values.");

  nb::class_<Scorer>(m, "Scorer", "Text in, scores out: blocks of features with folded weights.")
      .def(
          "__init__",
          [](Scorer* self, const std::vector<const Block*>& blocks, const GroupWeights& weighting,
             Array2<const float> W, Array1<const double> b) {
            require_size(W.shape(1), b.size(), "columns of weights");
            std::vector<Block> held;
            for (const Block* block : blocks) held.push_back(*block);
            new (self) Scorer(std::move(held), weighting,
                              std::vector<float>(W.data(), W.data() + W.size()),
                              std::vector<double>(b.data(), b.data() + b.size()));
          },
          "blocks"_a, "weighting"_a, nb::kw_only(), "W"_a, "b"_a)
      .def(
          "scores",
          [](const Scorer& self, const Texts& texts, std::size_t begin, std::size_t end,
             int threads) {
            if (end > texts.size() || begin > end)
              throw std::out_of_range("documents out of range");
            std::vector<double> scores((end - begin) * self.n_outputs());
            {
              nb::gil_scoped_release nogil;
              self.scores(texts, begin, end, scores.data(), threads);
            }
            return to_numpy(std::move(scores), {end - begin, self.n_outputs()});
          },
          "texts"_a, "begin"_a, "end"_a, "threads"_a, "Scores of the documents begin .. end-1.");
}

template <class Value>
void bind_weigh(nb::module_& m) {
  using Numbers = std::optional<Array1<const double>>;
  m.def(
      "weigh",
      [](const Csr& X, const std::string& tf, Numbers lengths, Numbers idf,
         const std::optional<std::string>& norm, Array1<Value> out, int threads) {
        if (!std::holds_alternative<std::span<const Value>>(X.values()))
          throw std::invalid_argument("`out` has another type than the values of X");
        require_size(out.size(), static_cast<std::size_t>(X.n_values()), "values in `out`");
        if (lengths) require_size(lengths->size(), static_cast<std::size_t>(X.n_rows()), "lengths");
        if (idf)
          require_size(idf->size(), static_cast<std::size_t>(X.n_cols()), "weights of features");
        const auto view = [](const Numbers& numbers) {
          return numbers ? as_span(*numbers) : std::span<const double>();
        };
        const Tf how = tf_named(tf);
        const Norm divide_by = norm_named(norm);
        nb::gil_scoped_release nogil;
        weigh(X, how, view(lengths), view(idf), divide_by, out.data(), threads);
      },
      "X"_a, nb::kw_only(), "tf"_a, "lengths"_a.none(), "idf"_a.none(), "norm"_a.none(),
      "out"_a.noconvert(), "threads"_a,
      "out[i, j] = tf(X[i, j]) idf[j], each row divided by its norm. `out` may be X's own values.");
}

void bind_weighting(nb::module_& m) {
  m.def(
      "document_frequency",
      [](const Csr& X, Array1<const std::int32_t> y, std::size_t n_classes, int threads) {
        require_size(y.size(), static_cast<std::size_t>(X.n_rows()), "labels");
        for (const std::int32_t k : as_span(y))
          if (k < 0 || static_cast<std::size_t>(k) >= n_classes)
            throw std::invalid_argument("a label out of range");
        const auto n_cols = static_cast<std::size_t>(X.n_cols());
        std::vector<std::int64_t> df(n_classes * n_cols);
        {
          nb::gil_scoped_release nogil;
          add_document_frequency(X, y.data(), df.data(), threads);
        }
        return to_numpy(std::move(df), {n_classes, n_cols});
      },
      "X"_a, "y"_a, "n_classes"_a, "threads"_a,
      "In how many rows of each class every column is stored.");
  bind_weigh<float>(m);
  bind_weigh<double>(m);
}

template <class Value>
void bind_hashed_fill(nb::class_<HashedRows>& rows) {
  rows.def(
      "fill",
      [](const HashedRows& self, bool binary, const std::optional<std::string>& norm,
         Array1<std::int32_t> indices, Array1<Value> values, int threads) {
        const Norm divide_by = norm_named(norm);
        const auto n_values = static_cast<std::size_t>(self.indptr().back());
        require_size(indices.size(), n_values, "indices");
        require_size(values.size(), n_values, "values");
        nb::gil_scoped_release nogil;
        self.fill(binary, divide_by, indices.data(), values.data(), threads);
      },
      nb::kw_only(), "binary"_a, "norm"_a.none(), "indices"_a.noconvert(), "values"_a.noconvert(),
      "threads"_a, "Write the matrix.");
}

// The UTF-8 of a feature that Python made; bytes are taken as they are.
std::string_view feature_bytes(nb::handle feature) {
  if (PyBytes_Check(feature.ptr()))
    return {PyBytes_AS_STRING(feature.ptr()),
            static_cast<std::size_t>(PyBytes_GET_SIZE(feature.ptr()))};
  if (!PyUnicode_Check(feature.ptr())) throw nb::type_error("feature names must be strings");
  Py_ssize_t size;
  const char* data = PyUnicode_AsUTF8AndSize(feature.ptr(), &size);
  if (!data) throw nb::python_error();
  return {data, static_cast<std::size_t>(size)};
}

void bind_hashing(nb::module_& m) {
  m.def(
      "hashed_columns",
      [](nb::iterable features, std::uint32_t n_features) {
        if (n_features == 0) throw std::invalid_argument("n_features is 0, expected at least 1");
        std::vector<std::int64_t> columns;
        for (const nb::handle feature : features)
          columns.push_back(hashed_column(murmur3(feature_bytes(feature)), n_features));
        return to_numpy(std::move(columns));
      },
      "features"_a, "n_features"_a, "The column of every feature.");

  nb::class_<HashedRows> rows(m, "HashedRows", "Documents as rows of hashed features.");
  rows.def(
          "__init__",
          [](HashedRows* self, std::uint32_t n_features, bool alternate_sign) {
            if (n_features < 1 || n_features > 0x7FFFFFFF)
              throw std::invalid_argument("n_features is " + std::to_string(n_features) +
                                          ", expected from 1 to 2147483647");
            new (self) HashedRows(n_features, alternate_sign);
          },
          "n_features"_a, "alternate_sign"_a)
      .def(
          "add",
          [](HashedRows& self, const Analysis& analysis, const Texts& texts, std::size_t begin,
             std::size_t end, int threads) { self.add(analysis, texts, begin, end, threads); },
          "analysis"_a, "texts"_a, "begin"_a, "end"_a, "threads"_a,
          nb::call_guard<nb::gil_scoped_release>(), "Add the documents begin .. end-1.")
      .def(
          "add_features",
          [](HashedRows& self, nb::iterable features) {
            std::vector<std::uint32_t> hashes;
            for (const nb::handle feature : features)
              hashes.push_back(murmur3(feature_bytes(feature)));
            self.add(std::move(hashes));
          },
          "features"_a, "Add one document with these features.")
      .def("indptr", [](const HashedRows& self) { return to_numpy(self.indptr()); });
  bind_hashed_fill<float>(rows);
  bind_hashed_fill<double>(rows);
}

}  // namespace

NB_MODULE(_core, m) {
  nb::set_leak_warnings(false);
  // What the core refuses is wrong input: wordplane.errors.InputError, which is a ValueError.
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const std::invalid_argument& error) {
      const nb::object input_error = nb::module_::import_("wordplane.errors").attr("InputError");
      PyErr_SetString(input_error.ptr(), error.what());
    }
  });
  m.attr("unicode_version") = kUnicodeVersion;
  m.def(
      "lower",
      [](std::string_view text) {
        std::string out;
        lower(text, out);
        return to_str(out);
      },
      "text"_a, "str.lower() as the core computes it.");
  bind_texts(m);
  bind_text(m);
  bind_counter(m);
  bind_inner_ngrams(m);
  bind_matrix(m);
  bind_scorer(m);
  bind_learners(m);
  bind_weighting(m);
  bind_hashing(m);
}

}  // namespace wordplane
