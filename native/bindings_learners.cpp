// The learners' passes as Python sees them; see bindings.cpp.
#include "bindings_learners.h"

#include <nanobind/stl/optional.h>

#include <cmath>
#include <optional>

#include "learners/alpha_choice.h"
#include "learners/crammer_singer.h"
#include "common/linear.h"
#include "learners/logistic_dual.h"
#include "learners/naive_bayes.h"
#include "search/neighbors.h"
#include "learners/stochastic.h"
#include "learners/svm.h"
#include "learners/svm_l1.h"

namespace wordplane {
namespace {

void require_costs(Array1<const double> C, const Csr& X) {
  require_size(C.size(), static_cast<std::size_t>(X.n_rows()), "costs");
  for (const double c : as_span(C))
    if (!(c >= 0 && std::isfinite(c))) throw std::invalid_argument("a cost out of range");
}

void bind_naive_bayes(nb::module_& m) {
  m.def(
      "add_class_counts",
      [](const Csr& X, Array1<const std::int32_t> y, Array1<const double> weight,
         Array2<double> counts, int threads, int power) {
        const auto n_rows = static_cast<std::size_t>(X.n_rows());
        require_labels(y, X, counts.shape(0));
        if (power < 0 || power > 2) throw std::invalid_argument("a power from 0 to 2 expected");
        require_size(weight.size(), n_rows, "weights");
        require_size(counts.shape(1), static_cast<std::size_t>(X.n_cols()), "columns of counts");
        nb::gil_scoped_release nogil;
        add_class_counts(X, y.data(), weight.data(), counts.data(), static_cast<Power>(power),
                         threads);
      },
      "X"_a, "y"_a, "weight"_a, "counts"_a.noconvert(), "threads"_a, nb::kw_only(), "power"_a = 1,
      "counts[k, j] += sum of weight[i] * X[i, j]**power over the rows i of class k; 0**0 is 0.");
}

void bind_alpha_choice(nb::module_& m) {
  nb::class_<HeldOutCounts>(m, "HeldOutCounts", "Counts per class that can leave out documents.")
      .def(
          "__init__",
          [](HeldOutCounts* self, const Csr& X, Array1<const std::int32_t> y,
             Array1<const double> weight, std::size_t n_classes, int threads) {
            require_labels(y, X, n_classes);
            require_size(weight.size(), static_cast<std::size_t>(X.n_rows()), "weights");
            nb::gil_scoped_release nogil;
            new (self) HeldOutCounts(X, as_span(y), as_span(weight), n_classes, threads);
          },
          "X"_a, "y"_a, "weight"_a, "n_classes"_a, "threads"_a)
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
  m.def(
      "judge",
      [](nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu> scores,
         Array1<const std::int32_t> y, int threads) {
        const std::size_t n = scores.shape(0), K = scores.shape(1), n_alphas = scores.shape(2);
        require_size(y.size(), n, "labels");
        for (const std::int32_t k : as_span(y))
          if (k < 0 || static_cast<std::size_t>(k) >= K)
            throw std::invalid_argument("a label out of range");
        std::vector<double> right(n * n_alphas), loss(n * n_alphas);
        {
          nb::gil_scoped_release nogil;
          judge(scores.data(), as_span(y), K, n_alphas, right.data(), loss.data(), threads);
        }
        return nb::make_tuple(to_numpy(std::move(right), {n, n_alphas}),
                              to_numpy(std::move(loss), {n, n_alphas}));
      },
      "scores"_a, "y"_a, "threads"_a,
      "By row and alpha: 1 if the class of the row wins, else 0, and its log-loss.");
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
  m.def(
      "linear_gradient",
      [](const Csr& X, Array2<const double> R, Array2<double> G, int threads) {
        require_size(R.shape(0), static_cast<std::size_t>(X.n_rows()), "rows of residuals");
        require_size(G.shape(0), static_cast<std::size_t>(X.n_cols()), "rows of the gradient");
        require_size(G.shape(1), R.shape(1), "columns of the gradient");
        nb::gil_scoped_release nogil;
        linear_gradient(X, R.data(), R.shape(1), G.data(), threads);
      },
      "X"_a, "R"_a, "G"_a.noconvert(), "threads"_a, "G += X.T @ R.");
  m.def(
      "squared_norms",
      [](const Csr& X, int threads) {
        std::vector<double> norms(static_cast<std::size_t>(X.n_rows()));
        {
          nb::gil_scoped_release nogil;
          squared_norms(X, norms.data(), threads);
        }
        return to_numpy(std::move(norms));
      },
      "X"_a, "threads"_a, "The squared Euclidean norm of every row.");
}

void bind_logistic_dual(nb::module_& m) {
  const auto bind = [&m](const char* name, bool binary, const char* help) {
    m.def(
        name,
        [binary](const Csr& X, Array1<const std::int32_t> y, Array1<const std::int32_t> order,
                 Array1<const double> C, Array1<const double> q, double bias, Array2<double> A,
                 Array2<double> W, Array1<double> b, Array2<double> loss_and_gap, int threads) {
          const auto n_rows = static_cast<std::size_t>(X.n_rows());
          const std::size_t n_outputs = W.shape(1);
          require_labels(y, X, std::max<std::size_t>(n_outputs, 2));
          require_rows(order, y.size());
          require_size(C.size(), n_rows, "weights");
          require_size(q.size(), n_rows, "squared norms");
          require_size(A.shape(0), n_rows, "rows of dual variables");
          require_size(A.shape(1), n_outputs, "columns of dual variables");
          require_size(W.shape(0), static_cast<std::size_t>(X.n_cols()), "rows of weights");
          require_size(b.size(), n_outputs, "biases");
          require_size(loss_and_gap.shape(0), 2, "rows for loss and gap");
          require_size(loss_and_gap.shape(1), n_outputs, "columns for loss and gap");
          const DualState state{y.data(),
                                C.data(),
                                q.data(),
                                bias,
                                n_outputs,
                                A.data(),
                                W.data(),
                                b.data(),
                                loss_and_gap.data(),
                                loss_and_gap.data() + n_outputs};
          nb::gil_scoped_release nogil;
          if (binary)
            binary_dual_pass(X, order.data(), order.size(), state, threads);
          else
            softmax_dual_pass(X, order.data(), order.size(), state);
        },
        "X"_a, "y"_a, "order"_a, "C"_a, "q"_a, "bias"_a, "A"_a.noconvert(), "W"_a.noconvert(),
        "b"_a.noconvert(), "loss_and_gap"_a.noconvert(), "threads"_a, help);
  };
  bind("binary_dual_pass", true, "Dual coordinate descent over the rows in order, one vs rest.");
  bind("softmax_dual_pass", false, "Dual coordinate descent over the rows in order, softmax.");
}

// What both stochastic passes take, checked; then settled, so that W is up to date.
template <class Pass, class Settle>
double run_stochastic(const Csr& X, Array1<const std::int32_t> y, Array1<const double> weight,
                      Array1<const std::int32_t> order, std::size_t batch_size, bool softmax,
                      bool bias, bool penalized_bias, Array2<double> W, Array1<double> b,
                      Pass&& run, Settle&& settle) {
  const auto n_cols = static_cast<std::size_t>(X.n_cols());
  require_labels(y, X, std::max<std::size_t>(W.shape(1), 2));
  if (softmax && W.shape(1) < 2) throw std::invalid_argument("softmax needs two outputs");
  require_rows(order, y.size());
  require_size(weight.size(), static_cast<std::size_t>(X.n_rows()), "weights");
  require_size(W.shape(0), n_cols, "rows of weights");
  require_size(b.size(), W.shape(1), "biases");
  if (batch_size < 1) throw std::invalid_argument("a batch has a row at least");
  nb::gil_scoped_release nogil;
  std::vector<std::int32_t> last(n_cols);
  const StochasticPass pass{y.data(),    weight.data(), as_span(order), batch_size,
                            softmax,     bias,          penalized_bias, W.shape(1),
                            last.data(), W.data(),      b.data()};
  const double loss = run(pass);
  settle(pass, n_cols);
  return loss;
}

void bind_stochastic(nb::module_& m) {
  m.def(
      "sgd_pass",
      [](const Csr& X, Array1<const std::int32_t> y, Array1<const double> weight,
         Array1<const std::int32_t> order, std::size_t batch_size, Array1<const double> eta,
         Array1<const double> P, Array1<const double> S, bool softmax, bool bias,
         bool penalized_bias, Array2<double> W, Array1<double> b) {
        if (batch_size > 0)
          require_size(eta.size(), (order.size() + batch_size - 1) / batch_size, "steps");
        require_size(P.size(), eta.size() + 1, "products");
        require_size(S.size(), eta.size() + 1, "sums");
        const Schedule schedule{as_span(eta), as_span(P), as_span(S)};
        return run_stochastic(
            X, y, weight, order, batch_size, softmax, bias, penalized_bias, W, b,
            [&](const StochasticPass& pass) { return sgd_pass(X, pass, schedule); },
            [&](const StochasticPass& pass, std::size_t n_cols) {
              sgd_settle(pass, schedule, n_cols);
            });
      },
      "X"_a, "y"_a, "weight"_a, "order"_a, "batch_size"_a, "eta"_a, "P"_a, "S"_a, nb::kw_only(),
      "softmax"_a, "bias"_a, "penalized_bias"_a, "W"_a.noconvert(), "b"_a.noconvert(),
      "Stochastic gradient steps over the rows in order; the loss of the rows when met.");
  m.def(
      "adagrad_pass",
      [](const Csr& X, Array1<const std::int32_t> y, Array1<const double> weight,
         Array1<const std::int32_t> order, std::size_t batch_size, double eta, double eps,
         double l1, double l2, Array2<double> G, Array1<double> G_bias, bool softmax, bool bias,
         bool penalized_bias, Array2<double> W, Array1<double> b) {
        require_size(G.shape(0), W.shape(0), "rows of squares");
        require_size(G.shape(1), W.shape(1), "columns of squares");
        require_size(G_bias.size(), W.shape(1), "squares of the bias");
        const AdaGrad rule{eta, eps, l1, l2, G.data(), G_bias.data()};
        const std::size_t n_steps =
            (order.size() + batch_size - 1) / std::max<std::size_t>(batch_size, 1);
        return run_stochastic(
            X, y, weight, order, batch_size, softmax, bias, penalized_bias, W, b,
            [&](const StochasticPass& pass) { return adagrad_pass(X, pass, rule); },
            [&](const StochasticPass& pass, std::size_t n_cols) {
              adagrad_settle(pass, rule, n_steps, n_cols);
            });
      },
      "X"_a, "y"_a, "weight"_a, "order"_a, "batch_size"_a, "eta"_a, "eps"_a, "l1"_a, "l2"_a,
      "G"_a.noconvert(), "G_bias"_a.noconvert(), nb::kw_only(), "softmax"_a, "bias"_a,
      "penalized_bias"_a, "W"_a.noconvert(), "b"_a.noconvert(),
      "AdaGrad steps over the rows in order; the loss of the rows when met.");
}

void require_orders(Array2<const std::int32_t> orders, std::size_t n_rows) {
  require_size(orders.shape(1), n_rows, "rows in an order");
  for (std::size_t e = 0; e < orders.size(); ++e)
    if (orders.data()[e] < 0 || static_cast<std::size_t>(orders.data()[e]) >= n_rows)
      throw std::invalid_argument("a row out of range in an order");
}

nb::tuple as_tuple(const SvmResult& r) {
  return nb::make_tuple(r.primal, r.dual, r.n_passes, r.done);
}

template <class Solver>
nb::list results_of(Solver& solver, int threads) {
  std::vector<SvmResult> results;
  {
    nb::gil_scoped_release nogil;
    results = solver.results(threads);
  }
  nb::list out;
  for (const SvmResult& r : results) out.append(as_tuple(r));
  return out;
}

template <class Solver>
nb::tuple weights_of(const Solver& solver, std::size_t n_outputs) {
  std::vector<double> W(solver.n_columns() * n_outputs), b(n_outputs);
  {
    nb::gil_scoped_release nogil;
    solver.weights(W.data(), b.data());
  }
  return nb::make_tuple(to_numpy(std::move(W), {solver.n_columns(), n_outputs}),
                        to_numpy(std::move(b)));
}

void bind_svm(nb::module_& m) {
  nb::class_<DualSvm>(m, "DualSvm", "One-vs-rest linear SVMs in training; see native/learners/svm.h.")
      .def(
          "__init__",
          [](DualSvm* self, const Csr& X, Array1<const std::int32_t> y, Array1<const double> C,
             Array1<const double> margin, std::size_t n_outputs, bool squared, float bias,
             std::optional<Array2<const double>> scale, int threads) {
            require_labels(y, X, std::max<std::size_t>(n_outputs, 2));
            require_costs(C, X);
            require_costs(margin, X);
            if (n_outputs < 1) throw std::invalid_argument("no outputs");
            if (scale) {
              require_size(scale->shape(0), static_cast<std::size_t>(X.n_cols()), "rows of scale");
              require_size(scale->shape(1), n_outputs, "columns of scale");
            }
            nb::gil_scoped_release nogil;
            new (self)
                DualSvm(X, as_span(y), as_span(C), as_span(margin), n_outputs, squared, bias,
                        scale ? std::span(scale->data(), scale->size()) : std::span<const double>(),
                        threads);
          },
          "X"_a, "y"_a, "C"_a, "margin"_a, nb::kw_only(), "n_outputs"_a, "squared"_a, "bias"_a,
          "scale"_a.none(), "threads"_a)
      .def(
          "run",
          [](DualSvm& self, Array2<const std::int32_t> orders, double tol, int threads) {
            require_orders(orders, self.n_rows());
            nb::gil_scoped_release nogil;
            self.run({orders.data(), orders.size()}, tol, threads);
          },
          "orders"_a, "tol"_a, "threads"_a, "One pass per order for each output not done.")
      .def_prop_ro("done", &DualSvm::done)
      .def(
          "results", [](DualSvm& self, int threads) { return results_of(self, threads); },
          "threads"_a, "Primal and dual objective, passes and whether done, per output.")
      .def(
          "weights", [](const DualSvm& self) { return weights_of(self, self.n_outputs()); },
          "W (n_features x n_outputs) and b.");
}

void bind_crammer_singer(nb::module_& m) {
  nb::class_<CrammerSinger>(m, "CrammerSinger",
                            "A multiclass SVM in training; see native/learners/crammer_singer.h.")
      .def(
          "__init__",
          [](CrammerSinger* self, const Csr& X, Array1<const std::int32_t> y,
             Array1<const double> C, Array2<const double> cost, float bias, int threads) {
            const std::size_t n_classes = cost.shape(0);
            require_labels(y, X, n_classes);
            require_costs(C, X);
            require_size(cost.shape(1), n_classes, "columns of cost");
            nb::gil_scoped_release nogil;
            new (self) CrammerSinger(X, as_span(y), as_span(C), {cost.data(), cost.size()},
                                     n_classes, bias, threads);
          },
          "X"_a, "y"_a, "C"_a, nb::kw_only(), "cost"_a, "bias"_a, "threads"_a)
      .def(
          "run",
          [](CrammerSinger& self, Array2<const std::int32_t> orders, double tol, int threads) {
            require_orders(orders, self.n_rows());
            nb::gil_scoped_release nogil;
            self.run({orders.data(), orders.size()}, tol, threads);
          },
          "orders"_a, "tol"_a, "threads"_a, "One pass per order, until done.")
      .def_prop_ro("done", &CrammerSinger::done)
      .def(
          "results", [](CrammerSinger& self, int threads) { return results_of(self, threads); },
          "threads"_a, "Primal and dual objective, passes and whether done: of all classes.")
      .def(
          "weights", [](const CrammerSinger& self) { return weights_of(self, self.n_classes()); },
          "W (n_features x n_classes) and b.");
}

void bind_svm_l1(nb::module_& m) {
  nb::class_<L1Svm>(m, "L1Svm", "One-vs-rest SVMs with an l1 penalty; see native/learners/svm_l1.h.")
      .def(
          "__init__",
          [](L1Svm* self, const Csr& X, Array1<const std::int32_t> y, Array1<const double> C,
             std::size_t n_outputs, float bias) {
            require_labels(y, X, std::max<std::size_t>(n_outputs, 2));
            require_costs(C, X);
            if (n_outputs < 1) throw std::invalid_argument("no outputs");
            nb::gil_scoped_release nogil;
            new (self) L1Svm(X, as_span(y), as_span(C), n_outputs, bias);
          },
          "X"_a, "y"_a, "C"_a, nb::kw_only(), "n_outputs"_a, "bias"_a)
      .def_prop_ro("n_features", &L1Svm::n_features, "The features and, if any, that of the bias.")
      .def(
          "run",
          [](L1Svm& self, Array2<const std::int32_t> orders, double tol, int threads) {
            require_orders(orders, self.n_features());
            nb::gil_scoped_release nogil;
            self.run({orders.data(), orders.size()}, tol, threads);
          },
          "orders"_a, "tol"_a, "threads"_a, "One pass per order for each output not done.")
      .def_prop_ro("done", &L1Svm::done)
      .def(
          "results", [](L1Svm& self, int threads) { return results_of(self, threads); },
          "threads"_a, "Primal and dual objective, passes and whether done, per output.")
      .def(
          "weights", [](const L1Svm& self) { return weights_of(self, self.n_outputs()); },
          "W (n_features x n_outputs) and b.");
}

void bind_neighbors(nb::module_& m) {
  nb::class_<NeighborIndex>(m, "NeighborIndex", "Rows to be found; see native/search/neighbors.h.")
      .def(
          "__init__",
          [](NeighborIndex* self, const Csr& X, Array1<const double> offset,
             std::optional<Array1<const double>> weight) {
            require_size(offset.size(), static_cast<std::size_t>(X.n_rows()), "offsets");
            for (const double o : as_span(offset))
              if (!std::isfinite(o)) throw std::invalid_argument("an offset that is not finite");
            if (weight) {
              require_size(weight->size(), static_cast<std::size_t>(X.n_cols()), "weights");
              for (const double w : as_span(*weight))
                if (!(w >= 0 && std::isfinite(w)))
                  throw std::invalid_argument("a weight out of range");
            }
            nb::gil_scoped_release nogil;
            new (self) NeighborIndex(X, as_span(offset),
                                     weight ? as_span(*weight) : std::span<const double>());
          },
          "X"_a, "offset"_a, "weight"_a.none())
      .def(
          "search",
          [](const NeighborIndex& self, const Csr& Q, std::size_t begin, std::size_t end,
             std::size_t k, int threads) {
            require_size(static_cast<std::size_t>(Q.n_cols()),
                         static_cast<std::size_t>(self.X().n_cols()), "columns");
            if (begin > end || end > static_cast<std::size_t>(Q.n_rows()) || k < 1 ||
                k > static_cast<std::size_t>(self.X().n_rows()))
              throw std::invalid_argument("rows or neighbours out of range");
            std::vector<std::int32_t> rows((end - begin) * k);
            std::vector<double> gaps(rows.size());
            {
              nb::gil_scoped_release nogil;
              self.search(Q, begin, end, k, rows.data(), gaps.data(), threads);
            }
            return nb::make_tuple(to_numpy(std::move(rows), {end - begin, k}),
                                  to_numpy(std::move(gaps), {end - begin, k}));
          },
          "Q"_a, "begin"_a, "end"_a, "k"_a, "threads"_a,
          "The k neighbours of rows of Q, best first, and how far they are.");
}

}  // namespace

void bind_learners(nb::module_& m) {
  bind_naive_bayes(m);
  bind_linear(m);
  bind_svm(m);
  bind_crammer_singer(m);
  bind_svm_l1(m);
  bind_logistic_dual(m);
  bind_stochastic(m);
  bind_alpha_choice(m);
  bind_neighbors(m);
}

}  // namespace wordplane
