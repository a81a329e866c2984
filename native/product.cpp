#include "product.h"

#include <algorithm>
#include <memory>

#include "parallel.h"
#include "radix_sort.h"

namespace wordplane {

namespace {

constexpr std::size_t kRowsPerJob = 64;

// Calls each(j, x) for every term x = X[i][w] A[w][j] of row i.
template <class Each>
void each_term(const Counts2& X, const Counts2& A, std::size_t i, Each&& each) {
  for (auto e = static_cast<std::size_t>(X.indptr[i]);
       e < static_cast<std::size_t>(X.indptr[i + 1]); ++e) {
    const auto w = static_cast<std::size_t>(X.indices[e]);
    for (auto a = static_cast<std::size_t>(A.indptr[w]);
         a < static_cast<std::size_t>(A.indptr[w + 1]); ++a)
      each(static_cast<std::size_t>(A.indices[a]), X.values[e] * A.values[a]);
  }
}

// One scratch object per worker, made when first used; job(row, scratch) for every row.
template <class Make, class Job>
auto each_row(std::size_t n_rows, int threads, Make&& make, Job&& job) {
  using Scratch = decltype(make());
  std::vector<std::unique_ptr<Scratch>> scratch(static_cast<std::size_t>(std::max(threads, 1)));
  parallel_for((n_rows + kRowsPerJob - 1) / kRowsPerJob, threads, [&](std::size_t j, int worker) {
    auto& mine = scratch[static_cast<std::size_t>(worker)];
    if (!mine) mine = std::make_unique<Scratch>(make());
    for (std::size_t i = j * kRowsPerJob; i < std::min((j + 1) * kRowsPerJob, n_rows); ++i)
      job(i, *mine);
  });
  return scratch;
}

}  // namespace

ProductShape product_shape(const Counts2& X, const Counts2& A, std::size_t n_cols, int threads) {
  struct Seen {
    std::vector<std::uint64_t> last_row;  // by column, plus 1
    std::vector<std::int64_t> rows;
  };
  ProductShape shape{std::vector<std::int64_t>(X.n_rows() + 1), std::vector<std::int64_t>(n_cols)};
  const auto parts = each_row(
      X.n_rows(), threads,
      [&] { return Seen{std::vector<std::uint64_t>(n_cols), std::vector<std::int64_t>(n_cols)}; },
      [&](std::size_t i, Seen& seen) {
        std::int64_t n = 0;
        each_term(X, A, i, [&](std::size_t j, std::int64_t) {
          if (seen.last_row[j] == i + 1) return;
          seen.last_row[j] = i + 1;
          ++seen.rows[j];
          ++n;
        });
        shape.indptr[i + 1] = n;
      });
  for (std::size_t i = 0; i < X.n_rows(); ++i) shape.indptr[i + 1] += shape.indptr[i];
  for (const auto& part : parts)
    for (std::size_t j = 0; part && j < n_cols; ++j) shape.column_counts[j] += part->rows[j];
  return shape;
}

template <class Value>
void product(const Counts2& X, const Counts2& A, std::size_t n_cols,
             std::span<const std::int64_t> indptr, std::int32_t* indices, Value* values,
             int threads) {
  struct Sums {
    std::vector<std::int64_t> of;  // by column, 0 between rows
    std::vector<std::uint32_t> columns, scratch;
  };
  const int bits = bits_for(n_cols);
  each_row(
      X.n_rows(), threads, [&] { return Sums{std::vector<std::int64_t>(n_cols), {}, {}}; },
      [&](std::size_t i, Sums& sums) {
        sums.columns.clear();
        each_term(X, A, i, [&](std::size_t j, std::int64_t x) {
          if (sums.of[j] == 0) sums.columns.push_back(static_cast<std::uint32_t>(j));
          sums.of[j] += x;
        });
        radix_sort<8>(sums.columns, sums.scratch, bits, [](std::uint32_t j) { return j; });
        auto at = static_cast<std::size_t>(indptr[i]);
        for (const std::uint32_t j : sums.columns) {
          indices[at] = static_cast<std::int32_t>(j);
          values[at++] = static_cast<Value>(sums.of[j]);
          sums.of[j] = 0;
        }
      });
}

template void product(const Counts2&, const Counts2&, std::size_t, std::span<const std::int64_t>,
                      std::int32_t*, std::int64_t*, int);
template void product(const Counts2&, const Counts2&, std::size_t, std::span<const std::int64_t>,
                      std::int32_t*, float*, int);
template void product(const Counts2&, const Counts2&, std::size_t, std::span<const std::int64_t>,
                      std::int32_t*, double*, int);

}  // namespace wordplane
