// Matrices, their weighting, scores and hashed features, as Python sees them; see bindings.cpp.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <unordered_map>

#include "bindings.h"
#include "common/csr.h"
#include "common/hstack.h"
#include "common/probabilities.h"
#include "common/take.h"
#include "features/hashing.h"
#include "features/scorer.h"
#include "features/weighting.h"
#include "text/char_offsets.h"
#include "text/texts.h"

namespace wordplane {
namespace {

template <class Value>
void make_csr(Csr* self, std::int64_t n_cols, Array1<const std::int64_t> indptr,
              Array1<const std::int32_t> indices, Array1<const Value> values, Threads threads) {
  auto owner = keep_alive(indptr, indices, values);
  nb::gil_scoped_release nogil;
  new (self)
      Csr(n_cols, as_span(indptr), as_span(indices), as_span(values), std::move(owner), threads);
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

void bind_matrix(nb::module_& m) {
  m.def(
      "row_pointers",
      [](Array1<const std::uint32_t> sizes) { return to_numpy(row_pointers(as_span(sizes))); },
      "sizes"_a, "Row pointers of a matrix from the sizes of its rows.");
  nb::class_<Csr>(m, "Csr", "A sparse matrix, checked when made, that keeps its arrays alive.")
      .def("__init__", &make_csr<float>, "n_cols"_a, "indptr"_a, "indices"_a,
           "values"_a.noconvert(), nb::kw_only(), "threads"_a = 1,
           "Row pointers; the column and the value of every entry.")
      .def("__init__", &make_csr<double>, "n_cols"_a, "indptr"_a, "indices"_a,
           "values"_a.noconvert(), nb::kw_only(), "threads"_a = 1)
      .def_prop_ro("shape",
                   [](const Csr& self) { return std::tuple(self.n_rows(), self.n_cols()); })
      .def_prop_ro("n_values", &Csr::n_values)
      .def(
          "arrays",
          [](nb::handle_t<Csr> self) {
            const auto& X = nb::cast<const Csr&>(self);
            using Values = std::variant<NumPy<const float>, NumPy<const double>>;
            return std::tuple(
                to_view(X.indptr(), self), to_view(X.indices(), self),
                std::visit([&](auto v) { return Values(to_view(v, self)); }, X.values()));
          },
          "Row pointers, indices and values, which are shared and cannot be written to.")
      .def_prop_ro("has_negative", &Csr::has_negative);
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

  m.def(
      "hstack",
      [](const std::vector<const Csr*>& parts, Threads threads) {
        require_all(parts, "a part is None, expected a matrix");
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
        return to_arrays(std::move(indptr), std::move(indices), std::move(values));
      },
      "parts"_a, "threads"_a, "Matrices side by side: indptr, indices, values.");

  m.def(
      "take",
      [](const Csr& X, Array1<const std::int64_t> rows, Array1<const std::int32_t> column_of,
         Threads threads) {
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
        return to_arrays(std::move(indptr), std::move(indices), std::move(values));
      },
      "X"_a, "rows"_a, "column_of"_a, "threads"_a,
      "Some rows with renumbered columns, -1 for those left out: indptr, indices, values.");

  nb::class_<Scorer>(m, "Scorer", "Text in, scores out: blocks of features with folded weights.")
      .def(
          "__init__",
          [](Scorer* self, const std::vector<const Block*>& blocks, const GroupWeights& weighting,
             Array2<const float> W, Array1<const double> b) {
            require_all(blocks, "a block is None");
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
          [](const Scorer& self, const Texts& texts, std::size_t begin, Array2<double> out,
             Threads threads) {
            require_size(out.shape(1), self.n_outputs(), "columns of scores");
            nb::gil_scoped_release nogil;
            self.scores(texts, begin, begin + out.shape(0), out.data(), threads);
          },
          "texts"_a, "begin"_a, "out"_a.noconvert(), "threads"_a,
          "Write the scores of as many documents as `out` has rows, from `begin` on.")
      .def(
          "contributions",
          [](const Scorer& self, const Texts& texts, std::size_t row,
             Array1<const double> direction) {
            std::vector<Contribution> found;
            {
              nb::gil_scoped_release nogil;
              found = self.contributions(texts, row, as_span(direction));
            }
            const CharOffsets chars(texts[row]);
            nb::list features;
            std::vector<std::int64_t> starts, ends;
            std::vector<double> values;
            std::unordered_map<std::int32_t, nb::object> names;  // one string for all occurrences
            for (const Contribution& one : found) {
              if (!one.name.empty()) {
                features.append(to_str(one.name));
              } else {
                nb::object& name = names[one.column];
                if (!name.is_valid())
                  name = to_str(self.name(static_cast<std::size_t>(one.column)));
                features.append(name);
              }
              starts.push_back(chars(one.span.begin));
              ends.push_back(chars(one.span.end));
              values.push_back(one.value);
            }
            return nb::make_tuple(features, to_numpy(std::move(starts)), to_numpy(std::move(ends)),
                                  to_numpy(std::move(values)));
          },
          nb::sig("def contributions(self, texts: Texts, row: int, direction: "
                  "NDArray[numpy.float64]) -> tuple[list[str], NDArray[numpy.int64], "
                  "NDArray[numpy.int64], NDArray[numpy.float64]]"),
          "texts"_a, "row"_a, "direction"_a,
          "What every occurrence of a feature adds to scores @ direction, strongest first: names, "
          "first characters, ends, values.");

  m.def(
      "power_softmax",
      [](nb::ndarray<const double, nb::c_contig, nb::device::cpu> Z, double power,
         double temperature) {
        if (Z.ndim() < 1 || Z.ndim() > 2) throw std::invalid_argument("one or two dimensions");
        const std::size_t n_rows = Z.shape(0), n_columns = Z.ndim() == 1 ? 1 : Z.shape(1);
        if (n_columns == 0) throw std::invalid_argument("no scores");
        const std::size_t n_classes = std::max<std::size_t>(n_columns, 2);
        std::vector<double> P(n_rows * n_classes);
        {
          nb::gil_scoped_release nogil;
          power_softmax({Z.data(), Z.size()}, n_columns, power, temperature, P.data());
        }
        return to_numpy(std::move(P), {n_rows, n_classes});
      },
      "Z"_a, "power"_a, "temperature"_a,
      "Probabilities of scores: softmax(-d^power / temperature), d what a class is behind the "
      "best. One score per row is that of the second of two classes.");
  m.def(
      "sigmoids",
      [](Array2<const double> Z, Array1<const double> a, Array1<const double> b) {
        require_size(a.size(), Z.shape(1), "slopes");
        require_size(b.size(), Z.shape(1), "intercepts");
        std::vector<double> P(Z.size());
        {
          nb::gil_scoped_release nogil;
          sigmoids({Z.data(), Z.size()}, as_span(a), as_span(b), P.data());
        }
        return to_numpy(std::move(P), {Z.shape(0), Z.shape(1)});
      },
      "Z"_a, "a"_a, "b"_a, "1 / (1 + exp(-(a z + b))), a and b by column.");
  m.def(
      "likeliest",
      [](Array2<const double> P, std::size_t k) {
        const std::size_t n_rows = P.shape(0), n_columns = P.shape(1);
        k = std::min(k, n_columns);
        std::vector<std::int64_t> best(n_rows * k);
        if (k > 0) {
          nb::gil_scoped_release nogil;
          likeliest({P.data(), P.size()}, n_columns, k, best.data());
        }
        return to_numpy(std::move(best), {n_rows, k});
      },
      "P"_a, "k"_a,
      "The k columns with the largest values of each row, the first of equals first.");
}

void bind_weighting(nb::module_& m) {
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
