#include "common/dense_product.h"

#include <algorithm>
#include <vector>

#include "common/parallel.h"
#include "common/prefetch.h"
#include "common/processor.h"

namespace wordplane {
namespace {

constexpr std::size_t kTile = 64;  // vectors at a time: their part of Q stays in the cache
constexpr std::size_t kRowsPerJob = 256;

// sums[k] = sum_e x[e] tile[indices[e]][k]
template <class Value>
[[gnu::always_inline]] inline void sum_row(const std::int32_t* indices, const Value* x,
                                           std::size_t n, const Value* tile, Value* sums) {
  std::fill_n(sums, kTile, Value{0});
  for (std::size_t e = 0; e < n; ++e) {
    if (e + kAhead < n)
      prefetch(tile + static_cast<std::size_t>(indices[e + kAhead]) * kTile, kTile);
    const Value* q = tile + static_cast<std::size_t>(indices[e]) * kTile;
    for (std::size_t k = 0; k < kTile; ++k) sums[k] += x[e] * q[k];
  }
}

#ifdef __x86_64__
// The same bits, more of them at a time.
template <class Value>
[[gnu::target("avx2")]] void sum_row_avx2(const std::int32_t* indices, const Value* x,
                                          std::size_t n, const Value* tile, Value* sums) {
  sum_row(indices, x, n, tile, sums);
}
#endif

template <class Value>
void sum_row_fast(const std::int32_t* indices, const Value* x, std::size_t n, const Value* tile,
                  Value* sums) {
#ifdef __x86_64__
  if (has_avx2) return sum_row_avx2(indices, x, n, tile, sums);
#endif
  sum_row(indices, x, n, tile, sums);
}

}  // namespace

template <class Value>
void dense_product(const Csr& X, const Value* Q, std::size_t n_vectors, Value* product,
                   int threads) {
  const auto values = std::get<std::span<const Value>>(X.values());
  const auto indptr = X.indptr();
  const auto indices = X.indices();
  const auto n_rows = static_cast<std::size_t>(X.n_rows());
  const auto n_cols = static_cast<std::size_t>(X.n_cols());
  std::vector<Value> tile(n_cols * kTile);
  for (std::size_t first = 0; first < n_vectors; first += kTile) {
    const std::size_t width = std::min(kTile, n_vectors - first);
    for (std::size_t j = 0; j < n_cols; ++j) {
      std::copy_n(Q + j * n_vectors + first, width, tile.data() + j * kTile);
      std::fill_n(tile.data() + j * kTile + width, kTile - width, Value{0});
    }
    parallel_for((n_rows + kRowsPerJob - 1) / kRowsPerJob, threads, [&](std::size_t job, int) {
      Value sums[kTile];
      for (std::size_t i = job * kRowsPerJob; i < std::min((job + 1) * kRowsPerJob, n_rows); ++i) {
        const auto begin = static_cast<std::size_t>(indptr[i]);
        const auto end = static_cast<std::size_t>(indptr[i + 1]);
        sum_row_fast(indices.data() + begin, values.data() + begin, end - begin, tile.data(), sums);
        std::copy_n(sums, width, product + i * n_vectors + first);
      }
    });
  }
}

template void dense_product(const Csr&, const float*, std::size_t, float*, int);
template void dense_product(const Csr&, const double*, std::size_t, double*, int);

}  // namespace wordplane
