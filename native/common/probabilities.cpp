#include "common/probabilities.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace wordplane {

namespace {

double sigmoid(double x) {
  const double e = std::exp(-std::abs(x));  // at most 1: never overflows
  return (x >= 0 ? 1 : e) / (1 + e);
}

// As several that do not wait for each other.
double largest(std::span<const double> z) {
  std::array<double, 8> most;
  most.fill(-std::numeric_limits<double>::infinity());
  std::size_t k = 0;
  for (; k + most.size() <= z.size(); k += most.size())
    for (std::size_t i = 0; i < most.size(); ++i) most[i] = std::max(most[i], z[k + i]);
  for (; k < z.size(); ++k) most[0] = std::max(most[0], z[k]);
  return *std::ranges::max_element(most);
}

// Calls each(k, margin of class k over its best rival) for the classes of a row.
template <class Each>
void each_margin(std::span<const double> z, Each&& each) {
  const auto best = std::ranges::max_element(z);
  double second = -std::numeric_limits<double>::infinity();
  for (auto at = z.begin(); at != z.end(); ++at)
    if (at != best) second = std::max(second, *at);
  for (std::size_t k = 0; k < z.size(); ++k)
    each(k, z[k] - (z.begin() + static_cast<std::ptrdiff_t>(k) == best ? second : *best));
}

// Divides by the sum; if that is 0, all classes are equally probable.
void normalize_row(std::span<double> P) {
  const double sum = std::accumulate(P.begin(), P.end(), 0.0);
  for (double& p : P) p = sum > 0 ? p / sum : 1 / static_cast<double>(P.size());
}

double value_at(const Line& line, double x) {
  if (x <= line.x.front()) return line.y.front();
  if (x >= line.x.back()) return line.y.back();
  const auto after = static_cast<std::size_t>(std::ranges::upper_bound(line.x, x) - line.x.begin());
  const std::size_t at = after - 1;
  const double slope = (line.y[after] - line.y[at]) / (line.x[after] - line.x[at]);
  return slope * (x - line.x[at]) + line.y[at];
}

}  // namespace

void power_softmax(std::span<const double> Z, std::size_t n_columns, double power,
                   double temperature, double* P) {
  const std::size_t n_classes = std::max<std::size_t>(n_columns, 2);
  for (std::size_t begin = 0; begin < Z.size(); begin += n_columns, P += n_classes) {
    const double two[] = {0, Z[begin]};
    const auto z = n_columns == 1 ? std::span<const double>(two) : Z.subspan(begin, n_columns);
    const double best = largest(z);
    double sum = 0, lost = 0;  // Kahan's: there may be thousands of classes
    const auto add = [&](double p) {
      const double next = sum + (p - lost);
      lost = next - sum - (p - lost);
      sum = next;
    };
    // The largest d: mostly that of all classes that a search did not reach, which are counted.
    double most = 0, p_of_most = 1, n_of_most = 0;
    for (std::size_t k = 0; k < n_classes; ++k) {
      const double d = best - z[k];
      if (!(d >= 0))
        throw std::invalid_argument(
            "row " + std::to_string(begin / n_columns) +
            " of the scores contains NaN or infinity, expected finite numbers");
      P[k] = p_of_most;
      if (d == most) {
        ++n_of_most;
        continue;
      }
      P[k] = d == 0 ? 1 : std::exp(-(power == 1 ? d : std::pow(d, power)) / temperature);
      if (d < most) {
        add(P[k]);
        continue;
      }
      add(n_of_most * p_of_most);
      most = d;
      p_of_most = P[k];
      n_of_most = 1;
    }
    add(n_of_most * p_of_most);
    for (std::size_t k = 0; k < n_classes; ++k) P[k] /= sum;
  }
}

void sigmoids(std::span<const double> Z, std::span<const double> a, std::span<const double> b,
              double* P) {
  double least = 0, p_of_least = 0.5;  // of x: that of all labels that a search did not reach
  for (std::size_t begin = 0; begin < Z.size(); begin += a.size()) {
    for (std::size_t k = 0; k < a.size(); ++k) {
      const double x = a[k] * Z[begin + k] + b[k];
      double& p = P[begin + k];
      p = p_of_least;
      if (x == least) continue;
      p = sigmoid(x);
      if (x < least) {
        least = x;
        p_of_least = p;
      }
    }
  }
}

void platt(std::span<const double> Z, std::span<const double> a, std::span<const double> b,
           double* P) {
  const std::size_t n = a.size();
  for (std::size_t begin = 0; begin < Z.size(); begin += n, P += std::max<std::size_t>(n, 2)) {
    if (n == 1) {
      const double x = a[0] * Z[begin] + b[0];
      P[0] = sigmoid(-x);
      P[1] = sigmoid(x);
      continue;
    }
    each_margin(Z.subspan(begin, n),
                [&](std::size_t k, double m) { P[k] = sigmoid(a[k] * m + b[k]); });
    normalize_row({P, n});
  }
}

void isotonic(std::span<const double> Z, std::span<const Line> lines, double* P) {
  const std::size_t n = lines.size();
  for (std::size_t begin = 0; begin < Z.size(); begin += n, P += std::max<std::size_t>(n, 2)) {
    if (n == 1) {
      P[1] = value_at(lines[0], Z[begin]);
      P[0] = 1 - P[1];
      continue;
    }
    each_margin(Z.subspan(begin, n),
                [&](std::size_t k, double m) { P[k] = value_at(lines[k], m); });
    normalize_row({P, n});
  }
}

void likeliest(std::span<const double> P, std::size_t n_columns, std::size_t k,
               std::int64_t* best) {
  std::vector<std::int64_t> order(n_columns);
  for (std::size_t begin = 0; begin < P.size(); begin += n_columns, best += k) {
    const double* p = P.data() + begin;
    std::iota(order.begin(), order.end(), 0);
    const auto end = order.begin() + static_cast<std::ptrdiff_t>(k);
    std::partial_sort(order.begin(), end, order.end(), [p](std::int64_t i, std::int64_t j) {
      return p[i] != p[j] ? p[i] > p[j] : i < j;
    });
    std::copy(order.begin(), end, best);
  }
}

}  // namespace wordplane
