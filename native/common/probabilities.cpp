#include "common/probabilities.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace wordplane {

void power_softmax(std::span<const double> Z, std::size_t n_columns, double power,
                   double temperature, double* P) {
  const std::size_t n_classes = std::max<std::size_t>(n_columns, 2);
  for (std::size_t begin = 0; begin < Z.size(); begin += n_columns, P += n_classes) {
    const double two[] = {0, Z[begin]};
    const auto z = n_columns == 1 ? std::span<const double>(two) : Z.subspan(begin, n_columns);
    const double best = *std::ranges::max_element(z);
    double sum = 0, lost = 0;        // Kahan's: there may be thousands of classes
    double most = 0, p_of_most = 1;  // of d: that of all classes that a search did not reach
    for (std::size_t k = 0; k < n_classes; ++k) {
      const double d = best - z[k];
      if (!(d >= 0))
        throw std::invalid_argument(
            "row " + std::to_string(begin / n_columns) +
            " of the scores contains NaN or infinity, expected finite numbers");
      P[k] = p_of_most;
      if (d != most) {
        P[k] = d == 0 ? 1 : std::exp(-(power == 1 ? d : std::pow(d, power)) / temperature);
        if (d > most) {
          most = d;
          p_of_most = P[k];
        }
      }
      const double next = sum + (P[k] - lost);
      lost = next - sum - (P[k] - lost);
      sum = next;
    }
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
      const double e = std::exp(-std::abs(x));  // at most 1: never overflows
      p = (x >= 0 ? 1 : e) / (1 + e);
      if (x < least) {
        least = x;
        p_of_least = p;
      }
    }
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
