#include "learners/perceptron.h"

namespace wordplane {

std::int64_t perceptron_pass(const OnlineRows& rows, RowOrder order, const AveragedWeights& weights,
                             int threads) {
  const auto rule = [](const auto& row, std::size_t y, double weight, auto z) {
    std::size_t guess = y == 0 ? 1 : 0;
    for (std::size_t k = guess + 1; k < z.size(); ++k)
      if (k != y && z[k] > z[guess]) guess = k;
    const bool mistake = z[guess] >= z[y] && row.square() > 0;
    return mistake ? Update{weight, guess} : Update{};
  };
  return learn_in_lockstep(rows, order, weights, rule, threads);
}

}  // namespace wordplane
