#pragma once

#include "learners/online.h"

namespace wordplane {

// One pass of Pegasos, the multiclass SVM by subgradient steps. Python side:
// learners/online_svm.py
//
//   for the t-th i in order:   guess = argmax_k w_k . x_i + cost[y_i, k]
//                              w <- (1 - lambda eta_t) w                    (all classes)
//                              if guess != y_i:  w_{y_i} += eta_t weight_i x_i
//                                                w_guess -= eta_t weight_i x_i
//                              w <- w min(1, radius / ||w||)
//                              sum += w
//
// Decay and sum are lazy: with w = s v, only s decays; sum + a v is the true sum, a the sum of
// the s so far, so that an update of v by d takes a d from `sum`. Both are settled (s = 1,
// a = 0) before the pass returns.
//
// eta      one step size per document of the pass.
// cost     n_classes x n_classes, true class first, zero diagonal.
// radius   infinity for no projection.
// w, sum   as in online_rows.h; sum is null if the weights are not averaged.
// Returns the number of updates.
struct OnlineSvmRule {
  const double* eta;
  double lambda;
  const double* cost;
  double radius;
};
std::int64_t online_svm_pass(const OnlineRows& rows, RowOrder order, const OnlineSvmRule& rule,
                             double* w, double* sum);

}  // namespace wordplane
