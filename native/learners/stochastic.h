// Passes of stochastic gradient descent for logistic regression, on rows or batches of rows,
// that touch only the features of a batch. Python side: learners/support/stochastic.py
#pragma once

#include <memory>
#include <span>

#include "learners/labeled_rows.h"

namespace wordplane {

// What both kinds of steps change.
struct StochasticState {
  LabeledRows rows;
  bool softmax;         // the loss of all classes at once; otherwise of each class against the rest
                        // (with one output, of class 1 against class 0)
  bool bias;            // there is a bias
  bool penalized_bias;  // and it is shrunk like the rest
  std::size_t n_outputs;
  double* W;                          // n_cols x n_outputs
  double* b;                          // n_outputs
  std::shared_ptr<const void> owner;  // of W and b
};

// Rows, taken so many at a time; the gradient is the mean of a batch.
struct Batches {
  std::span<const std::int32_t> order;
  std::size_t batch_size;

  std::size_t size() const { return (order.size() + batch_size - 1) / batch_size; }
};

// Step t is  w <- soft(w - eta_t g, eta_t l1) / (1 + eta_t l2), soft(w, c) = sign(w) max(|w| - c,
// 0). While g = 0 that telescopes: with P_t = prod_{s<t} 1 / (1 + eta_s l2) and S_t = sum_{s<t}
// eta_s l1 / P_s,  w_t = soft(w_s, P_s (S_t - S_s)) P_t / P_s.
struct Schedule {
  std::span<const double> eta;  // one per step
  std::span<const double> P;    // and one more
  std::span<const double> S;
};

// Returns the sum of the losses of the rows when they were met.
double sgd_pass(const StochasticState& state, const Batches& batches, const Schedule& schedule);

// AdaGrad: h = eta / (eps + sqrt(G)), w <- soft(w - h g, h l1) / (1 + h l2), each feature and
// class with its own G += g^2. While g = 0, h stays.
struct AdaGrad {
  double eta;
  double eps;
  double l1;
  double l2;
  std::span<double> G;                // (n_cols + 1) x n_outputs: the bias last
  std::shared_ptr<const void> owner;  // of G
};

double adagrad_pass(const StochasticState& state, const Batches& batches, const AdaGrad& rule);

}  // namespace wordplane
