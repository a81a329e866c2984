// Labeled rows, naive Bayes and linear models as Python sees them; see bindings.cpp.
#include "bindings_learners.h"

#include <cmath>

#include "common/dense_product.h"
#include "common/linear.h"
#include "learners/alpha_choice.h"
#include "learners/label_tree.h"
#include "learners/naive_bayes.h"

namespace wordplane {
namespace {

void bind_labeled_rows(nb::module_& m) {
  nb::class_<LabeledRows>(m, "LabeledRows",
                          "Rows with their classes and weights, checked when made, that keep their "
                          "arrays alive.")
      .def(
          "__init__",
          [](LabeledRows* self, const Csr& X, Array1<const std::int32_t> y,
             Array1<const double> weight, std::size_t n_classes) {
            require_classes(n_classes);
            new (self)
                LabeledRows(X, as_span(y), as_span(weight), n_classes, keep_alive(y, weight));
          },
          "X"_a, "y"_a, "weight"_a, "n_classes"_a,
          "y: the class of each row, from 0 to n_classes - 1; weight: what each row counts.")
      .def_prop_ro(
          "X", [](const LabeledRows& self) -> const Csr& { return self.X; },
          nb::rv_policy::reference_internal)
      .def_prop_ro("y",
                   [](nb::handle_t<LabeledRows> self) {
                     return to_view(nb::cast<const LabeledRows&>(self).y, self);
                   })
      .def_prop_ro("weight",
                   [](nb::handle_t<LabeledRows> self) {
                     return to_view(nb::cast<const LabeledRows&>(self).weight, self);
                   })
      .def_ro("n_classes", &LabeledRows::n_classes)
      .def_prop_ro("n_outputs", &LabeledRows::n_outputs,
                   "Vectors of weights: one for each class, or one that two classes share.");
}

void bind_naive_bayes(nb::module_& m) {
  using Add = void (*)(const Csr&, const std::int32_t*, const double*, double*, int);
  const auto bind = [&m](const char* name, Add add, const char* help) {
    m.def(
        name,
        [add](const Csr& X, Array1<const std::int32_t> y, Array1<const double> weight,
              Array2<double> counts, Threads threads) {
          const auto n_rows = static_cast<std::size_t>(X.n_rows());
          require_size(y.size(), n_rows, "labels");
          require_labels(as_span(y), counts.shape(0));
          require_size(weight.size(), n_rows, "weights");
          require_size(counts.shape(1), static_cast<std::size_t>(X.n_cols()), "columns of counts");
          nb::gil_scoped_release nogil;
          add(X, y.data(), weight.data(), counts.data(), threads);
        },
        "X"_a, "y"_a, "weight"_a, "counts"_a.noconvert(), "threads"_a, help);
  };
  bind("add_class_counts", add_class_counts,
       "counts[k, j] += sum of weight[i] * X[i, j] over the rows i of class k.");
  bind("add_class_presences", add_class_presences,
       "counts[k, j] += sum of weight[i] over the rows i of class k where X[i, j] is not 0.");
  bind("add_class_squares", add_class_squares,
       "counts[k, j] += sum of weight[i] * X[i, j]**2 over the rows i of class k.");
}

void bind_label_tree(nb::module_& m) {
  nb::class_<LabelTree>(m, "LabelTree",
                        "Labels at the leaves of a tree; see native/learners/label_tree.h.")
      .def(
          "__init__",
          [](LabelTree* self, std::size_t n_labels, std::size_t n_features,
             std::tuple<Array1<const std::int64_t>, Array1<const std::int32_t>,
                        Array1<const double>>
                 nodes,
             std::tuple<Array1<const std::int64_t>, Array1<const std::int32_t>,
                        Array1<const std::int64_t>, Array1<const std::int32_t>, Array1<const float>>
                 weights) {
            const auto& [slots, targets, bias] = nodes;
            const auto& [rows, features, starts, places, values] = weights;
            const TreeArrays arrays{as_span(slots),  as_span(targets),  as_span(bias),
                                    as_span(rows),   as_span(features), as_span(starts),
                                    as_span(places), as_span(values)};
            new (self)
                LabelTree(n_labels, n_features, arrays,
                          keep_alive(slots, targets, bias, rows, features, starts, places, values));
          },
          "n_labels"_a, "n_features"_a, "nodes"_a, "weights"_a,
          "nodes: slots, targets, bias; weights: rows, features, starts, places, weights. Checked "
          "when made.")
      .def(
          "search",
          [](const LabelTree& self, const Csr& X, std::size_t begin, std::size_t beam, double slope,
             double unreached, Array2<double> z, Threads threads) {
            require_size(static_cast<std::size_t>(X.n_cols()), self.n_features(), "columns");
            require_size(z.shape(1), self.n_labels(), "columns of z");
            require(begin <= static_cast<std::size_t>(X.n_rows()) &&
                        z.shape(0) <= static_cast<std::size_t>(X.n_rows()) - begin,
                    "rows out of range");
            require(beam >= 1 && slope > 0 && std::isfinite(slope), "a beam of 1 or more expected");
            nb::gil_scoped_release nogil;
            self.search(X, begin, begin + z.shape(0), beam, slope, unreached, z.data(), threads);
          },
          "X"_a, "begin"_a, "beam"_a, "slope"_a, "unreached"_a, "z"_a.noconvert(), "threads"_a,
          "z[i, k] = log p of the labels k that the beam reaches for row begin + i; of others, "
          "unreached.");
}

void require_folds(const HeldOutCounts& counts, std::span<const std::int64_t> fold_ends,
                   std::span<const std::int32_t> rows) {
  std::int64_t last = 0;
  for (const std::int64_t end : fold_ends) {
    require(end >= last, "the ends of the folds descend");
    last = end;
  }
  require_size(rows.size(), static_cast<std::size_t>(last), "rows of folds");
  require_rows(rows, counts.n_rows());
  std::vector<bool> seen(counts.n_rows());
  for (const std::int32_t i : rows) {
    require(!seen[static_cast<std::size_t>(i)], "a row in two folds");
    seen[static_cast<std::size_t>(i)] = true;
  }
}

void bind_alpha_choice(nb::module_& m) {
  nb::class_<HeldOutCounts>(m, "HeldOutCounts", "Counts per class that can leave out documents.")
      .def(
          "__init__",
          [](HeldOutCounts* self, const Csr& X, Array1<const std::int32_t> y,
             Array1<const double> weight, std::size_t n_classes, Threads threads) {
            const auto n_rows = static_cast<std::size_t>(X.n_rows());
            require_classes(n_classes);
            require_size(y.size(), n_rows, "labels");
            require_labels(as_span(y), n_classes);
            require_size(weight.size(), n_rows, "weights");
            nb::gil_scoped_release nogil;
            new (self) HeldOutCounts(X, as_span(y), as_span(weight), n_classes, threads);
          },
          "X"_a, "y"_a, "weight"_a, "n_classes"_a, "threads"_a,
          "Count the features of each class, as `add_class_counts` does.")
      .def(
          "scores",
          [](const HeldOutCounts& self, Array1<const std::int64_t> fold_ends,
             Array1<const std::int32_t> rows, Array1<const double> alphas,
             Array2<const double> scale, Array2<const double> log_prior, Threads threads) {
            const std::size_t n_classes = self.n_classes();
            require_folds(self, as_span(fold_ends), as_span(rows));
            for (const auto& table : {scale, log_prior}) {
              require_size(table.shape(0), fold_ends.size(), "rows of a table by fold");
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
      [](Array<const double, 3> scores, Array1<const std::int32_t> y, Threads threads) {
        const std::size_t n = scores.shape(0), K = scores.shape(1), n_alphas = scores.shape(2);
        require_size(y.size(), n, "labels");
        require_labels(as_span(y), K);
        std::vector<double> right(n * n_alphas), loss(n * n_alphas);
        {
          nb::gil_scoped_release nogil;
          judge(scores.data(), as_span(y), K, n_alphas, right.data(), loss.data(), threads);
        }
        return std::tuple(to_numpy(std::move(right), {n, n_alphas}),
                          to_numpy(std::move(loss), {n, n_alphas}));
      },
      "scores"_a, "y"_a, "threads"_a,
      "By row and alpha: 1 if the class of the row wins, else 0, and its log-loss.");
}

template <class Value>
void bind_dense_product(nb::module_& m) {
  m.def(
      "dense_product",
      [](const Csr& X, Array2<const Value> Q, Array2<Value> product, Threads threads) {
        require_size(Q.shape(0), static_cast<std::size_t>(X.n_cols()), "rows of vectors");
        require_shape(product, static_cast<std::size_t>(X.n_rows()), Q.shape(1), "a product");
        if (!std::holds_alternative<std::span<const Value>>(X.values()))
          throw std::invalid_argument("the matrix and the vectors differ in their precision");
        nb::gil_scoped_release nogil;
        dense_product(X, Q.data(), Q.shape(1), product.data(), threads);
      },
      "X"_a, "Q"_a.noconvert(), "product"_a.noconvert(), "threads"_a,
      "product = X @ Q, all in one precision.");
}

void bind_linear(nb::module_& m) {
  bind_dense_product<float>(m);
  bind_dense_product<double>(m);
  m.def(
      "linear_scores",
      [](const Csr& X, Array2<const double> W, Array1<const double> b, Threads threads) {
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
      [](const Csr& X, Array2<const double> R, Array2<double> G, Threads threads) {
        require_size(R.shape(0), static_cast<std::size_t>(X.n_rows()), "rows of residuals");
        require_shape(G, static_cast<std::size_t>(X.n_cols()), R.shape(1), "a gradient");
        nb::gil_scoped_release nogil;
        linear_gradient(X, R.data(), R.shape(1), G.data(), threads);
      },
      "X"_a, "R"_a, "G"_a.noconvert(), "threads"_a, "G += X.T @ R.");
  m.def(
      "squared_norms",
      [](const Csr& X, Threads threads) {
        std::vector<double> norms(static_cast<std::size_t>(X.n_rows()));
        {
          nb::gil_scoped_release nogil;
          squared_norms(X, norms.data(), threads);
        }
        return to_numpy(std::move(norms));
      },
      "X"_a, "threads"_a, "The squared Euclidean norm of every row.");
}

}  // namespace

void bind_learners(nb::module_& m) {
  bind_labeled_rows(m);
  bind_naive_bayes(m);
  bind_linear(m);
  bind_label_tree(m);
  bind_alpha_choice(m);
}

}  // namespace wordplane
