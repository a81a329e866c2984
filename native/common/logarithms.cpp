#include "common/logarithms.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "common/processor.h"

namespace wordplane {
namespace {

// Without a branch, so that the compiler takes several x at once.
inline double log_of_normal(double x) {
  constexpr auto kOne = std::bit_cast<std::uint64_t>(1.0);
  constexpr auto kLeast = std::bit_cast<std::uint64_t>(0.70710678118654752);  // of m
  constexpr std::uint64_t kFraction = (std::uint64_t{1} << 52) - 1;
  // log 2 in two parts, so that e kHigh is exact.
  constexpr double kHigh = 0x1.62e42feep-1, kLow = 0x1.a39ef35793c76p-33;
  const std::uint64_t shifted = std::bit_cast<std::uint64_t>(x) + (kOne - kLeast);
  const double m = std::bit_cast<double>((shifted & kFraction) + kLeast);
  // The exponent as the last bits of 2^52, which makes a double of it.
  const auto exponent = (shifted >> 52) | std::bit_cast<std::uint64_t>(0x1p52);
  const double e = std::bit_cast<double>(exponent) - (0x1p52 + 1023);
  const double f = m - 1, s = f / (m + 1), q = s * s;
  double series = 2.0 / 21;
  for (int odd = 19; odd > 1; odd -= 2) series = series * q + 2.0 / odd;
  // f is exact, and 2 s = f - s f: what is rounded is a small part of the sum.
  return e * kHigh + (f - (s * (f - q * series) - e * kLow));
}

[[gnu::always_inline]] inline void logs(const double* x, std::size_t n, double* out) {
  int odd = 0;
  for (std::size_t i = 0; i < n; ++i) {
    out[i] = log_of_normal(x[i]);
    odd |= !(x[i] >= std::numeric_limits<double>::min()) |
           !(x[i] <= std::numeric_limits<double>::max());
  }
  if (odd)  // zero, infinite, or no number that has a logarithm
    for (std::size_t i = 0; i < n; ++i) out[i] = std::log(x[i]);
}

#ifdef __x86_64__
[[gnu::target("avx2")]] void logs_by_fours(const double* x, std::size_t n, double* out) {
  logs(x, n, out);
}
#endif

}  // namespace

void logarithms(const double* x, std::size_t n, double* out) {
#ifdef __x86_64__
  if (has_avx2) return logs_by_fours(x, n, out);
#endif
  logs(x, n, out);
}

}  // namespace wordplane
