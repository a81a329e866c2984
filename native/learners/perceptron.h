#pragma once

#include "learners/lockstep.h"

namespace wordplane {

// One pass of the multiclass perceptron. Python side: learners/perceptron.py
//
//   for i in order:   guess = best class other than y_i if it scores >= w_{y_i} . x_i, else y_i
//                     if guess != y_i:  g = weight_i x_i
//                                       w_{y_i} += g,       w_guess -= g
//                                       u_{y_i} += step g,  u_guess -= step g
//                     step += 1
//
// w, u   as in online_rows.h; u is null if the weights are not averaged.
// Returns the number of wrong guesses. An update by nothing (x_i = 0 without bias) is none.
std::int64_t perceptron_pass(const OnlineRows& rows, RowOrder order, const AveragedWeights& weights,
                             int threads);

}  // namespace wordplane
