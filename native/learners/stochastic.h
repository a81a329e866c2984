// Passes of stochastic gradient descent for logistic regression, on rows or batches of rows,
// that touch only the features of a batch. Python side: learners/support/stochastic.py
//
// W   n_cols x K, b (K); y labels; weight: what the loss of each row counts
// order, batch_size   the rows, taken batch_size at a time; the gradient is the mean of a batch
// last   n_cols: the step up to which each feature has been shrunk; bring it to the last step
//        with `settle` after the pass
// softmax   the loss of all classes at once; otherwise of each class against the rest (with one
//           output, of class 1 against class 0)
#pragma once

#include <span>

#include "common/csr.h"

namespace wordplane {

struct StochasticPass {
  const std::int32_t* y;
  const double* weight;
  std::span<const std::int32_t> order;
  std::size_t batch_size;
  bool softmax;
  bool bias;            // there is a bias
  bool penalized_bias;  // and it is shrunk like the rest
  std::size_t n_outputs;
  std::int32_t* last;
  double* W;
  double* b;
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
double sgd_pass(const Csr& X, const StochasticPass& pass, const Schedule& schedule);
void sgd_settle(const StochasticPass& pass, const Schedule& schedule, std::size_t n_cols);

// AdaGrad: h = eta / (eps + sqrt(G)), w <- soft(w - h g, h l1) / (1 + h l2), each feature and
// class with its own G += g^2 (n_cols x K, and K for the bias). While g = 0, h stays.
struct AdaGrad {
  double eta;
  double eps;
  double l1;
  double l2;
  double* G;
  double* G_bias;
};

double adagrad_pass(const Csr& X, const StochasticPass& pass, const AdaGrad& rule);
void adagrad_settle(const StochasticPass& pass, const AdaGrad& rule, std::size_t n_steps,
                    std::size_t n_cols);

}  // namespace wordplane
