#include "learners/mira.h"

#include <algorithm>

namespace wordplane {

std::int64_t mira_pass(const OnlineRows& rows, RowOrder order, const MiraRule& mira,
                       const AveragedWeights& weights, int threads) {
  const std::vector<double> no_cost(rows.n_classes);
  const auto rule = [&](const auto& row, std::size_t y, double weight, auto z) {
    const double* cost = mira.cost + y * rows.n_classes;
    const std::size_t guess = best_class(z, mira.cost_augmented ? cost : no_cost.data());
    const double loss = z[guess] - z[y] + cost[guess];
    if (guess == y || !(loss > 0)) return Update{};
    const double square = row.square();
    if (square == 0) return Update{};
    return Update{weight * std::min(mira.most, loss / (2 * square + mira.slack)), guess};
  };
  return learn_in_lockstep(rows, order, weights, rule, threads);
}

}  // namespace wordplane
