// The solvers of support vector machines as Python sees them; see bindings.cpp.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <cstring>
#include <numeric>
#include <optional>

#include "bindings_learners.h"
#include "common/packed_rows.h"
#include "learners/crammer_singer.h"
#include "learners/log_count_ratios.h"
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

using Scale = std::optional<Array2<const double>>;

void make_dual_svm(DualSvm* self, const Csr& X, const IsPositive& is_positive,
                   std::size_t n_outputs, std::span<const double> C, std::span<const double> margin,
                   bool squared, float bias, const Scale& scale, bool single, int threads) {
  require_size(margin.size(), C.size(), "margins");
  for (const double t : margin) require(t >= 0 && std::isfinite(t), "a margin out of range");
  require_bias(bias);
  if (scale) {
    require_size(scale->shape(0), static_cast<std::size_t>(X.n_cols()), "rows of scale");
    require_size(scale->shape(1), n_outputs, "columns of scale");
  }
  nb::gil_scoped_release nogil;
  new (self) DualSvm(X, is_positive, n_outputs, C, margin, squared, bias,
                     scale ? as_span(*scale) : std::span<const double>(), single, threads);
}

void bind_dual_svm(nb::module_& m) {
  nb::class_<DualSvm> solver(m, "DualSvm",
                             "One-vs-rest linear SVMs in training; see native/learners/svm.h.");
  solver.def(
      "__init__",
      [](DualSvm* self, const LabeledRows& rows, Array1<const double> margin, bool squared,
         float bias, Scale scale, bool single, Threads threads) {
        make_dual_svm(self, rows.X, one_against_rest(rows.y, rows.n_outputs()), rows.n_outputs(),
                      rows.weight, as_span(margin), squared, bias, scale, single, threads);
      },
      "rows"_a, "margin"_a, nb::kw_only(), "squared"_a, "bias"_a, "scale"_a.none(),
      "single"_a = false, "threads"_a,
      "Weights of rows are their C. margin: what is wanted of each row; scale (n_features x "
      "n_outputs): what each output multiplies the features by; single: whether weights in single "
      "precision are enough.");
  solver.def(
      "__init__",
      [](DualSvm* self, const Csr& X, Array2<const bool> member, Array1<const double> C,
         bool squared, float bias, Scale scale, bool single, Threads threads) {
        require_size(member.shape(0), static_cast<std::size_t>(X.n_rows()), "rows of labels");
        require_size(C.size(), member.shape(0), "weights of rows");
        require(member.shape(1) > 0, "no labels");
        for (const double c : as_span(C))
          require(c >= 0 && std::isfinite(c), "a weight out of range");
        const std::size_t n_outputs = member.shape(1);
        const auto is_positive = [all = as_span(member), n_outputs](std::size_t i, std::size_t k) {
          return all[i * n_outputs + k];
        };
        const std::vector<double> margin(C.size(), 1.0);
        make_dual_svm(self, X, is_positive, n_outputs, as_span(C), margin, squared, bias, scale,
                      single, threads);
      },
      "X"_a, "member"_a, "C"_a, nb::kw_only(), "squared"_a, "bias"_a, "scale"_a.none(),
      "single"_a = false, "threads"_a,
      "The same for rows with several labels: member (n_rows x n_outputs) says which each has.");
  bind_solver(solver, &DualSvm::n_rows, &DualSvm::n_outputs);
}

void require_begins(std::span<const std::size_t> begins, std::size_t n_features) {
  for (std::size_t b = 0; b < begins.size(); ++b)
    require(b == 0 ? begins[0] == 0 : begins[b] > begins[b - 1] && begins[b] < n_features,
            "blocks that do not ascend from 0");
  require(!begins.empty(), "no blocks");
}

void bind_log_count_ratios(nb::module_& m) {
  m.def(
      "log_count_ratios",
      [](Array2<const double> counts, Array1<const double> total, Array2<const double> masses,
         double alpha, double smooth, Threads threads) {
        const std::size_t n_outputs = counts.shape(0), n_features = total.size();
        require_size(counts.shape(1), n_features, "columns of counts");
        require_size(masses.shape(0), 2, "rows of masses");
        require_size(masses.shape(1), n_outputs, "columns of masses");
        const std::span<const double> all = as_span(masses);
        std::vector<double> R(n_features * n_outputs);
        {
          nb::gil_scoped_release nogil;
          log_count_ratios(as_span(counts), as_span(total),
                           {all.first(n_outputs), all.subspan(n_outputs), alpha, smooth}, R.data(),
                           threads);
        }
        return to_numpy(std::move(R), {n_features, n_outputs});
      },
      "counts"_a, "total"_a, "masses"_a, "alpha"_a, "smooth"_a, "threads"_a,
      "R (n_features x n_outputs): log(p / q), p = (n + alpha) / inside + smooth of counts n, q "
      "likewise of total - n and outside; masses has inside and outside.");
  m.def(
      "shift_ratios",
      [](Array2<double> R, Array1<const double> squares, const std::vector<std::size_t>& begins,
         Threads threads) {
        require_size(squares.size(), R.shape(0), "squares");
        require_begins(begins, R.shape(0));
        nb::gil_scoped_release nogil;
        shift_ratios({R.data(), R.size()}, R.shape(1), as_span(squares), begins, threads);
      },
      "R"_a.noconvert(), "squares"_a, "begins"_a, "threads"_a,
      "R becomes c sign(R) (|R| + 1/2), which keeps the sum of squares of each block of features.");
  m.def(
      "mix_with_ratios",
      [](Array2<double> W, Array2<const double> R, double beta, Threads threads) {
        require_size(R.shape(0), W.shape(0), "rows of R");
        require_size(R.shape(1), W.shape(1), "columns of R");
        require(W.shape(1) > 0, "no outputs");
        std::vector<double> sizes;
        {
          nb::gil_scoped_release nogil;
          sizes = mix_with_ratios({W.data(), W.size()}, as_span(R), W.shape(1), beta, threads);
        }
        return to_numpy(std::move(sizes));
      },
      "W"_a.noconvert(), "R"_a, "beta"_a, "threads"_a,
      "W becomes (1 - beta) mean|W / R| R + beta W; the means of the outputs.");
}

void bind_packed_rows(nb::module_& m) {
  nb::class_<PackedRows>(m, "PackedRows", "A block of rows as solvers meet them.")
      .def(
          "__init__",
          [](PackedRows* self, const Csr& X, float bias, std::optional<Array1<const double>> scale,
             Threads threads) {
            require_bias(bias);
            if (scale) require_size(scale->size(), static_cast<std::size_t>(X.n_cols()), "scales");
            nb::gil_scoped_release nogil;
            new (self)
                PackedRows(X, bias, threads, scale ? as_span(*scale) : std::span<const double>());
          },
          "X"_a, "bias"_a, "scale"_a.none(), "threads"_a,
          "With a constant feature, unless bias is 0; values are multiplied by the scale.")
      .def("__len__", &PackedRows::n_rows)
      .def(
          "arrays",
          [](const PackedRows& self) {
            const auto cells = self.cells();
            std::vector<std::uint64_t> packed(cells.size());
            static_assert(sizeof(Cell) == sizeof(std::uint64_t));
            if (!cells.empty()) std::memcpy(packed.data(), cells.data(), cells.size_bytes());
            const auto begins = self.begins();
            const auto norms = self.squared_norms();
            return to_arrays(std::vector<std::int64_t>(begins.begin(), begins.end()),
                             std::move(packed), std::vector<double>(norms.begin(), norms.end()));
          },
          "Where rows begin, their cells and their squared norms, for `from_arrays`.")
      .def_static(
          "from_arrays",
          [](Array1<const std::int64_t> begin, Array1<const std::uint64_t> cells,
             Array1<const double> squared_norm, float bias, std::size_t n_features) {
            require_bias(bias);
            require(begin.size() > 0, "the packed rows are damaged");
            nb::gil_scoped_release nogil;
            const std::span<const Cell> packed(reinterpret_cast<const Cell*>(cells.data()),
                                               cells.size());
            return PackedRows(bias, n_features, as_span(begin), packed, as_span(squared_norm));
          },
          "begin"_a, "cells"_a, "squared_norm"_a, "bias"_a, "n_features"_a,
          "Rows that were packed before.");
}

void check_block(const SvmMachines& machines, const PackedRows& rows, std::size_t first) {
  require_size(rows.n_features(), machines.n_features(), "features");
  require(rows.bias() == machines.bias(), "rows with another bias than the machines have");
  require(first <= machines.n_rows() && rows.n_rows() <= machines.n_rows() - first,
          "rows out of range");
}

void make_machines(SvmMachines* self, Array1<const std::int32_t> y, Array1<const double> C,
                   std::size_t n_classes, std::size_t n_columns, bool squared, float bias,
                   double lag, std::optional<Array2<const double>> scale) {
  require(lag >= 0 && std::isfinite(lag), "a lag out of range");
  require_classes(n_classes);
  require_size(C.size(), y.size(), "weights of rows");
  for (const std::int32_t k : as_span(y))
    require(k >= 0 && static_cast<std::size_t>(k) < n_classes, "a label out of range");
  for (const double c : as_span(C)) require(c >= 0 && std::isfinite(c), "a weight out of range");
  require_bias(bias);
  const std::size_t n_outputs = n_classes > 2 ? n_classes : 1;
  if (scale) {
    require_size(scale->shape(0), n_columns, "rows of scale");
    require_size(scale->shape(1), n_outputs, "columns of scale");
  }
  nb::gil_scoped_release nogil;
  new (self) SvmMachines(one_against_rest(as_span(y), n_outputs), as_span(C),
                         std::vector<double>(y.size(), 1.0), n_outputs, squared, bias,
                         places_in_order(n_columns, bias > 0),
                         scale ? as_span(*scale) : std::span<const double>(), lag);
}

void bind_passes(nb::class_<SvmMachines>& machines) {
  machines
      .def("__init__", &make_machines, "y"_a, "C"_a, "n_classes"_a, "n_columns"_a, nb::kw_only(),
           "squared"_a, "bias"_a, "lag"_a, "scale"_a.none(),
           "lag: how many rows the bias lags behind.")
      .def("start_pass", &SvmMachines::start_pass)
      .def(
          "visit",
          [](SvmMachines& self, const PackedRows& rows, std::size_t first,
             Array1<const std::int32_t> order, Threads threads) {
            check_block(self, rows, first);
            require_rows(as_span(order), rows.n_rows());
            nb::gil_scoped_release nogil;
            self.visit(rows, first, as_span(order), threads);
          },
          "rows"_a, "first"_a, "order"_a, "threads"_a, "Meet the rows of a block in this order.")
      .def("end_pass", &SvmMachines::end_pass, "tol"_a, "Whether the rows must be measured.")
      .def("start_measure", &SvmMachines::start_measure)
      .def(
          "measure",
          [](SvmMachines& self, const PackedRows& rows, std::size_t first, Threads threads) {
            check_block(self, rows, first);
            nb::gil_scoped_release nogil;
            self.measure(rows, first, threads);
          },
          "rows"_a, "first"_a, "threads"_a, "Add the losses of the rows of a block.")
      .def("end_measure", &SvmMachines::end_measure, "tol"_a, "Close the outputs that are done.");
}

void bind_state(nb::class_<SvmMachines>& machines) {
  machines.def_prop_ro("done", &SvmMachines::done, "Whether the duality gap is within `tol`.")
      .def(
          "results",
          [](const SvmMachines& self) {
            Results results;
            for (const SvmResult& r : self.results())
              results.emplace_back(r.primal, r.dual, r.n_passes, r.done);
            return results;
          },
          "Primal and dual objective, passes and whether done, of each output.")
      .def_prop_ro("n_groups", &SvmMachines::n_groups, "Groups of outputs, for `state`.")
      .def(
          "state",
          [](const SvmMachines& self, std::size_t group) { return to_numpy(self.state(group)); },
          "group"_a, "What a group of outputs knows between two passes.")
      .def(
          "set_state",
          [](SvmMachines& self, std::size_t group, Array1<const std::uint8_t> state) {
            self.set_state(group, as_span(state));
          },
          "group"_a, "state"_a, "Go on from what another process has come to.")
      .def(
          "weights",
          [](const SvmMachines& self) {
            const std::size_t n = self.n_outputs();
            std::vector<double> W(self.n_columns() * n), b(n);
            self.weights(W.data(), b.data());
            return std::tuple(to_numpy(std::move(W), {self.n_columns(), n}),
                              to_numpy(std::move(b)));
          },
          "W (n_features x n_outputs) and b.");
}

void bind_svm_machines(nb::module_& m) {
  nb::class_<SvmMachines> machines(m, "SvmMachines",
                                   "One-vs-rest linear SVMs whose rows come in blocks; see "
                                   "native/learners/svm.h.");
  bind_passes(machines);
  bind_state(machines);
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
  bind_log_count_ratios(m);
  bind_packed_rows(m);
  bind_svm_machines(m);
  bind_crammer_singer(m);
  bind_l1_svm(m);
}

}  // namespace wordplane
