// Memory that is met in random order must be asked for before it is needed.
#pragma once

#include <cstddef>

namespace wordplane {

// So many entries of a row before their weights are needed, those are asked for.
constexpr std::size_t kAhead = 16;

// Asks for the cache lines of first[0 .. n-1]: weights, needed soon, in the first cache.
template <class T>
void prefetch(const T* first, std::size_t n) {
  for (std::size_t e = 0; e < n; e += 64 / sizeof(T)) __builtin_prefetch(first + e);
}

// The same for a row that comes after the next one: in the second cache it is in nobody's way.
template <class T>
void prefetch_row(const T* first, std::size_t n) {
  for (std::size_t e = 0; e < n; e += 64 / sizeof(T)) __builtin_prefetch(first + e, 0, 2);
}

}  // namespace wordplane
