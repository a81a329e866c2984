#include "linear.h"

#include <algorithm>

#include "parallel.h"

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
            for (auto e = static_cast<std::size_t>(indptr[i]);
                 e < static_cast<std::size_t>(indptr[i + 1]); ++e) {
              const double* w = W + static_cast<std::size_t>(indices[e]) * n_outputs;
              const auto x = static_cast<double>(values[e]);
              for (std::size_t k = 0; k < n_outputs; ++k) z[k] += x * w[k];
            }
          }
        });
      },
      X.values());
}

}  // namespace wordplane
