// Neighbors and duplicates as Python sees them; see bindings.cpp.
#include <nanobind/stl/optional.h>

#include <cmath>
#include <optional>

#include "bindings.h"
#include "search/duplicates.h"
#include "search/neighbors.h"

namespace wordplane {
namespace {

constexpr double kLargestOffset = 1e300;

void bind_neighbors(nb::module_& m) {
  nb::class_<NeighborIndex>(m, "NeighborIndex", "Rows to be found; see native/search/neighbors.h.")
      .def(
          "__init__",
          [](NeighborIndex* self, const Csr& X, Array1<const double> offset,
             std::optional<Array1<const double>> weight,
             std::optional<Array1<const double>> square) {
            require(!weight || !square, "weights and squared lengths are not used together");
            require_size(offset.size(), static_cast<std::size_t>(X.n_rows()), "offsets");
            for (const double o : as_span(offset))
              require(std::abs(o) <= kLargestOffset,
                      "values or weights are too large for distances: scale them down");
            if (weight) {
              require_size(weight->size(), static_cast<std::size_t>(X.n_cols()), "weights");
              for (const double w : as_span(*weight))
                require(w >= 0 && std::isfinite(w), "a weight out of range");
            }
            if (square) {
              require_size(square->size(), static_cast<std::size_t>(X.n_rows()), "squared lengths");
              for (const double s : as_span(*square))
                require(s >= 0 && std::isfinite(s), "a squared length out of range");
            }
            nb::gil_scoped_release nogil;
            const auto span = [](const auto& a) {
              return a ? as_span(*a) : std::span<const double>();
            };
            new (self) NeighborIndex(X, as_span(offset), span(weight), span(square));
          },
          "X"_a, "offset"_a, "weight"_a.none(), "square"_a.none(),
          "offset: what the rows of X start from; weight: what each feature counts, or square: the "
          "squared lengths of the rows, for cosines.")
      .def(
          "search",
          [](const NeighborIndex& self, const Csr& Q, std::size_t begin, std::size_t end,
             std::size_t k, Threads threads) {
            require_size(static_cast<std::size_t>(Q.n_cols()),
                         static_cast<std::size_t>(self.X().n_cols()), "columns");
            require(begin <= end && end <= static_cast<std::size_t>(Q.n_rows()) && k >= 1 &&
                        k <= static_cast<std::size_t>(self.X().n_rows()),
                    "rows or neighbors out of range");
            std::vector<std::int32_t> rows((end - begin) * k);
            std::vector<double> gaps(rows.size());
            {
              nb::gil_scoped_release nogil;
              self.search(Q, begin, end, k, rows.data(), gaps.data(), threads);
            }
            return std::tuple(to_numpy(std::move(rows), {end - begin, k}),
                              to_numpy(std::move(gaps), {end - begin, k}));
          },
          "Q"_a, "begin"_a, "end"_a, "k"_a, "threads"_a,
          "The k neighbors of rows of Q, best first, and how far they are.");
}

void bind_duplicates(nb::module_& m) {
  m.def(
      "find_duplicates",
      [](const Texts& texts, double threshold, Threads threads) {
        require(threshold >= 0 && threshold <= 1, "a threshold from 0 to 1 expected");
        Duplicates found;
        {
          nb::gil_scoped_release nogil;
          found = find_duplicates(texts, threshold, threads);
        }
        return to_arrays(std::move(found.same), std::move(found.similar));
      },
      "texts"_a, "threshold"_a, "threads"_a,
      "By text, the first that has the same words, and the first of those that are alike.");
}

}  // namespace

void bind_search(nb::module_& m) {
  bind_neighbors(m);
  bind_duplicates(m);
}

}  // namespace wordplane
