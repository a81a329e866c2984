// Matrices as Python sees them; see bindings.cpp.
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "common/csr.h"
#include "common/hstack.h"
#include "common/take.h"

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

void bind_csr(nb::module_& m) {
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

void bind_selection(nb::module_& m) {
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
}

}  // namespace

void bind_matrix(nb::module_& m) {
  bind_csr(m);
  bind_selection(m);
}

}  // namespace wordplane
