#include "mira.h"

#include <algorithm>

namespace wordplane {

std::int64_t mira_pass(const Pass& pass, const Mira& rule, std::int64_t step, double* w,
                       double* u) {
  std::int64_t updates = 0;
  const std::vector<double> no_cost(pass.n_classes);
  for_each_row(pass, w, [&](const auto& row, std::size_t y, double weight, auto z) {
    const double* cost = rule.cost + y * pass.n_classes;
    const std::size_t guess = best_class(z, rule.cost_augmented ? cost : no_cost.data());
    const double loss = z[guess] - z[y] + cost[guess];
    const double square = guess == y ? 0 : row.square();
    const bool update = square > 0 && loss > 0;
    if (update) {
      const double tau = weight * std::min(rule.most, loss / (2 * square + rule.slack));
      ++updates;
      row.add(tau, y, guess, w);
      if (u) row.add(tau * static_cast<double>(step), y, guess, u);
    }
    ++step;
    return update;
  });
  return updates;
}

}  // namespace wordplane
