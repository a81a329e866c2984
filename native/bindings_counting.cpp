// Counters as Python sees them; see bindings.cpp.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "bindings.h"
#include "features/counter.h"
#include "features/inner_ngrams.h"
#include "text/texts.h"

namespace wordplane {
namespace {

template <class Value>
void bind_fill(nb::class_<Counter>& counter) {
  counter.def(
      "fill",
      [](Counter& self, Array1<std::int32_t> indices, Array1<Value> values, Threads threads) {
        require(!self.indptr().empty() && indices.size() == values.size() &&
                    static_cast<std::size_t>(self.indptr().back()) == values.size(),
                "arrays of the size that indptr tells expected");
        nb::gil_scoped_release nogil;
        self.fill(indices.data(), values.data(), threads);
      },
      "indices"_a, "values"_a.noconvert(), "threads"_a,
      "Write the matrix of the selected features, whose counts are then let go of.");
}

auto as_arrays(Lists lists) {
  return to_arrays(std::move(lists.indptr), std::move(lists.ngrams), std::move(lists.columns));
}

void require_lengths(int min_n, int max_n) {
  require(min_n >= 1 && max_n >= min_n, "n-grams of 1 or more characters expected");
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
      [](const InnerCounts& self, Array1<std::int32_t> indices, Array1<Value> values,
         Threads threads) {
        require_size(indices.size(), static_cast<std::size_t>(self.indptr.back()), "indices");
        require_size(values.size(), indices.size(), "values");
        nb::gil_scoped_release nogil;
        inner_fill(self.documents(), self.lists(), self.indptr, indices.data(), values.data(),
                   threads);
      },
      "indices"_a, "values"_a.noconvert(), "threads"_a, "Write the matrix.");
}

}  // namespace

void bind_counter(nb::module_& m) {
  nb::class_<Counter> counter(m, "Counter", "Counts words and n-grams and gives them columns.");
  const auto frequency = [](auto method) {
    return [method](const Counter& self, Threads threads) {
      std::vector<std::int64_t> sums;
      {
        nb::gil_scoped_release nogil;
        sums = (self.*method)(threads);
      }
      return to_numpy(std::move(sums));
    };
  };
  counter
      .def(nb::init<const Analysis&>(), "analysis"_a,
           "analysis: how texts become words and n-grams.")
      .def(
          "add",
          [](Counter& self, const Texts& texts, std::size_t begin, std::size_t end,
             Threads threads) { self.add(texts, begin, end, threads); },
          "texts"_a, "begin"_a, "end"_a, "threads"_a, nb::call_guard<nb::gil_scoped_release>(),
          "Count the documents begin .. end-1.")
      .def(
          "finish",
          [](Counter& self, const std::string& order, Threads threads) {
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
      .def("document_frequency", frequency(&Counter::document_frequency), "threads"_a,
           "In how many documents each feature occurs.")
      .def("term_frequency", frequency(&Counter::term_frequency), "threads"_a,
           "How often each feature occurs in all documents.")
      .def(
          "select",
          [](Counter& self, Array1<const bool> keep, Threads threads) {
            nb::gil_scoped_release nogil;
            self.select(as_span(keep), threads);
          },
          "keep"_a, "threads"_a,
          "Keep the flagged features; they take the columns 0, 1, ... Can be done once.")
      .def(
          "indptr", [](const Counter& self) { return to_numpy(self.indptr()); },
          "Row pointers of the matrix of the selected features.")
      .def(
          "vocabulary",
          [](const Counter& self, Threads threads) { return self.vocabulary(threads); },
          "threads"_a = 1, nb::call_guard<nb::gil_scoped_release>(),
          "The vocabulary of the selected features.");
  bind_fill<std::int64_t>(counter);
  bind_fill<float>(counter);
  bind_fill<double>(counter);
}

void bind_inner_ngrams(nb::module_& m) {
  m.def(
      "inner_ngrams",
      [](const Counter& words, int min_n, int max_n) {
        require_lengths(min_n, max_n);
        InnerNgrams found;
        {
          nb::gil_scoped_release nogil;
          found = inner_ngrams(words.words(), min_n, max_n);
        }
        return std::tuple(std::move(found.names), as_arrays(std::move(found.lists)));
      },
      "words"_a, "min_n"_a, "max_n"_a,
      "n-grams of characters inside words: their names by column; row pointers and numbers of each "
      "word's n-grams, columns of the numbers.");
  m.def(
      "known_inner_ngrams",
      [](const Counter& words, int min_n, int max_n, const Vocabulary& known) {
        require_lengths(min_n, max_n);
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
             Array1<const std::int32_t> list_columns, Threads threads) {
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
          "list_columns"_a, "threads"_a,
          "Rows of words and their counts; rows of n-grams by word, and the columns of these.")
      .def(
          "indptr", [](const InnerCounts& self) { return to_numpy(self.indptr); },
          "Row pointers of the matrix.")
      .def(
          "document_frequency",
          [](const InnerCounts& self, Threads threads) {
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

}  // namespace wordplane
