// The score of one row by one weight vector.
#pragma once

#include <cstddef>
#include <cstdint>

namespace wordplane {

// sum_e x[e] w[j[e]], as four sums: an addition need not wait for the one before. Two of them are
// formed at once, as every processor can: with fewer instructions more weights are on their way
// from memory.
template <class Value>
double sparse_dot(const std::int32_t* j, const Value* x, std::size_t n, const double* w) {
  using Pair = double __attribute__((vector_size(16)));
  const auto terms = [&](std::size_t e) {
    return Pair{static_cast<double>(x[e]), static_cast<double>(x[e + 1])} *
           Pair{w[j[e]], w[j[e + 1]]};
  };
  Pair even{}, odd{};
  std::size_t e = 0;
  for (; e + 4 <= n; e += 4) {
    even += terms(e);
    odd += terms(e + 2);
  }
  double first = even[0];
  for (; e < n; ++e) first += static_cast<double>(x[e]) * w[j[e]];
  return (first + even[1]) + (odd[0] + odd[1]);
}

}  // namespace wordplane
