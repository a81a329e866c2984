// Many logarithms at once.
#pragma once

#include <cstddef>

namespace wordplane {

// out[i] = log(x[i]), less than one unit in the last place from the exact value; the same bits
// on every machine, whatever instructions it has.
//
//   x = m 2^e  with  sqrt(1/2) <= m < sqrt(2),   s = (m - 1) / (m + 1),   |s| < 0.172
//   log x = e log 2 + 2 (s + s^3/3 + s^5/5 + ...)
void logarithms(const double* x, std::size_t n, double* out);

}  // namespace wordplane
