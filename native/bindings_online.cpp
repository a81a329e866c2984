// The online learners' passes as Python sees them; see bindings.cpp.
#include <nanobind/stl/optional.h>

#include <optional>

#include "bindings_learners.h"
#include "learners/mira.h"
#include "learners/online_svm.h"
#include "learners/perceptron.h"

namespace wordplane {
namespace {

// Weights of an online learner, or none.
using Sums = std::optional<Array2<double>>;

Pass online_pass(const Csr& X, Array1<const std::int32_t> y, Array1<const double> weight,
                 Array1<const std::int32_t> order, double bias, std::size_t n_classes,
                 const Array2<double>& w, const Sums& u) {
  if (n_classes < 2) throw std::invalid_argument("an online learner needs two classes");
  require_labels(y, X, n_classes);
  require_size(weight.size(), y.size(), "weights");
  require_rows(order, y.size());
  const auto require_shape = [&](const Array2<double>& weights) {
    require_size(weights.shape(0), static_cast<std::size_t>(X.n_cols()) + 1, "rows of weights");
    require_size(weights.shape(1), n_outputs(n_classes), "columns of weights");
  };
  require_shape(w);
  if (u) require_shape(*u);
  return {X, y.data(), weight.data(), as_span(order), bias, n_classes};
}

Halves halves_of(const Csr& X, Array1<const std::int64_t> middle, int threads) {
  require_size(middle.size(), static_cast<std::size_t>(X.n_rows()), "middles");
  for (std::size_t i = 0; i < middle.size(); ++i)
    if (middle(i) < X.indptr()[i] || middle(i) > X.indptr()[i + 1])
      throw std::invalid_argument("a middle out of its row");
  return {as_span(middle), threads};
}

void bind_perceptron(nb::module_& m) {
  m.def(
      "middles",
      [](const Csr& X) {
        std::vector<std::int64_t> middle;
        {
          nb::gil_scoped_release nogil;
          middle = middles(X);
        }
        return to_numpy(std::move(middle));
      },
      "X"_a, "The entry of every row at which the second half of the columns begins.");
  m.def(
      "perceptron_pass",
      [](const Csr& X, Array1<const std::int32_t> y, Array1<const double> weight,
         Array1<const std::int64_t> middle, Array1<const std::int32_t> order, double bias,
         std::size_t n_classes, std::int64_t step, Array2<double> w, Sums u, int threads) {
        const Pass pass = online_pass(X, y, weight, order, bias, n_classes, w, u);
        const Halves halves = halves_of(X, middle, threads);
        nb::gil_scoped_release nogil;
        return perceptron_pass(pass, halves, step, w.data(), u ? u->data() : nullptr);
      },
      "X"_a, "y"_a, "weight"_a, "middle"_a, "order"_a, "bias"_a, "n_classes"_a, "step"_a,
      "w"_a.noconvert(), "u"_a.noconvert().none(), "threads"_a,
      "One pass; returns the number of mistakes.");
}

void bind_mira(nb::module_& m) {
  m.def(
      "mira_pass",
      [](const Csr& X, Array1<const std::int32_t> y, Array1<const double> weight,
         Array1<const std::int64_t> middle, Array1<const std::int32_t> order, double bias,
         Array2<const double> cost, bool cost_augmented, double most, double slack,
         std::int64_t step, Array2<double> w, Sums u, int threads) {
        require_size(cost.shape(1), cost.shape(0), "columns of costs");
        const Pass pass = online_pass(X, y, weight, order, bias, cost.shape(0), w, u);
        const Halves halves = halves_of(X, middle, threads);
        nb::gil_scoped_release nogil;
        return mira_pass(pass, halves, {cost.data(), cost_augmented, most, slack}, step, w.data(),
                         u ? u->data() : nullptr);
      },
      "X"_a, "y"_a, "weight"_a, "middle"_a, "order"_a, "bias"_a, "cost"_a, "cost_augmented"_a,
      "most"_a, "slack"_a, "step"_a, "w"_a.noconvert(), "u"_a.noconvert().none(), "threads"_a,
      "One pass; returns the number of updates.");
}

void bind_online_svm(nb::module_& m) {
  m.def(
      "online_svm_pass",
      [](const Csr& X, Array1<const std::int32_t> y, Array1<const double> weight,
         Array1<const std::int32_t> order, Array1<const double> eta, double lambda, double bias,
         Array2<const double> cost, double radius, Array2<double> w, Sums sum) {
        require_size(cost.shape(1), cost.shape(0), "columns of costs");
        require_size(eta.size(), order.size(), "step sizes");
        const Pass pass = online_pass(X, y, weight, order, bias, cost.shape(0), w, sum);
        nb::gil_scoped_release nogil;
        return online_svm_pass(pass, {eta.data(), lambda, cost.data(), radius}, w.data(),
                               sum ? sum->data() : nullptr);
      },
      "X"_a, "y"_a, "weight"_a, "order"_a, "eta"_a, "lambda_"_a, "bias"_a, "cost"_a, "radius"_a,
      "w"_a.noconvert(), "sum"_a.noconvert().none(), "One pass; returns the number of updates.");
}

}  // namespace

void bind_online(nb::module_& m) {
  bind_perceptron(m);
  bind_mira(m);
  bind_online_svm(m);
}

}  // namespace wordplane
