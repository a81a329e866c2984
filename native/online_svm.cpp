#include "online_svm.h"

#include <cmath>

namespace wordplane {

std::int64_t online_svm_pass(const Pass& pass, const OnlineSvm& rule, double* v, double* sum) {
  constexpr double kSmallest = 1e-9;  // of s: beyond, v would lose digits
  const std::size_t size =
      static_cast<std::size_t>(pass.X.n_cols() + 1) * n_outputs(pass.n_classes);
  const bool project = std::isfinite(rule.radius);
  double s = 1, a = 0, norm = 0;  // norm = ||v||^2 over all classes
  const auto settle = [&] {
    norm = 0;
    for (std::size_t j = 0; j < size; ++j) {
      if (sum) sum[j] += a * v[j];
      v[j] *= s;
      norm += v[j] * v[j];
    }
    if (pass.n_classes == 2) norm *= 2;
    s = 1, a = 0;
  };
  settle();

  std::int64_t updates = 0;
  const double* eta = rule.eta;
  for_each_row(pass, v, [&](const auto& row, std::size_t y, double weight, auto z) {
    for (double& score : z) score *= s;
    const std::size_t guess = best_class(z, rule.cost + y * pass.n_classes);
    const double decay = 1 - rule.lambda * *eta;
    s *= decay;
    const bool small = s < kSmallest;
    if (small) settle();
    if (guess != y) {
      ++updates;
      const double step = weight * *eta / s;
      if (project) {
        const double margin = (z[y] - z[guess]) * decay / s;  // v_y . x - v_guess . x
        norm += 2 * step * margin + 2 * step * step * row.square();
      }
      row.add(step, y, guess, v);
      if (sum) row.add(-step * a, y, guess, sum);
    }
    if (project && s * std::sqrt(norm) > rule.radius) s = rule.radius / std::sqrt(norm);
    a += s;
    ++eta;
    return small || guess != y;
  });
  settle();
  return updates;
}

}  // namespace wordplane
