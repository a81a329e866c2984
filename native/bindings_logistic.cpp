// The passes of logistic regression as Python sees them; see bindings.cpp.
#include <cmath>

#include "bindings_learners.h"
#include "learners/logistic_dual.h"
#include "learners/stochastic.h"

namespace wordplane {
namespace {

// How many outputs W has: one for each class, or one that two classes share.
std::size_t require_outputs(const LabeledRows& rows, const Array2<double>& W,
                            const Array1<double>& b) {
  const std::size_t n_outputs = W.shape(1) == rows.n_classes ? rows.n_classes : rows.n_outputs();
  require_shape(W, static_cast<std::size_t>(rows.X.n_cols()), n_outputs, "weights");
  require_size(b.size(), n_outputs, "biases");
  return n_outputs;
}

void require_probabilities(const Array2<double>& A) {
  for (std::size_t e = 0; e < A.size(); ++e)
    require(A.data()[e] >= 0 && A.data()[e] <= 1, "a dual variable is not from 0 to 1");
}

LossAndGap loss_and_gap_of(const LogisticDual& dual, Array1<const std::int32_t> order,
                           Array2<double> loss_and_gap) {
  require_rows(as_span(order), dual.rows.y.size());
  require_shape(loss_and_gap, 2, dual.n_outputs, "loss and gap");
  return {loss_and_gap.data(), loss_and_gap.data() + dual.n_outputs};
}

void bind_dual(nb::module_& m) {
  nb::class_<LogisticDual>(
      m, "LogisticDual",
      "Logistic regression and its dual in training; see native/learners/logistic_dual.h.")
      .def(
          "__init__",
          [](LogisticDual* self, const LabeledRows& rows, Array2<double> A, Array2<double> W,
             Array1<double> b, double bias, Threads threads) {
            const std::size_t n_outputs = require_outputs(rows, W, b);
            require_shape(A, rows.y.size(), n_outputs, "dual variables");
            require_probabilities(A);
            require(bias >= 0 && std::isfinite(bias), "a bias feature that is not finite");
            auto owner = keep_alive(A, W, b);
            nb::gil_scoped_release nogil;
            new (self) LogisticDual{rows,
                                    bias,
                                    n_outputs,
                                    A.data(),
                                    W.data(),
                                    b.data(),
                                    dual_norms(rows.X, bias, threads),
                                    std::move(owner)};
          },
          "rows"_a, "A"_a.noconvert(), "W"_a.noconvert(), "b"_a.noconvert(), nb::kw_only(),
          "bias"_a, "threads"_a,
          "Dual variables A (n_rows x n_outputs) and the weights W, b that belong to them, which "
          "passes change. bias: the square of the bias feature, 0 for none.")
      .def(
          "binary_pass",
          [](const LogisticDual& self, Array1<const std::int32_t> order,
             Array2<double> loss_and_gap, Threads threads) {
            const LossAndGap sums = loss_and_gap_of(self, order, loss_and_gap);
            nb::gil_scoped_release nogil;
            binary_dual_pass(self, as_span(order), sums, threads);
          },
          "order"_a, "loss_and_gap"_a.noconvert(), "threads"_a,
          "Descend over the rows in order, each output against the rest. Adds the losses and gaps "
          "of the rows when they are met, by output.")
      .def(
          "softmax_pass",
          [](const LogisticDual& self, Array1<const std::int32_t> order,
             Array2<double> loss_and_gap, Threads) {
            require_size(self.n_outputs, std::max<std::size_t>(self.rows.n_classes, 2), "outputs");
            const LossAndGap sums = loss_and_gap_of(self, order, loss_and_gap);
            nb::gil_scoped_release nogil;
            softmax_dual_pass(self, as_span(order), sums);
          },
          "order"_a, "loss_and_gap"_a.noconvert(), "threads"_a,
          "The same for all classes at once, which threads cannot share out.");
}

Batches batches_of(const StochasticState& state, Array1<const std::int32_t> order,
                   std::size_t batch_size) {
  require(batch_size >= 1, "a batch has a row at least");
  require_rows(as_span(order), state.rows.y.size());
  return {as_span(order), batch_size};
}

void bind_stochastic(nb::module_& m) {
  nb::class_<StochasticState>(
      m, "StochasticState",
      "Logistic regression in training by stochastic steps; see native/learners/stochastic.h.")
      .def(
          "__init__",
          [](StochasticState* self, const LabeledRows& rows, Array2<double> W, Array1<double> b,
             bool softmax, bool bias, bool penalized_bias) {
            const std::size_t n_outputs = require_outputs(rows, W, b);
            require(!softmax || (n_outputs == rows.n_classes && n_outputs > 1),
                    "softmax needs an output for each of two or more classes");
            new (self) StochasticState{rows,      softmax,  bias,     penalized_bias,
                                       n_outputs, W.data(), b.data(), keep_alive(W, b)};
          },
          "rows"_a, "W"_a.noconvert(), "b"_a.noconvert(), nb::kw_only(), "softmax"_a, "bias"_a,
          "penalized_bias"_a,
          "The weights that passes change; whether all classes are learned at once, and whether "
          "there is a bias, and it is penalized.");
  m.def(
      "sgd_pass",
      [](const StochasticState& state, Array1<const std::int32_t> order, std::size_t batch_size,
         Array1<const double> eta, Array1<const double> P, Array1<const double> S) {
        const Batches batches = batches_of(state, order, batch_size);
        require_size(eta.size(), batches.size(), "steps");
        require_size(P.size(), eta.size() + 1, "products");
        require_size(S.size(), eta.size() + 1, "sums");
        nb::gil_scoped_release nogil;
        return sgd_pass(state, batches, {as_span(eta), as_span(P), as_span(S)});
      },
      "state"_a, "order"_a, "batch_size"_a, "eta"_a, "P"_a, "S"_a,
      "Stochastic gradient steps over the rows in order; the loss of the rows when met.");

  nb::class_<AdaGrad>(m, "AdaGrad", "The steps of AdaGrad, and the squares of gradients so far.")
      .def(
          "__init__",
          [](AdaGrad* self, const StochasticState& state, Array2<double> G, double eta, double eps,
             double l1, double l2) {
            const auto n_weights = static_cast<std::size_t>(state.rows.X.n_cols()) + 1;
            require_shape(G, n_weights, state.n_outputs, "squares of gradients");
            new (self) AdaGrad{eta, eps, l1, l2, {G.data(), G.size()}, keep_alive(G)};
          },
          "state"_a, "G"_a.noconvert(), nb::kw_only(), "eta"_a, "eps"_a, "l1"_a, "l2"_a,
          "For the weights of `state`; G: the squares of their gradients so far, the bias last.");
  m.def(
      "adagrad_pass",
      [](const StochasticState& state, const AdaGrad& rule, Array1<const std::int32_t> order,
         std::size_t batch_size) {
        const Batches batches = batches_of(state, order, batch_size);
        require_size(rule.G.size(),
                     (static_cast<std::size_t>(state.rows.X.n_cols()) + 1) * state.n_outputs,
                     "squares of gradients");
        nb::gil_scoped_release nogil;
        return adagrad_pass(state, batches, rule);
      },
      "state"_a, "rule"_a, "order"_a, "batch_size"_a,
      "AdaGrad steps over the rows in order; the loss of the rows when met.");
}

}  // namespace

void bind_logistic(nb::module_& m) {
  bind_dual(m);
  bind_stochastic(m);
}

}  // namespace wordplane
