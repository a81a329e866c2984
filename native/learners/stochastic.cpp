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
// step(w, g, feature, t) takes a step at its K weights. The bias is the feature n_cols.
template <class Shrink, class Step>
double walk(const Csr& X, const StochasticPass& p, Shrink&& shrink, Step&& step) {
  const std::size_t K = p.n_outputs;
  const auto indptr = X.indptr();
  const auto indices = X.indices();
  const auto n_cols = static_cast<std::size_t>(X.n_cols());
  std::vector<double> z(K), gradient, bias_gradient(K);
  std::vector<std::int32_t> touched, slot(n_cols, -1);
  double loss = 0;
  std::visit(
      [&](auto values) {
        std::int32_t t = 0;
        for (std::size_t first = 0; first < p.order.size(); first += p.batch_size, ++t) {
          const std::size_t n = std::min(p.batch_size, p.order.size() - first);
          touched.clear();
          gradient.clear();
          std::ranges::fill(bias_gradient, 0.0);
          for (const std::int32_t row : p.order.subspan(first, n)) {
            const auto i = static_cast<std::size_t>(row);
            const auto begin = static_cast<std::size_t>(indptr[i]);
            const auto end = static_cast<std::size_t>(indptr[i + 1]);
            std::copy_n(p.b, K, z.data());
            for (std::size_t e = begin; e < end; ++e) {
              const auto j = static_cast<std::size_t>(indices[e]);
              double* w = p.W + j * K;
              if (slot[j] < 0) {
                slot[j] = static_cast<std::int32_t>(touched.size());
                touched.push_back(indices[e]);
                gradient.resize(gradient.size() + K, 0.0);
                shrink(w, j, p.last[j], t);
                p.last[j] = t;
              }
              for (std::size_t k = 0; k < K; ++k) z[k] += static_cast<double>(values[e]) * w[k];
            }
            const auto y = static_cast<std::size_t>(p.y[i]);
            loss += p.weight[i] * (p.softmax ? softmax_residual(z, y) : binary_residual(z, y));
            for (double& r : z) r *= p.weight[i] / static_cast<double>(n);
            for (std::size_t e = begin; e < end; ++e) {
              const auto j = static_cast<std::size_t>(indices[e]);
              double* g = gradient.data() + static_cast<std::size_t>(slot[j]) * K;
              for (std::size_t k = 0; k < K; ++k) g[k] += static_cast<double>(values[e]) * z[k];
            }
            for (std::size_t k = 0; k < K; ++k) bias_gradient[k] += z[k];
          }
          for (std::size_t s = 0; s < touched.size(); ++s) {
            const auto j = static_cast<std::size_t>(touched[s]);
            step(p.W + j * K, gradient.data() + s * K, j, t);
            slot[j] = -1;
          }
          if (p.bias) step(p.b, bias_gradient.data(), n_cols, t);
          if (p.bias && p.penalized_bias) shrink(p.b, n_cols, t, t + 1);
        }
      },
      X.values());
  return loss;
}

auto sgd_shrink(const Schedule& s, std::size_t K) {
  return [&s, K](double* w, std::size_t, std::int32_t from, std::int32_t to) {
    const auto a = static_cast<std::size_t>(from), b = static_cast<std::size_t>(to);
    const double c = s.P[a] * (s.S[b] - s.S[a]), factor = s.P[b] / s.P[a];
    for (std::size_t k = 0; k < K; ++k) w[k] = soft(w[k], c) * factor;
  };
}

auto adagrad_shrink(const AdaGrad& r, std::size_t K, std::size_t n_cols) {
  return [&r, K, n_cols](double* w, std::size_t j, std::int32_t from, std::int32_t to) {
    if (from == to) return;
    const double* G = j == n_cols ? r.G_bias : r.G + j * K;
    const double n = to - from;
    for (std::size_t k = 0; k < K; ++k) {
      const double h = r.eta / (r.eps + std::sqrt(G[k]));
      const double shrunk = 1 / (1 + h * r.l2), power = std::pow(shrunk, n);
      // n steps of soft(w, h l1) shrunk, for as long as they do not reach 0.
      const double sum = h * r.l2 > 0 ? (1 / power - 1) / (h * r.l2) : n;
      const double c = r.l1 > 0 ? h * r.l1 * sum : 0.0;
      w[k] = w[k] == 0 ? 0 : soft(w[k], c) * power;
    }
  };
}

}  // namespace

double sgd_pass(const Csr& X, const StochasticPass& p, const Schedule& s) {
  const auto step = [&](double* w, const double* g, std::size_t, std::int32_t t) {
    for (std::size_t k = 0; k < p.n_outputs; ++k) w[k] -= s.eta[static_cast<std::size_t>(t)] * g[k];
  };
  return walk(X, p, sgd_shrink(s, p.n_outputs), step);
}

void sgd_settle(const StochasticPass& p, const Schedule& s, std::size_t n_cols) {
  const auto shrink = sgd_shrink(s, p.n_outputs);
  const auto n_steps = static_cast<std::int32_t>(s.eta.size());
  for (std::size_t j = 0; j < n_cols; ++j) shrink(p.W + j * p.n_outputs, j, p.last[j], n_steps);
}

double adagrad_pass(const Csr& X, const StochasticPass& p, const AdaGrad& r) {
  const auto n_cols = static_cast<std::size_t>(X.n_cols());
  const auto step = [&](double* w, const double* g, std::size_t j, std::int32_t) {
    double* G = j == n_cols ? r.G_bias : r.G + j * p.n_outputs;
    for (std::size_t k = 0; k < p.n_outputs; ++k) {
      G[k] += g[k] * g[k];
      w[k] -= r.eta / (r.eps + std::sqrt(G[k])) * g[k];
    }
  };
  return walk(X, p, adagrad_shrink(r, p.n_outputs, n_cols), step);
}

void adagrad_settle(const StochasticPass& p, const AdaGrad& r, std::size_t n_steps,
                    std::size_t n_cols) {
  const auto shrink = adagrad_shrink(r, p.n_outputs, n_cols);
  for (std::size_t j = 0; j < n_cols; ++j)
    shrink(p.W + j * p.n_outputs, j, p.last[j], static_cast<std::int32_t>(n_steps));
}

}  // namespace wordplane
