// Coordinate descent for squared-hinge SVMs with an l1 penalty, one against the rest.
// Python side: learners/svm.py
//
// For every output k, with y_i = +1 for the rows of its class and -1 for the others:
//
//   primal  P(w) = |w|_1 + sum_i C_i max(0, m_i)^2,   m_i = 1 - y_i w.x_i
//   dual    D(a) = sum_i (a_i - a_i^2 / (4 C_i)),     a_i >= 0, |sum_i a_i y_i x_ij| <= 1 for all j
//
//   for j in order:   G = -2 sum_i C_i y_i x_ij max(0, m_i),   H = 2 sum_{m_i > 0} C_i x_ij^2
//                     d = -(G + 1) / H  if G + 1 <= H w_j
//                         -(G - 1) / H  if G - 1 >= H w_j
//                         -w_j          otherwise
//                     halve d until P falls by 0.01 of what its slope promises
//                     w_j += d, and all m_i move along
//
// Coordinate descent with Newton directions (CDN) of Yuan et al. (2010). A feature with w_j = 0
// whose |G| is well below 1 is left out of the passes that follow. When the violations of
// optimality have fallen enough, P is measured, and D at a_i = s 2 C_i max(0, m_i) with the best
// s that keeps a feasible; the highest D so far counts. An output is done when P - D <= tol P,
// else all features come back.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/csr.h"
#include "common/packed_rows.h"
#include "learners/labeled_rows.h"
#include "learners/svm.h"

namespace wordplane {

class L1Svm {
 public:
  // The weight of row i is C_i. With one output class 1 is positive, else output k's is class k.
  // bias > 0 adds a last feature of that value, penalized as the others are.
  L1Svm(const LabeledRows& rows, float bias);

  // One pass per row of orders (n_passes x n_features) for every output that is not done.
  void run(std::span<const std::int32_t> orders, double tol, int threads);

  bool done() const;

  // P and D of every output, measured anew for those that are not done.
  std::vector<SvmResult> results(int threads);
  void weights(double* W, double* b) const;

  std::size_t n_features() const { return begin_.size() - 1; }  // with that of the bias
  std::size_t n_columns() const { return n_features() - (bias_ > 0); }
  std::size_t n_outputs() const { return outputs_.size(); }

 private:
  struct Output {
    std::vector<double> w, m;            // per feature, per row
    std::vector<std::uint8_t> positive;  // per row: y_i = +1
    std::vector<std::uint8_t> active;    // per feature
    double worst = 1e300;                // largest violation in the last pass
    double enough = -1;                  // sum of violations at which to measure
    SvmResult result;
  };

  void pass(Output& output, std::span<const std::int32_t> order, double tol) const;
  double improve(Output& output, std::size_t j) const;  // returns the violation it met
  void measure(Output& output) const;
  std::span<const Cell> column(std::size_t j) const {
    return {cells_.data() + begin_[j], cells_.data() + begin_[j + 1]};
  }

  float bias_;
  std::vector<double> C_;
  std::vector<std::size_t> begin_;
  HugeVector<Cell> cells_;       // by column; Cell::column is the row
  std::vector<double> squares_;  // sum_i C_i x_ij^2
  std::vector<Output> outputs_;
};

}  // namespace wordplane
