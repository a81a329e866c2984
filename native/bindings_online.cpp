// The online learners' passes as Python sees them; see bindings.cpp.
#include <nanobind/stl/optional.h>

#include <optional>

#include "bindings_learners.h"
#include "learners/mira.h"
#include "learners/online_svm.h"
#include "learners/perceptron.h"

namespace wordplane {
namespace {

// What the mean of the weights is computed from, or None.
using Sums = std::optional<Array2<double>>;

double* data_of(const Sums& sums) { return sums ? sums->data() : nullptr; }

void require_pass(const OnlineRows& rows, Array1<const std::int32_t> order, const Array2<double>& w,
                  const Sums& sums) {
  require(rows.n_classes >= 2, "an online learner needs two classes");
  require_rows(as_span(order), rows.y.size());
  const auto n_weights = static_cast<std::size_t>(rows.X.n_cols()) + 1;
  require_shape(w, n_weights, rows.n_outputs(), "weights");
  if (sums) require_shape(*sums, n_weights, rows.n_outputs(), "sums of weights");
}

AveragedWeights averaged_weights(Array2<double> w, const Sums& u, std::int64_t step) {
  require(step >= 0, "a step before the first");
  return {w.data(), data_of(u), step};
}

void bind_rows(nb::module_& m) {
  nb::class_<OnlineRows, LabeledRows>(m, "OnlineRows",
                                      "Labeled rows for the online learners, with a bias.")
      .def(
          "__init__",
          [](OnlineRows* self, const LabeledRows& rows, double bias) {
            new (self) OnlineRows(rows, bias);
          },
          "rows"_a, "bias"_a,
          "bias: the value of a feature that all rows have; 0 means that there is none.")
      .def_prop_ro(
          "middle",
          [](nb::handle_t<OnlineRows> self) {
            return to_view(nb::cast<const OnlineRows&>(self).middle(), self);
          },
          "The entry of every row at which the half of a second thread begins.");
}

void bind_perceptron(nb::module_& m) {
  m.def(
      "perceptron_pass",
      [](const OnlineRows& rows, Array1<const std::int32_t> order, Array2<double> w, Sums u,
         std::int64_t step, Threads threads) {
        require_pass(rows, order, w, u);
        const AveragedWeights weights = averaged_weights(w, u, step);
        nb::gil_scoped_release nogil;
        return perceptron_pass(rows, as_span(order), weights, threads);
      },
      "rows"_a, "order"_a, "w"_a.noconvert(), "u"_a.noconvert().none(), "step"_a, "threads"_a,
      "One pass of the perceptron from step `step` on; returns the number of mistakes.");
}

void bind_mira(nb::module_& m) {
  nb::class_<MiraRule>(m, "MiraRule", "How MIRA answers a mistake; see native/learners/mira.h.")
      .def(
          "__init__",
          [](MiraRule* self, Array2<const double> cost, bool cost_augmented, double most,
             double slack) {
            require_size(cost.shape(1), cost.shape(0), "columns of costs");
            require(most > 0 && slack >= 0,
                    "a longest step above 0 and a slack from 0 up expected");
            new (self)
                MiraRule{cost.data(), cost.shape(0), cost_augmented, most, slack, keep_alive(cost)};
          },
          "cost"_a, nb::kw_only(), "cost_augmented"_a, "most"_a, "slack"_a,
          "cost[true, guess]; a step is at most `most`, and shortened by `slack`.");
  m.def(
      "mira_pass",
      [](const OnlineRows& rows, Array1<const std::int32_t> order, const MiraRule& rule,
         Array2<double> w, Sums u, std::int64_t step, Threads threads) {
        require_pass(rows, order, w, u);
        require_size(rule.n_classes, rows.n_classes, "rows of costs");
        const AveragedWeights weights = averaged_weights(w, u, step);
        nb::gil_scoped_release nogil;
        return mira_pass(rows, as_span(order), rule, weights, threads);
      },
      "rows"_a, "order"_a, "rule"_a, "w"_a.noconvert(), "u"_a.noconvert().none(), "step"_a,
      "threads"_a, "One pass of MIRA from step `step` on; returns the number of updates.");
}

void bind_online_svm(nb::module_& m) {
  m.def(
      "online_svm_pass",
      [](const OnlineRows& rows, Array1<const std::int32_t> order, Array1<const double> eta,
         Array2<double> w, Sums sum, double alpha, Array2<const double> cost, double radius) {
        require_pass(rows, order, w, sum);
        require_size(eta.size(), order.size(), "step sizes");
        require_size(cost.shape(0), rows.n_classes, "rows of costs");
        require_size(cost.shape(1), rows.n_classes, "columns of costs");
        nb::gil_scoped_release nogil;
        return online_svm_pass(rows, as_span(order), {eta.data(), alpha, cost.data(), radius},
                               w.data(), data_of(sum));
      },
      "rows"_a, "order"_a, "eta"_a, "w"_a.noconvert(), "sum"_a.noconvert().none(), nb::kw_only(),
      "alpha"_a, "cost"_a, "radius"_a,
      "One pass of Pegasos with these step sizes; returns the number of updates.");
}

}  // namespace

void bind_online(nb::module_& m) {
  bind_rows(m);
  bind_perceptron(m);
  bind_mira(m);
  bind_online_svm(m);
}

}  // namespace wordplane
