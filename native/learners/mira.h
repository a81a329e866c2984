#pragma once

#include "learners/lockstep.h"

namespace wordplane {

// One pass of MIRA (the passive-aggressive learner). Python side: learners/mira.py
//
//   for i in order:   guess = argmax_k z_k (+ cost[y_i, k] if cost_augmented),  z_k = w_k . x_i
//                     if guess != y_i:
//                         loss = z_guess - z_{y_i} + cost[y_i, guess]
//                         tau  = weight_i min(most, loss / (2 ||x_i||^2 + slack))
//                         w_{y_i} += tau x_i,       w_guess -= tau x_i
//                         u_{y_i} += step tau x_i,  u_guess -= step tau x_i
//                     step += 1
//
// cost   n_classes x n_classes, true class first, zero diagonal.
// w, u   as in online_rows.h; u is null if the weights are not averaged.
// Returns the number of updates.
struct MiraRule {
  const double* cost;
  std::size_t n_classes;
  bool cost_augmented;
  double most;
  double slack;
  std::shared_ptr<const void> owner;  // of cost
};
std::int64_t mira_pass(const OnlineRows& rows, RowOrder order, const MiraRule& mira,
                       const AveragedWeights& weights, int threads);

}  // namespace wordplane
