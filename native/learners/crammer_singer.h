// Dual coordinate descent for the multiclass SVM of Crammer and Singer, with costs.
// Python side: learners/svm.py
//
//   primal  P(W) = 1/2 sum_k |w_k|^2 + sum_i C_i (max_k (z_ik + e_ik) - z_iy),   z_ik = w_k.x_i
//           e_ik = cost[y_i, k], y = y_i, e_iy = 0
//   dual    D(a) = -1/2 sum_k |w_k|^2 - sum_ik a_ik e_ik,   w_k = sum_i a_ik x_i
//           sum_k a_ik = 0,   a_iy <= C_i,   a_ik <= 0 for the others
//
//   for i in order:   g_k = z_ik + e_ik
//                     a_i <- the best a_i with all other rows held, exactly:
//                         A = |x_i|^2,  B_k = g_k - A a_ik,
//                         a_ik = min(C_i [k = y], (beta - B_k) / A),
//                         with beta such that they sum to 0 (found by sorting)
//                     w_k moves along (the biases in their own way: lagging_bias.h)
//
// The sequential dual method of Keerthi et al. (2008). Class k is left out of row i while it is
// at its bound and its g_k lies below that of every class that is not; a row with one class
// left is left out whole. (Two classes are one machine of svm.h.) The gap P - D is the sum over the
// rows of C_i (max_k g_k - g_y) + sum_k a_ik g_k, each >= 0; see svm.h for how it ends the
// training.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "common/packed_rows.h"
#include "learners/labeled_rows.h"
#include "learners/lagging_bias.h"
#include "learners/svm.h"

namespace wordplane {

class CrammerSinger {
 public:
  // The weight of row i is C_i. cost: n_classes x n_classes with a zero diagonal.
  CrammerSinger(const LabeledRows& rows, std::span<const double> cost, float bias, int threads);

  // Runs one pass per row of orders (n_passes x n_rows), until done. A pass cannot be shared
  // out: `threads` is there to be called as the other solvers are.
  void run(std::span<const std::int32_t> orders, double tol, int threads);
  bool done() const { return result_.done; }

  // P and D, measured anew unless done: one result for all classes.
  std::vector<SvmResult> results(int threads);

  void weights(double* W, double* b) const;

  std::size_t n_rows() const { return rows_.n_rows(); }
  std::size_t n_columns() const { return places_.place.size(); }
  std::size_t n_classes() const { return n_classes_; }

 private:
  void pass(std::span<const std::int32_t> order, double tol);
  double improve(std::size_t i);  // solves for a_i; returns the row's part of the gap before
  void score(std::size_t i, std::span<const std::int32_t> classes);
  void measure();
  void wake();

  ColumnPlaces places_;
  PackedRows rows_;
  std::vector<std::int32_t> y_;
  std::vector<double> C_, cost_;
  std::size_t n_classes_;
  HugeVector<double> w_;                // feature x class
  HugeVector<double> a_;                // row x class
  HugeVector<std::int32_t> classes_;    // row x class: all of them, the active ones first
  std::vector<std::int32_t> n_active_;  // per row
  std::vector<LaggingBias> lag_;        // per class
  double dual_ = 0;
  double inner_tol_ = 0.1;  // how well the active part is solved before the rest comes back
  SvmResult result_;
  std::vector<double> g_, sorted_;                     // of one row
  std::vector<std::pair<std::size_t, double>> steps_;  // class and change of a
};

}  // namespace wordplane
