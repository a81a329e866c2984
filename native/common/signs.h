// Whether numbers are finite, and whether any is negative.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

namespace wordplane {

struct Signs {
  bool finite, negative;  // whether all values are the one, and any is the other
};

// One pass over the bits, which the compiler vectorizes: where the exponent is full, one more
// reaches the sign, which is cleared before; -0 is not negative.
template <class Value>
Signs signs_of(std::span<const Value> values) {
  using Bits = std::conditional_t<sizeof(Value) == 4, std::uint32_t, std::uint64_t>;
  constexpr Bits kSign = Bits{1} << (8 * sizeof(Value) - 1);
  constexpr Bits kOne = Bits{1} << (std::numeric_limits<Value>::digits - 1);
  Bits carried = 0, below = 0;
  for (const Value x : values) {
    const Bits bits = std::bit_cast<Bits>(x);
    carried |= (bits & ~kSign) + kOne;
    below |= bits & ((bits & ~kSign) + ~kSign);  // the sign, if any other bit is set
  }
  return {!(carried & kSign), (below & kSign) != 0};
}

}  // namespace wordplane
