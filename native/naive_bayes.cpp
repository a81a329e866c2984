#include "naive_bayes.h"

#include <algorithm>

#include "parallel.h"

namespace wordplane {

// Each worker owns a range of columns and meets the rows in order: every sum is formed in
// the same order whatever the number of threads.
void add_class_counts(const Csr& X, const std::int32_t* y, const double* weight, double* counts,
                      int threads) {
  const auto indptr = X.indptr();
  const auto* indices = X.indices().data();
  const std::int64_t n_cols = X.n_cols();

  // Cuts at equal shares of the values, seen in a sample of them.
  const std::size_t n_parts =
      X.sorted() && X.n_values() > 100'000 ? static_cast<std::size_t>(threads) : 1;
  std::vector<std::int32_t> sample;
  const std::int64_t step = std::max<std::int64_t>(1, X.n_values() / 4096);
  for (std::int64_t e = 0; n_parts > 1 && e < X.n_values(); e += step) sample.push_back(indices[e]);
  std::ranges::sort(sample);
  std::vector<std::int32_t> cut{0};
  for (std::size_t p = 1; p < n_parts; ++p) cut.push_back(sample[p * sample.size() / n_parts]);
  cut.push_back(static_cast<std::int32_t>(n_cols));

  std::visit(
      [&](auto values) {
        parallel_for(n_parts, threads, [&](std::size_t part, int) {
          for (std::int64_t i = 0; i < X.n_rows(); ++i) {
            const std::int32_t* begin = indices + indptr[static_cast<std::size_t>(i)];
            const std::int32_t* end = indices + indptr[static_cast<std::size_t>(i) + 1];
            if (n_parts > 1) {
              begin = std::lower_bound(begin, end, cut[part]);
              end = std::lower_bound(begin, end, cut[part + 1]);
            }
            double* row = counts + y[i] * n_cols;
            const double w = weight[i];
            for (const std::int32_t* j = begin; j != end; ++j) {
              if (end - j > 32) __builtin_prefetch(row + j[32], 1);
              row[*j] += w * static_cast<double>(values[static_cast<std::size_t>(j - indices)]);
            }
          }
        });
      },
      X.values());
}

}  // namespace wordplane
