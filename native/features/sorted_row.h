// A row of counts, put in order while it is written.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "common/radix_sort.h"
#include "features/counts.h"

namespace wordplane {

// Writes the columns and counts of `row` by ascending columns, which are below 2^bits and all
// different. `row` and `scratch` are left in disorder.
//
// The leading bits of the columns are sorted by digits. Few entries of a row agree in those, so
// the last bits are left to an insertion sort, which moves none by more than 2^kLastBits places.
template <class Value>
void write_sorted(std::vector<Entry>& row, std::vector<Entry>& scratch, int bits,
                  std::int32_t* columns, Value* counts) {
  constexpr int kLeadingBits = 14, kLastBits = 7;
  constexpr std::size_t kFew = 64;
  const auto put = [&](const Entry& entry, std::size_t at) {
    columns[at] = static_cast<std::int32_t>(entry.node);
    counts[at] = static_cast<Value>(entry.count);
  };
  if (row.size() < kFew) {
    std::ranges::sort(row, {}, &Entry::node);
    for (std::size_t i = 0; i < row.size(); ++i) put(row[i], i);
    return;
  }
  const int last = std::clamp(bits - kLeadingBits, 0, kLastBits);
  radix_sort<9>(row, scratch, bits - last, [&](const Entry& e) { return e.node >> last; }, put);
  for (std::size_t i = 1; i < row.size(); ++i)
    for (std::size_t at = i; at > 0 && columns[at - 1] > columns[at]; --at) {
      std::swap(columns[at - 1], columns[at]);
      std::swap(counts[at - 1], counts[at]);
    }
}

}  // namespace wordplane
