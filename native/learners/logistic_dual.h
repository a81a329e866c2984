// Passes of dual coordinate descent for logistic regression. Python side:
// learners/support/logistic_dual.py
//
// C   the weight of each row's loss (rows.weight); rows of weight 0 are passed over
// W   n_cols x K, b (K): the primal weights that belong to A, kept up to date
// A   n_rows x K: the dual variables, from 0 to 1
// q   n_rows: squared norm of each row, with that of its bias feature
// loss, gap   K each, added to: the primal loss and the duality gap of each row when it is met
#pragma once

#include <vector>

#include "learners/labeled_rows.h"

namespace wordplane {

struct LogisticDual {
  LabeledRows rows;
  double bias;  // the square of the bias feature (0: no bias)
  std::size_t n_outputs;
  double* A;
  double* W;
  double* b;
  std::vector<double> q;
  std::shared_ptr<const void> owner;  // of A, W and b
};

struct LossAndGap {
  double* loss;
  double* gap;
};

// Squared norms of rows, with the bias.
std::vector<double> dual_norms(const Csr& X, double bias, int threads);

// One against the rest for every class k, each with its own signs s = +-1 (with one output the
// class 1 is the positive one):
//   for i in order:   m = s (w.x_i + b);  find a with  m + C q (a - A_i) + logit(a) = 0
//                     w += s C (a - A_i) x_i;  A_i = a
void binary_dual_pass(const LogisticDual& dual, std::span<const std::int32_t> order,
                      const LossAndGap& sums, int threads);

// All classes at once:
//   for i in order:   z = xW + b;  find a on the simplex and v with
//                     log a_k + C q (a_k - A_ik) - z_k = v  for every k
//                     w_k -= C (a_k - A_ik) x_i;  A_i = a
// (a row not met before counts as A_i = 1 at its own class, which is w = 0.)
void softmax_dual_pass(const LogisticDual& dual, std::span<const std::int32_t> order,
                       const LossAndGap& sums);

}  // namespace wordplane
