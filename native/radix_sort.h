// Sorting by small whole numbers, stable.
#pragma once

#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

namespace wordplane {

inline int bits_for(std::uint64_t n_values) {
  return n_values < 2 ? 0 : std::bit_width(n_values - 1);
}

// Sorts items by key(item), which is below 2^key_bits, by digits of at most kDigitBits, the lowest
// first. `scratch` is memory to work in.
template <int kDigitBits, class Vector, class Key>
void radix_sort(Vector& items, Vector& scratch, int key_bits, Key&& key) {
  const int n_digits = (key_bits + kDigitBits - 1) / kDigitBits;
  if (n_digits == 0) return;
  const int width = (key_bits + n_digits - 1) / n_digits;
  const std::size_t n_bins = std::size_t{1} << width, n = items.size();
  scratch.resize(n);
  for (int shift = 0; shift < key_bits; shift += width) {
    const auto digit = [&](const auto& item) {
      return static_cast<std::size_t>(key(item) >> shift) & (n_bins - 1);
    };
    std::uint32_t start[(std::size_t{1} << kDigitBits) + 1];
    std::fill_n(start, n_bins + 1, 0);
    for (std::size_t i = 0; i < n; ++i) ++start[digit(items[i]) + 1];
    for (std::size_t bin = 1; bin < n_bins; ++bin) start[bin] += start[bin - 1];
    for (std::size_t i = 0; i < n; ++i) scratch[start[digit(items[i])]++] = items[i];
    items.swap(scratch);
  }
}

// Calls put(item, place) for every item: its place in the order of key(item), which is below
// n_keys.
template <class Vector, class Key, class Put>
void counting_sort(const Vector& items, std::size_t n_keys, Key&& key, Put&& put) {
  std::vector<std::uint32_t> start(n_keys + 1);
  for (const auto& item : items) ++start[key(item) + 1];
  for (std::size_t k = 1; k < n_keys; ++k) start[k] += start[k - 1];
  for (const auto& item : items) put(item, start[key(item)]++);
}

}  // namespace wordplane
