// The learners' passes as Python sees them; see bindings.cpp.
#include "bindings.h"
#include "csr.h"
#include "linear.h"
#include "naive_bayes.h"

namespace wordplane {
namespace {

void require_labels(Array1<const std::int32_t> y, const Csr& X, std::size_t n_classes) {
  require_size(y.size(), static_cast<std::size_t>(X.n_rows()), "labels");
  for (const std::int32_t k : as_span(y))
    if (k < 0 || static_cast<std::size_t>(k) >= n_classes)
      throw std::invalid_argument("a label out of range");
}

void bind_naive_bayes(nb::module_& m) {
  m.def(
      "add_class_counts",
      [](const Csr& X, Array1<const std::int32_t> y, Array1<const double> weight,
         Array2<double> counts, int threads) {
        const auto n_rows = static_cast<std::size_t>(X.n_rows());
        require_labels(y, X, counts.shape(0));
        require_size(weight.size(), n_rows, "weights");
        require_size(counts.shape(1), static_cast<std::size_t>(X.n_cols()), "columns of counts");
        nb::gil_scoped_release nogil;
        add_class_counts(X, y.data(), weight.data(), counts.data(), threads);
      },
      "X"_a, "y"_a, "weight"_a, "counts"_a.noconvert(), "threads"_a,
      "counts[k, j] += sum of weight[i] * X[i, j] over the rows i of class k.");
}

void bind_linear(nb::module_& m) {
  m.def(
      "linear_scores",
      [](const Csr& X, Array2<const double> W, Array1<const double> b, int threads) {
        const auto n_rows = static_cast<std::size_t>(X.n_rows());
        require_size(W.shape(0), static_cast<std::size_t>(X.n_cols()), "rows of weights");
        require_size(b.size(), W.shape(1), "biases");
        std::vector<double> scores(n_rows * b.size());
        {
          nb::gil_scoped_release nogil;
          linear_scores(X, W.data(), b.data(), b.size(), scores.data(), threads);
        }
        return to_numpy(std::move(scores), {n_rows, b.size()});
      },
      "X"_a, "W"_a, "b"_a, "threads"_a, "X @ W + b, with W of shape (n_features, n_outputs).");
}

}  // namespace

void bind_learners(nb::module_& m) {
  bind_naive_bayes(m);
  bind_linear(m);
}

}  // namespace wordplane
