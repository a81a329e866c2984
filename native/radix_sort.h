// Sorting by small whole numbers: least significant digit first, stable.
#pragma once

#include <bit>
#include <cstdint>
#include <utility>

namespace wordplane {

// Sorts items by key(item), which is below 2^key_bits. `scratch` is memory to work in.
template <int kDigitBits, class Vector, class Key>
void radix_sort(Vector& items, Vector& scratch, int key_bits, Key&& key) {
  constexpr std::size_t kBins = std::size_t{1} << kDigitBits;
  const std::size_t n = items.size();
  scratch.resize(n);
  auto* from = items.data();
  auto* to = scratch.data();
  for (int shift = 0; shift < key_bits; shift += kDigitBits) {
    const auto digit = [&](const auto& item) {
      return static_cast<std::size_t>(key(item) >> shift) & (kBins - 1);
    };
    std::uint32_t start[kBins + 1] = {};
    for (std::size_t i = 0; i < n; ++i) ++start[digit(from[i]) + 1];
    for (std::size_t bin = 1; bin < kBins; ++bin) start[bin] += start[bin - 1];
    for (std::size_t i = 0; i < n; ++i) to[start[digit(from[i])]++] = from[i];
    std::swap(from, to);
  }
  if (from != items.data()) items.swap(scratch);
}

inline int bits_for(std::uint64_t n_values) {
  return n_values < 2 ? 0 : std::bit_width(n_values - 1);
}

}  // namespace wordplane
