#include "common/probabilities.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace wordplane {

namespace {

double sigmoid(double x) {
  const double e = std::exp(-std::abs(x));  // at most 1: never overflows
  return (x >= 0 ? 1 : e) / (1 + e);
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

[[noreturn]] void refuse(std::size_t row) {
  throw std::invalid_argument("row " + std::to_string(row) +
                              " of the scores contains NaN or infinity, expected finite numbers");
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
  constexpr std::size_t kFew = 16;
  const std::size_t n_classes = std::max<std::size_t>(n_columns, 2);
  std::vector<std::size_t> others(n_classes);
  std::vector<double> parts(n_classes);
  for (std::size_t begin = 0; begin < Z.size(); begin += n_columns, P += n_classes) {
    const double two[] = {0, Z[begin]};
    const auto z = n_columns == 1 ? std::span<const double>(two) : Z.subspan(begin, n_columns);
    // Most classes of thousands have the same score, since a search did not reach them: it is
    // probably the least of the first few. Classes that have it are counted.
    const double common = *std::ranges::min_element(z.first(std::min(n_classes, kFew)));
    std::size_t n_others = 0;
    for (std::size_t k = 0; k < n_classes; ++k) {  // without a branch that cannot be foreseen
      others[n_others] = k;
      n_others += z[k] != common;
    }
    double best = common;
    for (std::size_t i = 0; i < n_others; ++i) best = std::max(best, z[others[i]]);
    if (!std::isfinite(best)) refuse(begin / n_columns);
    const auto part_of = [power, temperature, best](double score) {
      const double d = best - score;
      return d == 0 ? 1 : std::exp(-(power == 1 ? d : std::pow(d, power)) / temperature);
    };
    double sum = 0, lost = 0;  // Kahan's: there may be thousands of classes
    const auto add = [&](double p) {
      const double next = sum + (p - lost);
      lost = next - sum - (p - lost);
      sum = next;
    };
    for (std::size_t i = 0; i < n_others; ++i) {
      if (std::isnan(z[others[i]])) refuse(begin / n_columns);
      add(parts[i] = part_of(z[others[i]]));
    }
    const double p_of_common = part_of(common);
    add(static_cast<double>(n_classes - n_others) * p_of_common);
    std::fill_n(P, n_classes, p_of_common / sum);
    for (std::size_t i = 0; i < n_others; ++i) P[others[i]] = parts[i] / sum;
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
  for (std::size_t begin = 0; begin < P.size(); begin += n_columns, best += k) {
    const double* p = P.data() + begin;
    const auto is_better = [p](std::int64_t i, std::int64_t j) {
      return p[i] != p[j] ? p[i] > p[j] : i < j;
    };
    std::iota(best, best + k, std::int64_t{0});
    std::sort(best, best + k, is_better);
    for (auto i = static_cast<std::int64_t>(k); i < static_cast<std::int64_t>(n_columns); ++i) {
      if (!(p[i] > p[best[k - 1]])) continue;
      std::int64_t* const place = std::upper_bound(best, best + k - 1, i, is_better);
      std::move_backward(place, best + k - 1, best + k);
      *place = i;
    }
  }
}

}  // namespace wordplane
