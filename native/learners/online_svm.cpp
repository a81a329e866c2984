#include "learners/online_svm.h"

#include <cmath>
#include <variant>
#include <vector>

namespace wordplane {

std::int64_t online_svm_pass(const OnlineRows& rows, RowOrder order, const OnlineSvmRule& rule,
                             double* v, double* sum) {
  constexpr double kSmallest = 1e-9;  // of s: beyond, v would lose digits
  const std::size_t size = static_cast<std::size_t>(rows.X.n_cols() + 1) * rows.n_outputs();
  const bool project = std::isfinite(rule.radius);
  double s = 1, a = 0, norm = 0;  // norm = ||v||^2 over all classes
  const auto settle = [&] {
    norm = 0;
    for (std::size_t j = 0; j < size; ++j) {
      if (sum) sum[j] += a * v[j];
      v[j] *= s;
      norm += v[j] * v[j];
    }
    if (rows.n_classes == 2) norm *= 2;
    s = 1, a = 0;
  };
  settle();

  std::int64_t updates = 0;
  std::vector<double> z(rows.n_classes);
  const auto learn = [&](const auto& row, std::size_t y, double weight, double eta) {
    row.scores(v, z.data());
    for (double& score : z) score *= s;
    const std::size_t guess = best_class(z, rule.cost + y * rows.n_classes);
    const double decay = 1 - rule.lambda * eta;
    s *= decay;
    if (s < kSmallest) settle();
    if (guess != y) {
      ++updates;
      const double step = weight * eta / s;
      if (project) {
        const double margin = (z[y] - z[guess]) * decay / s;  // v_y . x - v_guess . x
        norm += 2 * step * margin + 2 * step * step * row.square();
      }
      row.add(step, y, guess, v);
      if (sum) row.add(-step * a, y, guess, sum);
    }
    if (project && s * std::sqrt(norm) > rule.radius) s = rule.radius / std::sqrt(norm);
    a += s;
  };
  std::visit(
      [&](auto values) {
        const auto index = [&](std::size_t t) { return static_cast<std::size_t>(order[t]); };
        for (std::size_t t = 0; t < order.size(); ++t) {
          if (t + 2 < order.size()) whole_row(rows, values, index(t + 2)).expect();
          const std::size_t i = index(t);
          learn(whole_row(rows, values, i), static_cast<std::size_t>(rows.y[i]), rows.weight[i],
                rule.eta[t]);
        }
      },
      rows.X.values());
  settle();
  return updates;
}

}  // namespace wordplane
