// The solvers of support vector machines as Python sees them; see bindings.cpp.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <optional>

#include "bindings_learners.h"
#include "learners/crammer_singer.h"
#include "learners/svm.h"
#include "learners/svm_l1.h"

namespace wordplane {
namespace {

using Results = std::vector<std::tuple<double, double, int, bool>>;

void require_bias(float bias) {
  require(bias >= 0 && std::isfinite(bias), "a bias feature that is not finite");
}

// What all solvers do. `length` is that of an order: the number of rows, or of features.
template <class Solver>
void bind_solver(nb::class_<Solver>& solver, std::size_t (Solver::*length)() const,
                 std::size_t (Solver::*n_outputs)() const) {
  solver
      .def(
          "run",
          [length](Solver& self, Array2<const std::int32_t> orders, double tol, Threads threads) {
            require_size(orders.shape(1), (self.*length)(), "numbers in an order");
            require_rows(as_span(orders), (self.*length)());
            nb::gil_scoped_release nogil;
            self.run(as_span(orders), tol, threads);
          },
          "orders"_a, "tol"_a, "threads"_a,
          "One pass per row of `orders`, for what is not within `tol` yet.")
      .def_prop_ro("done", &Solver::done, "Whether the duality gap is within `tol`.")
      .def(
          "results",
          [](Solver& self, Threads threads) {
            nb::gil_scoped_release nogil;
            Results results;
            for (const SvmResult& r : self.results(threads))
              results.emplace_back(r.primal, r.dual, r.n_passes, r.done);
            return results;
          },
          "threads"_a,
          "Primal and dual objective, passes and whether done: of each output, or of all classes.")
      .def(
          "weights",
          [n_outputs](const Solver& self) {
            const std::size_t n = (self.*n_outputs)();
            std::vector<double> W(self.n_columns() * n), b(n);
            {
              nb::gil_scoped_release nogil;
              self.weights(W.data(), b.data());
            }
            return std::tuple(to_numpy(std::move(W), {self.n_columns(), n}),
                              to_numpy(std::move(b)));
          },
          "W (n_features x n_outputs) and b.");
}

void bind_dual_svm(nb::module_& m) {
  nb::class_<DualSvm> solver(m, "DualSvm",
                             "One-vs-rest linear SVMs in training; see native/learners/svm.h.");
  solver.def(
      "__init__",
      [](DualSvm* self, const LabeledRows& rows, Array1<const double> margin, bool squared,
         float bias, std::optional<Array2<const double>> scale, Threads threads) {
        require_size(margin.size(), rows.y.size(), "margins");
        for (const double t : as_span(margin))
          require(t >= 0 && std::isfinite(t), "a margin out of range");
        require_bias(bias);
        if (scale) {
          require_size(scale->shape(0), static_cast<std::size_t>(rows.X.n_cols()), "rows of scale");
          require_size(scale->shape(1), rows.n_outputs(), "columns of scale");
        }
        nb::gil_scoped_release nogil;
        new (self) DualSvm(rows, as_span(margin), squared, bias,
                           scale ? as_span(*scale) : std::span<const double>(), threads);
      },
      "rows"_a, "margin"_a, nb::kw_only(), "squared"_a, "bias"_a, "scale"_a.none(), "threads"_a,
      "Weights of rows are their C. margin: what is wanted of each row; scale (n_features x "
      "n_outputs): what each output multiplies the features by.");
  bind_solver(solver, &DualSvm::n_rows, &DualSvm::n_outputs);
}

void bind_crammer_singer(nb::module_& m) {
  nb::class_<CrammerSinger> solver(
      m, "CrammerSinger", "A multiclass SVM in training; see native/learners/crammer_singer.h.");
  solver.def(
      "__init__",
      [](CrammerSinger* self, const LabeledRows& rows, Array2<const double> cost, float bias,
         Threads threads) {
        require_size(cost.shape(0), rows.n_classes, "rows of costs");
        require_size(cost.shape(1), rows.n_classes, "columns of costs");
        for (const double c : as_span(cost)) require(std::isfinite(c), "a cost that is not finite");
        require_bias(bias);
        nb::gil_scoped_release nogil;
        new (self) CrammerSinger(rows, as_span(cost), bias, threads);
      },
      "rows"_a, nb::kw_only(), "cost"_a, "bias"_a, "threads"_a,
      "Weights of rows are their C; cost[true, guess].");
  bind_solver(solver, &CrammerSinger::n_rows, &CrammerSinger::n_classes);
}

void bind_l1_svm(nb::module_& m) {
  nb::class_<L1Svm> solver(m, "L1Svm",
                           "One-vs-rest SVMs with an l1 penalty; see native/learners/svm_l1.h.");
  solver
      .def(
          "__init__",
          [](L1Svm* self, const LabeledRows& rows, float bias) {
            require_bias(bias);
            nb::gil_scoped_release nogil;
            new (self) L1Svm(rows, bias);
          },
          "rows"_a, nb::kw_only(), "bias"_a, "Weights of rows are their C.")
      .def_prop_ro("n_features", &L1Svm::n_features, "The features and, if any, that of the bias.");
  bind_solver(solver, &L1Svm::n_features, &L1Svm::n_outputs);
}

}  // namespace

void bind_svm(nb::module_& m) {
  bind_dual_svm(m);
  bind_crammer_singer(m);
  bind_l1_svm(m);
}

}  // namespace wordplane
