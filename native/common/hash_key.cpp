#include "common/hash_key.h"

#include <chrono>
#include <exception>
#include <random>

namespace wordplane {

HashKey random_hash_key() {
  const auto draw = []() -> std::uint64_t {
    try {
      std::random_device device;
      return static_cast<std::uint64_t>(device()) << 32 | device();
    } catch (const std::exception&) {  // no source of randomness: the time is better than nothing
      const auto now = std::chrono::high_resolution_clock::now().time_since_epoch().count();
      return static_cast<std::uint64_t>(now) * 0x9E3779B97F4A7C15u;
    }
  };
  return {draw(), draw() | 1};
}

}  // namespace wordplane
