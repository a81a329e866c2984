// Sums over rows that have one owner per column, so that they are formed in the same order
// whatever the number of threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/csr.h"
#include "common/parallel.h"

namespace wordplane {

// Columns 0 = c_0 <= c_1 <= ... <= n_cols that cut the sorted rows of X into n_parts with about
// equal shares of the values, as seen in a sample of them.
inline std::vector<std::int32_t> equal_cuts(const Csr& X, std::size_t n_parts) {
  const auto indices = X.indices();
  std::vector<std::int32_t> sample;
  const std::size_t step = std::max<std::size_t>(1, indices.size() / 4096);
  for (std::size_t e = 0; n_parts > 1 && e < indices.size(); e += step)
    sample.push_back(indices[e]);
  std::ranges::sort(sample);
  std::vector<std::int32_t> cut{0};
  for (std::size_t p = 1; p < n_parts; ++p) cut.push_back(sample[p * sample.size() / n_parts]);
  cut.push_back(static_cast<std::int32_t>(X.n_cols()));
  return cut;
}

// Calls add(i, begin, end, values) for every row i in order: the stretch of its columns, and
// values[0] that of *begin. Every worker owns a range of columns and meets all rows.
template <class Add>
void by_column(const Csr& X, int threads, Add&& add) {
  const auto indptr = X.indptr();
  const auto* indices = X.indices().data();
  const std::size_t n_parts =
      X.sorted() && X.n_values() > 10'000 ? static_cast<std::size_t>(threads) : 1;
  const auto cut = equal_cuts(X, n_parts);

  std::visit(
      [&](auto values) {
        parallel_for(n_parts, threads, [&](std::size_t part, int) {
          for (std::size_t i = 0; i < static_cast<std::size_t>(X.n_rows()); ++i) {
            const std::int32_t* begin = indices + indptr[i];
            const std::int32_t* end = indices + indptr[i + 1];
            if (n_parts > 1) {
              begin = std::lower_bound(begin, end, cut[part]);
              end = std::lower_bound(begin, end, cut[part + 1]);
            }
            add(i, begin, end, values.data() + (begin - indices));
          }
        });
      },
      X.values());
}

}  // namespace wordplane
