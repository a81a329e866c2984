// The score of one row by one weight vector.
#pragma once

#include <cstddef>
#include <cstdint>

namespace wordplane {

// sum_e x[e] w[j[e]], as four sums: an addition need not wait for the one before.
template <class Value>
double sparse_dot(const std::int32_t* j, const Value* x, std::size_t n, const double* w) {
  const auto term = [&](std::size_t e) { return static_cast<double>(x[e]) * w[j[e]]; };
  double sums[4] = {};
  std::size_t e = 0;
  for (; e + 4 <= n; e += 4)
    for (std::size_t s = 0; s < 4; ++s) sums[s] += term(e + s);
  for (; e < n; ++e) sums[0] += term(e);
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

}  // namespace wordplane
