#include "learners/stochastic.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace wordplane {
namespace {

double soft(double w, double c) { return w > c ? w - c : w < -c ? w + c : 0.0; }

// Scores in z become the gradient of the loss; returns the loss.
double softmax_residual(std::vector<double>& z, std::size_t y) {
  const double most = *std::ranges::max_element(z), own = z[y];
  double sum = 0;
  for (double& e : z) sum += e = std::exp(e - most);
  for (double& e : z) e /= sum;
  z[y] -= 1;
  return std::log(sum) + most - own;
}

double binary_residual(std::vector<double>& z, std::size_t y) {
  double loss = 0;
  for (std::size_t k = 0; k < z.size(); ++k) {
    const double sign = (z.size() == 1 ? y == 1 : y == k) ? 1.0 : -1.0;
    const double m = sign * z[k], e = std::exp(-std::abs(m));
    loss += std::log1p(e) + std::max(-m, 0.0);
    z[k] = -sign * (m > 0 ? e : 1.0) / (1 + e);
  }
  return loss;
}

// One pass: shrink(w, feature, from, to) makes up for the steps that a feature missed,
// step(w, g, feature, t) takes a step at its K weights. The bias is the feature n_cols. In the end
// all features are shrunk up to the last step.
template <class Shrink, class Step>
double walk(const StochasticState& state, const Batches& batches, Shrink&& shrink, Step&& step) {
  const Csr& X = state.rows.X;
  const std::size_t K = state.n_outputs;
  const auto indptr = X.indptr();
  const auto indices = X.indices();
  const auto n_cols = static_cast<std::size_t>(X.n_cols());
  std::vector<double> z(K), gradient, bias_gradient(K);
  std::vector<std::int32_t> touched, slot(n_cols, -1);
  std::vector<std::int32_t> last(n_cols);  // the step up to which each feature has been shrunk
  std::int32_t t = 0;
  double loss = 0;
  std::visit(
      [&](auto values) {
        for (std::size_t first = 0; first < batches.order.size();
             first += batches.batch_size, ++t) {
          const std::size_t n = std::min(batches.batch_size, batches.order.size() - first);
          touched.clear();
          gradient.clear();
          std::ranges::fill(bias_gradient, 0.0);
          for (const std::int32_t row : batches.order.subspan(first, n)) {
            const auto i = static_cast<std::size_t>(row);
            const auto begin = static_cast<std::size_t>(indptr[i]);
            const auto end = static_cast<std::size_t>(indptr[i + 1]);
            std::copy_n(state.b, K, z.data());
            for (std::size_t e = begin; e < end; ++e) {
              const auto j = static_cast<std::size_t>(indices[e]);
              double* w = state.W + j * K;
              if (slot[j] < 0) {
                slot[j] = static_cast<std::int32_t>(touched.size());
                touched.push_back(indices[e]);
                gradient.resize(gradient.size() + K, 0.0);
                shrink(w, j, last[j], t);
                last[j] = t;
              }
              for (std::size_t k = 0; k < K; ++k) z[k] += static_cast<double>(values[e]) * w[k];
            }
            const auto y = static_cast<std::size_t>(state.rows.y[i]);
            const double weight = state.rows.weight[i];
            loss += weight * (state.softmax ? softmax_residual(z, y) : binary_residual(z, y));
            for (double& r : z) r *= weight / static_cast<double>(n);
            for (std::size_t e = begin; e < end; ++e) {
              const auto j = static_cast<std::size_t>(indices[e]);
              double* g = gradient.data() + static_cast<std::size_t>(slot[j]) * K;
              for (std::size_t k = 0; k < K; ++k) g[k] += static_cast<double>(values[e]) * z[k];
            }
            for (std::size_t k = 0; k < K; ++k) bias_gradient[k] += z[k];
          }
          for (std::size_t s = 0; s < touched.size(); ++s) {
            const auto j = static_cast<std::size_t>(touched[s]);
            step(state.W + j * K, gradient.data() + s * K, j, t);
            slot[j] = -1;
          }
          if (state.bias) step(state.b, bias_gradient.data(), n_cols, t);
          if (state.bias && state.penalized_bias) shrink(state.b, n_cols, t, t + 1);
        }
      },
      X.values());
  for (std::size_t j = 0; j < n_cols; ++j) shrink(state.W + j * K, j, last[j], t);
  return loss;
}

}  // namespace

double sgd_pass(const StochasticState& state, const Batches& batches, const Schedule& s) {
  const std::size_t K = state.n_outputs;
  const auto shrink = [&](double* w, std::size_t, std::int32_t from, std::int32_t to) {
    const auto a = static_cast<std::size_t>(from), b = static_cast<std::size_t>(to);
    const double c = s.P[a] * (s.S[b] - s.S[a]), factor = s.P[b] / s.P[a];
    for (std::size_t k = 0; k < K; ++k) w[k] = soft(w[k], c) * factor;
  };
  const auto step = [&](double* w, const double* g, std::size_t, std::int32_t t) {
    for (std::size_t k = 0; k < K; ++k) w[k] -= s.eta[static_cast<std::size_t>(t)] * g[k];
  };
  return walk(state, batches, shrink, step);
}

double adagrad_pass(const StochasticState& state, const Batches& batches, const AdaGrad& rule) {
  const std::size_t K = state.n_outputs;
  const auto shrink = [&](double* w, std::size_t j, std::int32_t from, std::int32_t to) {
    if (from == to) return;
    const double* G = rule.G.data() + j * K;
    const double n = to - from;
    for (std::size_t k = 0; k < K; ++k) {
      const double h = rule.eta / (rule.eps + std::sqrt(G[k]));
      const double shrunk = 1 / (1 + h * rule.l2), power = std::pow(shrunk, n);
      // n steps of soft(w, h l1) shrunk, for as long as they do not reach 0.
      const double sum = h * rule.l2 > 0 ? (1 / power - 1) / (h * rule.l2) : n;
      const double c = rule.l1 > 0 ? h * rule.l1 * sum : 0.0;
      w[k] = w[k] == 0 ? 0 : soft(w[k], c) * power;
    }
  };
  const auto step = [&](double* w, const double* g, std::size_t j, std::int32_t) {
    double* G = rule.G.data() + j * K;
    for (std::size_t k = 0; k < K; ++k) {
      G[k] += g[k] * g[k];
      w[k] -= rule.eta / (rule.eps + std::sqrt(G[k])) * g[k];
    }
  };
  return walk(state, batches, shrink, step);
}

}  // namespace wordplane
