// What the processor can do. Not every compiler comes with the table that __builtin_cpu_supports
// looks into.
#pragma once

#ifdef __x86_64__
#include <cpuid.h>

namespace wordplane {

inline bool finds_avx2() {
  constexpr unsigned saves_registers = 1U << 27, avx = 1U << 28, avx2 = 1U << 5, xmm_and_ymm = 6;
  unsigned a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d)) return false;
  if ((c & (saves_registers | avx)) != (saves_registers | avx)) return false;
  unsigned saved, high;
  asm("xgetbv" : "=a"(saved), "=d"(high) : "c"(0));
  if ((saved & xmm_and_ymm) != xmm_and_ymm) return false;  // the system does not
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & avx2);
}

inline const bool has_avx2 = finds_avx2();

}  // namespace wordplane
#endif
