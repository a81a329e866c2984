#include "learners/logistic_dual.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "common/linear.h"
#include "common/parallel.h"
#include "common/prefetch.h"
#include "common/sparse_dot.h"

namespace wordplane {
namespace {

// x log x, which is 0 at 0.
double x_log_x(double x) { return x > 0 ? x * std::log(x) : 0.0; }

// The a = sigmoid(u) with  f(u) = m + q (a - a0) + u = 0, given exp(m). f grows; it is convex below
// u = 0 and concave above. So Newton's method, kept on the root's side of 0, comes to it from
// one side after at most one step too far. When a step is small, the next derivative is heeded
// too, and a follows by Taylor's series: mostly exp(m) is the only exponential.
double solve_binary(double m, double exp_m, double a0, double q) {
  constexpr double kSmall = 1e-3;  // its fourth power is nothing
  const bool below = m + q * (0.5 - a0) > 0;
  double u = -m, a = 1 / (1 + exp_m);
  if ((u < 0) != below) u = 0, a = 0.5;
  for (int step = 0; step < 100; ++step) {
    const double da = a * (1 - a), dda = da * (1 - 2 * a);  // by u
    const double slope = 1 + q * da, newton = -(m + q * (a - a0) + u) / slope;
    if (std::abs(newton) < kSmall) {
      const double move = newton - 0.5 * newton * newton * q * dda / slope;
      return a + move * (da + move * (dda / 2 + move * da * (1 - 6 * da) / 6));
    }
    u += newton;
    if ((u < 0) != below) u = 0;
    a = 1 / (1 + std::exp(-u));
  }
  return a;
}

// The l with  l + q exp(l) = r. The left side is convex and grows, so Newton's method comes
// down to the root from any point above it.
double solve_log(double r, double q) {
  double l = std::min(r, r < q ? 0.0 : std::log(r / q));  // both bound the root
  for (int step = 0; step < 100; ++step) {
    const double e = q * std::exp(l);
    const double down = (l + e - r) / (1 + e);
    l -= down;
    if (std::abs(down) < 1e-7) break;
  }
  return l;
}

// a_k = exp(l_k) with  l_k + q a_k = v + t_k  and  sum_k a_k = 1. The sum is convex and grows
// in v, so that Newton's method in v comes down to the root after at most one step up.
void solve_softmax(const double* t, double q, double v, std::size_t K, double* a) {
  for (int step = 0; step < 100; ++step) {
    double sum = 0, slope = 0;
    for (std::size_t k = 0; k < K; ++k) {
      a[k] = std::exp(solve_log(v + t[k], q));
      sum += a[k];
      slope += a[k] / (1 + q * a[k]);
    }
    const double down = (sum - 1) / slope;
    v -= down;
    if (std::abs(down) < 1e-9) break;
  }
  double sum = 0;
  for (std::size_t k = 0; k < K; ++k) sum += a[k];
  for (std::size_t k = 0; k < K; ++k) a[k] /= sum;
}

// z[k] += sum over the row of x w[k], for `width` outputs from the first that W points to.
template <class Value>
void add_scores(const std::int32_t* j, const Value* x, std::size_t n, const double* W,
                std::size_t K, std::size_t width, double* z) {
  if (K == 1) {
    *z += sparse_dot(j, x, n, W);
    return;
  }
  for (std::size_t e = 0; e < n; ++e) {
    if (e + kAhead < n) prefetch(W + static_cast<std::size_t>(j[e + kAhead]) * K, width);
    const double* w = W + static_cast<std::size_t>(j[e]) * K;
    const auto value = static_cast<double>(x[e]);
    for (std::size_t k = 0; k < width; ++k) z[k] += value * w[k];
  }
}

// W[j] += x d over the row.
template <class Value>
void add_row(const std::int32_t* j, const Value* x, std::size_t n, const double* d, std::size_t K,
             std::size_t width, double* W) {
  if (K == 1) {
    const double change = *d;
    for (std::size_t e = 0; e < n; ++e) W[j[e]] += static_cast<double>(x[e]) * change;
    return;
  }
  for (std::size_t e = 0; e < n; ++e) {
    double* w = W + static_cast<std::size_t>(j[e]) * K;
    const auto value = static_cast<double>(x[e]);
    for (std::size_t k = 0; k < width; ++k) w[k] += value * d[k];
  }
}

}  // namespace

std::vector<double> dual_norms(const Csr& X, double bias, int threads) {
  std::vector<double> q(static_cast<std::size_t>(X.n_rows()));
  squared_norms(X, q.data(), threads);
  for (double& norm : q) norm += bias;
  return q;
}

void binary_dual_pass(const LogisticDual& dual, std::span<const std::int32_t> order,
                      const LossAndGap& sums, int threads) {
  const Csr& X = dual.rows.X;
  const auto* y = dual.rows.y.data();
  const std::size_t K = dual.n_outputs;
  const auto* indptr = X.indptr().data();
  const auto* indices = X.indices().data();
  const std::size_t n_groups = std::min(K, static_cast<std::size_t>(std::max(threads, 1)));
  std::visit(
      [&](auto values) {
        // Classes do not touch each other: their grouping changes no bit.
        parallel_for(n_groups, threads, [&](std::size_t group, int) {
          const std::size_t first = group * K / n_groups;
          const std::size_t width = (group + 1) * K / n_groups - first;
          std::vector<double> z(width), d(width), loss(width), gap(width);
          for (std::size_t o = 0; o < order.size(); ++o) {
            const auto i = static_cast<std::size_t>(order[o]);
            if (o + 2 < order.size()) {
              const auto next = static_cast<std::size_t>(order[o + 2]);
              const auto size = static_cast<std::size_t>(indptr[next + 1] - indptr[next]);
              prefetch_row(indices + indptr[next], size);
              prefetch_row(values.data() + indptr[next], size);
            }
            const double C = dual.rows.weight[i];
            if (C == 0) continue;
            const std::int32_t* j = indices + indptr[i];
            const auto* x = values.data() + indptr[i];
            const auto n = static_cast<std::size_t>(indptr[i + 1] - indptr[i]);
            std::copy_n(dual.b + first, width, z.data());
            add_scores(j, x, n, dual.W + first, K, width, z.data());
            for (std::size_t k = 0; k < width; ++k) {
              const bool own = K == 1 ? y[i] == 1 : y[i] == static_cast<int>(first + k);
              const double sign = own ? 1.0 : -1.0;
              double& a0 = dual.A[i * K + first + k];
              const double m = sign * z[k];
              const double exp_m = std::exp(m);
              const double a = solve_binary(m, exp_m, a0, C * dual.q[i]);
              const double here = m > 0 ? std::log(1 + 1 / exp_m) : std::log(1 + exp_m) - m;
              loss[k] += C * here;
              gap[k] += C * (here + a0 * m + x_log_x(a0) + x_log_x(1 - a0));
              d[k] = sign * C * (a - a0);
              a0 = a;
              dual.b[first + k] += dual.bias * d[k];
            }
            add_row(j, x, n, d.data(), K, width, dual.W + first);
          }
          for (std::size_t k = 0; k < width; ++k) {
            sums.loss[first + k] += loss[k];
            sums.gap[first + k] += gap[k];
          }
        });
      },
      X.values());
}

void softmax_dual_pass(const LogisticDual& dual, std::span<const std::int32_t> order,
                       const LossAndGap& sums) {
  const Csr& X = dual.rows.X;
  const std::size_t K = dual.n_outputs;
  const auto* indptr = X.indptr().data();
  const auto* indices = X.indices().data();
  std::vector<double> z(K), t(K), a(K), d(K);
  std::visit(
      [&](auto values) {
        for (std::size_t o = 0; o < order.size(); ++o) {
          const auto i = static_cast<std::size_t>(order[o]);
          const double C = dual.rows.weight[i];
          if (C == 0) continue;
          const std::int32_t* j = indices + indptr[i];
          const auto* x = values.data() + indptr[i];
          const auto n = static_cast<std::size_t>(indptr[i + 1] - indptr[i]);
          std::copy_n(dual.b, K, z.data());
          add_scores(j, x, n, dual.W, K, K, z.data());
          const auto own = static_cast<std::size_t>(dual.rows.y[i]);
          double* a0 = dual.A + i * K;
          const double q = C * dual.q[i];
          const double most = *std::ranges::max_element(z);
          double sum = 0, squares = 0, old = 0, entropy = 0, mean = 0;
          for (std::size_t k = 0; k < K; ++k) {
            const double e = std::exp(z[k] - most);
            sum += e;
            squares += e * e;
            old += e * a0[k];
            mean += a0[k] * z[k];
            entropy += x_log_x(a0[k]);
            t[k] = z[k] + q * a0[k];
          }
          const double log_sum = most + std::log(sum);
          sums.loss[0] += C * (log_sum - z[own]);
          sums.gap[0] += C * (log_sum - mean + entropy);
          // v if a were softmax(z), the mean over the classes.
          const double v = q * (squares / sum - old) / sum - log_sum;
          solve_softmax(t.data(), q, v, K, a.data());
          for (std::size_t k = 0; k < K; ++k) {
            d[k] = C * (a0[k] - a[k]);
            a0[k] = a[k];
            dual.b[k] += dual.bias * d[k];
          }
          add_row(j, x, n, d.data(), K, K, dual.W);
        }
      },
      X.values());
}

}  // namespace wordplane
