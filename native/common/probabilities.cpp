#include "common/probabilities.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace wordplane {

void power_softmax(std::span<const double> Z, std::size_t n_columns, double power,
                   double temperature, double* P) {
  const std::size_t n_classes = std::max<std::size_t>(n_columns, 2);
  for (std::size_t begin = 0; begin < Z.size(); begin += n_columns, P += n_classes) {
    const double two[] = {0, Z[begin]};
    const auto z = n_columns == 1 ? std::span<const double>(two) : Z.subspan(begin, n_columns);
    const double best = *std::ranges::max_element(z);
    double sum = 0, lost = 0;  // Kahan's: there may be thousands of classes
    for (std::size_t k = 0; k < n_classes; ++k) {
      const double d = best - z[k];
      if (!(d >= 0))
        throw std::invalid_argument(
            "row " + std::to_string(begin / n_columns) +
            " of the scores contains NaN or infinity, expected finite numbers");
      P[k] = d == 0 ? 1 : std::exp(-(power == 1 ? d : std::pow(d, power)) / temperature);
      const double next = sum + (P[k] - lost);
      lost = next - sum - (P[k] - lost);
      sum = next;
    }
    for (std::size_t k = 0; k < n_classes; ++k) P[k] /= sum;
  }
}

void sigmoids(std::span<const double> Z, std::span<const double> a, std::span<const double> b,
              double* P) {
  for (std::size_t i = 0; i < Z.size(); ++i) {
    const std::size_t k = i % a.size();
    const double x = a[k] * Z[i] + b[k];
    const double e = std::exp(-std::abs(x));  // at most 1: never overflows
    P[i] = (x >= 0 ? 1 : e) / (1 + e);
  }
}

}  // namespace wordplane
