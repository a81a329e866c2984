// The learners' passes as Python sees them; see bindings.cpp.
#include <nanobind/stl/optional.h>

#include <optional>

#include "alpha_choice.h"
#include "bindings.h"
#include "csr.h"
#include "linear.h"
#include "mira.h"
#include "naive_bayes.h"
#include "online_svm.h"
#include "perceptron.h"

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

void require_rows(Array1<const std::int32_t> rows, std::size_t n_rows) {
  for (const std::int32_t i : as_span(rows))
    if (i < 0 || static_cast<std::size_t>(i) >= n_rows)
      throw std::invalid_argument("a row out of range");
}

void bind_alpha_choice(nb::module_& m) {
  nb::class_<HeldOutCounts>(m, "HeldOutCounts", "Counts per class that can leave out documents.")
      .def(
          "__init__",
          [](HeldOutCounts* self, const Csr& X, Array1<const std::int32_t> y,
             Array1<const double> weight, std::size_t n_classes) {
            require_labels(y, X, n_classes);
            require_size(weight.size(), static_cast<std::size_t>(X.n_rows()), "weights");
            nb::gil_scoped_release nogil;
            new (self) HeldOutCounts(X, as_span(y), as_span(weight), n_classes);
          },
          "X"_a, "y"_a, "weight"_a, "n_classes"_a)
      .def(
          "scores",
          [](const HeldOutCounts& self, Array1<const std::int64_t> fold_ends,
             Array1<const std::int32_t> rows, Array1<const double> alphas,
             Array2<const double> scale, Array2<const double> log_prior, int threads) {
            const std::size_t n_folds = fold_ends.size(), n_classes = self.n_classes();
            std::int64_t last = 0;
            for (const std::int64_t end : as_span(fold_ends)) {
              if (end < last) throw std::invalid_argument("the ends of the folds descend");
              last = end;
            }
            require_size(rows.size(), static_cast<std::size_t>(last), "rows of folds");
            require_rows(rows, self.n_rows());
            std::vector<bool> seen(self.n_rows());
            for (const std::int32_t i : as_span(rows)) {
              if (seen[static_cast<std::size_t>(i)])
                throw std::invalid_argument("a row in two folds");
              seen[static_cast<std::size_t>(i)] = true;
            }
            for (const auto& table : {scale, log_prior}) {
              require_size(table.shape(0), n_folds, "rows of a table by fold");
              require_size(table.shape(1), n_classes, "columns of a table by class");
            }
            std::vector<double> scores(rows.size() * alphas.size() * n_classes);
            {
              nb::gil_scoped_release nogil;
              self.scores(as_span(fold_ends), as_span(rows), as_span(alphas), scale.data(),
                          log_prior.data(), scores.data(), threads);
            }
            return to_numpy(std::move(scores), {rows.size(), n_classes, alphas.size()});
          },
          "fold_ends"_a, "rows"_a, "alphas"_a, "scale"_a, "log_prior"_a, "threads"_a,
          "The scores (row, class, alpha) of every fold's rows, counted without that fold.");
}

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

void bind_perceptron(nb::module_& m) {
  m.def(
      "perceptron_pass",
      [](const Csr& X, Array1<const std::int32_t> y, Array1<const double> weight,
         Array1<const std::int32_t> order, double bias, std::size_t n_classes, std::int64_t step,
         Array2<double> w, Sums u) {
        const Pass pass = online_pass(X, y, weight, order, bias, n_classes, w, u);
        nb::gil_scoped_release nogil;
        return perceptron_pass(pass, step, w.data(), u ? u->data() : nullptr);
      },
      "X"_a, "y"_a, "weight"_a, "order"_a, "bias"_a, "n_classes"_a, "step"_a, "w"_a.noconvert(),
      "u"_a.noconvert().none(), "One pass; returns the number of mistakes.");
}

void bind_mira(nb::module_& m) {
  m.def(
      "mira_pass",
      [](const Csr& X, Array1<const std::int32_t> y, Array1<const double> weight,
         Array1<const std::int32_t> order, double bias, Array2<const double> cost,
         bool cost_augmented, double most, double slack, std::int64_t step, Array2<double> w,
         Sums u) {
        require_size(cost.shape(1), cost.shape(0), "columns of costs");
        const Pass pass = online_pass(X, y, weight, order, bias, cost.shape(0), w, u);
        nb::gil_scoped_release nogil;
        return mira_pass(pass, {cost.data(), cost_augmented, most, slack}, step, w.data(),
                         u ? u->data() : nullptr);
      },
      "X"_a, "y"_a, "weight"_a, "order"_a, "bias"_a, "cost"_a, "cost_augmented"_a, "most"_a,
      "slack"_a, "step"_a, "w"_a.noconvert(), "u"_a.noconvert().none(),
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
  bind_alpha_choice(m);
  bind_perceptron(m);
  bind_mira(m);
  bind_online_svm(m);
}

}  // namespace wordplane
