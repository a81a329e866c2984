// The weighting of counts, and hashed features, as Python sees them; see bindings.cpp.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "common/csr.h"
#include "features/group_weights.h"
#include "features/hashing.h"
#include "features/weighting.h"
#include "text/texts.h"

namespace wordplane {
namespace {

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

template <class Value>
void bind_weigh(nb::module_& m) {
  using Numbers = std::optional<Array1<const double>>;
  m.def(
      "weigh",
      [](const Csr& X, const std::string& tf, Numbers lengths, Numbers idf,
         const std::optional<std::string>& norm, Array1<Value> out, Threads threads) {
        require(std::holds_alternative<std::span<const Value>>(X.values()),
                "`out` has another type than the values of X");
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

void bind_group_weights(nb::module_& m) {
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
             const std::optional<Array1<const double>>& lengths, Threads threads) {
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
}

void bind_document_frequency(nb::module_& m) {
  m.def(
      "document_frequency",
      [](const Csr& X, Array1<const std::int32_t> y, std::size_t n_classes, Threads threads) {
        require_classes(n_classes);
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
}

template <class Value>
void bind_hashed_fill(nb::class_<HashedRows>& rows) {
  rows.def(
      "fill",
      [](const HashedRows& self, bool binary, const std::optional<std::string>& norm,
         Array1<std::int32_t> indices, Array1<Value> values, Threads threads) {
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

using Names = nb::typed<nb::iterable, std::variant<nb::str, nb::bytes>>;

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

}  // namespace

void bind_weighting(nb::module_& m) {
  bind_group_weights(m);
  bind_document_frequency(m);
  bind_weigh<float>(m);
  bind_weigh<double>(m);
}

void bind_hashing(nb::module_& m) {
  m.def(
      "hashed_columns",
      [](Names features, std::uint32_t n_features) {
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
             std::size_t end, Threads threads) { self.add(analysis, texts, begin, end, threads); },
          "analysis"_a, "texts"_a, "begin"_a, "end"_a, "threads"_a,
          nb::call_guard<nb::gil_scoped_release>(), "Add the documents begin .. end-1.")
      .def(
          "add_features",
          [](HashedRows& self, Names features) {
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

}  // namespace wordplane
