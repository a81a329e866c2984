// Sorting by small whole numbers, stable.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

namespace wordplane {

inline int bits_for(std::uint64_t n_values) {
  return n_values < 2 ? 0 : std::bit_width(n_values - 1);
}

// Calls put(item, place) for every item: its place in the order of key(item), which is below
// 2^key_bits. They are sorted by digits of at most kDigitBits, the lowest first; `items` and
// `scratch` are left in disorder.
template <int kDigitBits, class Vector, class Key, class Put>
void radix_sort(Vector& items, Vector& scratch, int key_bits, Key&& key, Put&& put) {
  const int n_digits = std::max(1, (key_bits + kDigitBits - 1) / kDigitBits);
  const int width = (key_bits + n_digits - 1) / n_digits;
  const std::size_t n_bins = std::size_t{1} << width, n = items.size();
  scratch.resize(n);
  for (int d = 0; d < n_digits; ++d) {
    const auto digit = [&](const auto& item) {
      return static_cast<std::size_t>(key(item) >> d * width) & (n_bins - 1);
    };
    std::uint32_t start[(std::size_t{1} << kDigitBits) + 1];
    std::fill_n(start, n_bins + 1, 0);
    for (std::size_t i = 0; i < n; ++i) ++start[digit(items[i]) + 1];
    for (std::size_t bin = 1; bin < n_bins; ++bin) start[bin] += start[bin - 1];
    if (d + 1 < n_digits) {
      for (std::size_t i = 0; i < n; ++i) scratch[start[digit(items[i])]++] = items[i];
      items.swap(scratch);
    } else {
      for (std::size_t i = 0; i < n; ++i) put(items[i], start[digit(items[i])]++);
    }
  }
}

// The same by a member, which is not negative; a few items are sorted by comparing them.
template <class Item, class Number, class Put>
void sort_row(std::vector<Item>& row, std::vector<Item>& scratch, int key_bits, Number Item::* key,
              Put&& put) {
  constexpr std::size_t kFew = 64;
  if (row.size() >= kFew) {
    const auto number = [key](const Item& item) { return static_cast<std::uint64_t>(item.*key); };
    radix_sort<9>(row, scratch, key_bits, number, put);
    return;
  }
  std::ranges::sort(row, {}, key);
  for (std::size_t i = 0; i < row.size(); ++i) put(row[i], i);
}

// The same in one pass, for keys below n_keys.
template <class Vector, class Key, class Put>
void counting_sort(const Vector& items, std::size_t n_keys, Key&& key, Put&& put) {
  std::vector<std::uint32_t> start(n_keys + 1);
  for (const auto& item : items) ++start[key(item) + 1];
  for (std::size_t k = 1; k < n_keys; ++k) start[k] += start[k - 1];
  for (const auto& item : items) put(item, start[key(item)]++);
}

}  // namespace wordplane
