#include "perceptron.h"

namespace wordplane {

std::int64_t perceptron_pass(const Pass& pass, std::int64_t step, double* w, double* u) {
  std::int64_t mistakes = 0;
  for_each_row(pass, w, [&](const auto& row, std::size_t y, double weight, auto z) {
    std::size_t guess = y == 0 ? 1 : 0;
    for (std::size_t k = guess + 1; k < z.size(); ++k)
      if (k != y && z[k] > z[guess]) guess = k;
    const bool mistake = z[guess] >= z[y] && row.square() > 0;
    if (mistake) {
      ++mistakes;
      row.add(weight, y, guess, w);
      if (u) row.add(weight * static_cast<double>(step), y, guess, u);
    }
    ++step;
    return mistake;
  });
  return mistakes;
}

}  // namespace wordplane
