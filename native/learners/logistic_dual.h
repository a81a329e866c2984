// Passes of dual coordinate descent for logistic regression. Python side: learners/support/logistic_dual.py
//
// W   n_cols x K, b (K): the primal weights that belong to A, kept up to date
// A   n_rows x K: the dual variables, from 0 to 1
// C   n_rows: the weight of each row's loss; rows of weight 0 are passed over
// q   n_rows: squared norm of each row, with that of its bias feature
// bias   the square of the bias feature (0: no bias)
// loss, gap   K each, added to: the primal loss and the duality gap of each row when it is met
#pragma once

#include "common/csr.h"

namespace wordplane {

struct DualState {
  const std::int32_t* y;
  const double* C;
  const double* q;
  double bias;
  std::size_t n_outputs;
  double* A;
  double* W;
  double* b;
  double* loss;
  double* gap;
};

// One against the rest for every class k, each with its own signs s = +-1 (with one output the
// class 1 is the positive one):
//   for i in order:   m = s (w.x_i + b);  find a with  m + C q (a - A_i) + logit(a) = 0
//                     w += s C (a - A_i) x_i;  A_i = a
void binary_dual_pass(const Csr& X, const std::int32_t* order, std::size_t n_order,
                      const DualState& state, int threads);

// All classes at once:
//   for i in order:   z = xW + b;  find a on the simplex and v with
//                     log a_k + C q (a_k - A_ik) - z_k = v  for every k
//                     w_k -= C (a_k - A_ik) x_i;  A_i = a
// (a row not met before counts as A_i = 1 at its own class, which is w = 0.)
void softmax_dual_pass(const Csr& X, const std::int32_t* order, std::size_t n_order,
                       const DualState& state);

}  // namespace wordplane
