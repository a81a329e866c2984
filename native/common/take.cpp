#include "common/take.h"

#include <algorithm>
#include <numeric>

#include "common/parallel.h"

namespace wordplane {

namespace {

// Calls each(i, row) for every row that is taken, i its number among them.
template <class Each>
void each_row(std::span<const std::int64_t> rows, int threads, Each&& each) {
  constexpr std::size_t kRowsPerJob = 1024;
  parallel_for((rows.size() + kRowsPerJob - 1) / kRowsPerJob, threads, [&](std::size_t job, int) {
    for (std::size_t i = job * kRowsPerJob; i < std::min((job + 1) * kRowsPerJob, rows.size()); ++i)
      each(i, static_cast<std::size_t>(rows[i]));
  });
}

}  // namespace

std::vector<std::int64_t> take_indptr(const Csr& X, std::span<const std::int64_t> rows,
                                      std::span<const std::int32_t> column_of, int threads) {
  std::vector<std::int64_t> indptr(rows.size() + 1);
  each_row(rows, threads, [&](std::size_t i, std::size_t row) {
    std::int64_t n = 0;
    for (std::int64_t e = X.indptr()[row]; e < X.indptr()[row + 1]; ++e)
      n += column_of[static_cast<std::size_t>(X.indices()[static_cast<std::size_t>(e)])] >= 0;
    indptr[i + 1] = n;
  });
  std::partial_sum(indptr.begin(), indptr.end(), indptr.begin());
  return indptr;
}

void take(const Csr& X, std::span<const std::int64_t> rows, std::span<const std::int32_t> column_of,
          std::span<const std::int64_t> indptr, std::int32_t* indices, float* values, int threads) {
  std::visit(
      [&](auto held) {
        each_row(rows, threads, [&](std::size_t i, std::size_t row) {
          auto at = static_cast<std::size_t>(indptr[i]);
          for (auto e = static_cast<std::size_t>(X.indptr()[row]);
               e < static_cast<std::size_t>(X.indptr()[row + 1]); ++e) {
            const std::int32_t column = column_of[static_cast<std::size_t>(X.indices()[e])];
            if (column < 0) continue;
            indices[at] = column;
            values[at++] = static_cast<float>(held[e]);
          }
        });
      },
      X.values());
}

}  // namespace wordplane
