#include "common/linear.h"

#include <algorithm>
#include <vector>

#include "common/by_column.h"
#include "common/parallel.h"
#include "common/prefetch.h"
#include "common/sparse_dot.h"

namespace wordplane {

void linear_scores(const Csr& X, const double* W, const double* b, std::size_t n_outputs,
                   double* scores, int threads) {
  constexpr std::size_t kRowsPerJob = 512;
  const auto n_rows = static_cast<std::size_t>(X.n_rows());
  const auto indptr = X.indptr();
  const auto indices = X.indices();
  std::visit(
      [&](auto values) {
        parallel_for((n_rows + kRowsPerJob - 1) / kRowsPerJob, threads, [&](std::size_t job, int) {
          for (std::size_t i = job * kRowsPerJob; i < std::min((job + 1) * kRowsPerJob, n_rows);
               ++i) {
            double* z = scores + i * n_outputs;
            std::copy_n(b, n_outputs, z);
            const auto begin = static_cast<std::size_t>(indptr[i]);
            const auto end = static_cast<std::size_t>(indptr[i + 1]);
            if (n_outputs == 1) {
              *z += sparse_dot(indices.data() + begin, values.data() + begin, end - begin, W);
              continue;
            }
            for (std::size_t e = begin; e < end; ++e) {
              if (e + kAhead < end)
                prefetch(W + static_cast<std::size_t>(indices[e + kAhead]) * n_outputs, n_outputs);
              const double* w = W + static_cast<std::size_t>(indices[e]) * n_outputs;
              const auto x = static_cast<double>(values[e]);
              for (std::size_t k = 0; k < n_outputs; ++k) z[k] += x * w[k];
            }
          }
        });
      },
      X.values());
}

void linear_gradient(const Csr& X, const double* R, std::size_t n_outputs, double* G, int threads) {
  by_column(X, threads, [&](std::size_t i, const auto* begin, const auto* end, const auto* x) {
    const double* r = R + i * n_outputs;
    if (n_outputs == 1) {
      for (const std::int32_t* j = begin; j != end; ++j, ++x) G[*j] += static_cast<double>(*x) * *r;
      return;
    }
    for (const std::int32_t* j = begin; j != end; ++j, ++x) {
      if (end - j > static_cast<std::ptrdiff_t>(kAhead))
        prefetch(G + static_cast<std::size_t>(j[kAhead]) * n_outputs, n_outputs);
      double* g = G + static_cast<std::size_t>(*j) * n_outputs;
      for (std::size_t k = 0; k < n_outputs; ++k) g[k] += static_cast<double>(*x) * r[k];
    }
  });
}

void squared_norms(const Csr& X, double* norms, int threads) {
  constexpr std::size_t kRowsPerJob = 512;
  const auto n_rows = static_cast<std::size_t>(X.n_rows());
  const auto indptr = X.indptr();
  std::visit(
      [&](auto values) {
        parallel_for((n_rows + kRowsPerJob - 1) / kRowsPerJob, threads, [&](std::size_t job, int) {
          for (std::size_t i = job * kRowsPerJob; i < std::min((job + 1) * kRowsPerJob, n_rows);
               ++i) {
            norms[i] = 0;
            for (auto e = static_cast<std::size_t>(indptr[i]);
                 e < static_cast<std::size_t>(indptr[i + 1]); ++e)
              norms[i] += static_cast<double>(values[e]) * static_cast<double>(values[e]);
          }
        });
      },
      X.values());
}

}  // namespace wordplane
