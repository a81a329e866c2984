// The secret key of all hash tables: random, and new for every process, so that nobody can choose
// words that all fall into one place. No result depends on it.
#pragma once

#include <cstdint>

namespace wordplane {

struct HashKey {
  std::uint64_t first, second;  // the second is odd
};

HashKey random_hash_key();

inline const HashKey kHashKey = random_hash_key();

// Both halves of the 128 bits of a product, folded into one.
inline std::uint64_t fold_product(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

}  // namespace wordplane
