// Memory that is met in random order must be asked for before it is needed.
#pragma once

#include <cstddef>

namespace wordplane {

// So many entries of a row before their weights are needed, those are asked for.
constexpr std::size_t kAhead = 16;

// Asks for the cache lines of first[0 .. n-1].
template <class T>
void prefetch(const T* first, std::size_t n) {
  constexpr std::size_t kPerLine = 64 / sizeof(T);
  for (std::size_t e = 0; e < n; e += kPerLine) __builtin_prefetch(first + e);
}

}  // namespace wordplane
