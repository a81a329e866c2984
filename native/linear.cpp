#include "linear.h"

#include <algorithm>
#include <vector>

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
            const auto begin = static_cast<std::size_t>(indptr[i]);
            const auto end = static_cast<std::size_t>(indptr[i + 1]);
            if (n_outputs == 1) {  // the sum stays in a register
              double sum = *b;
              for (std::size_t e = begin; e < end; ++e)
                sum += static_cast<double>(values[e]) * W[static_cast<std::size_t>(indices[e])];
              *z = sum;
              continue;
            }
            for (std::size_t e = begin; e < end; ++e) {
              const double* w = W + static_cast<std::size_t>(indices[e]) * n_outputs;
              const auto x = static_cast<double>(values[e]);
              for (std::size_t k = 0; k < n_outputs; ++k) z[k] += x * w[k];
            }
          }
        });
      },
      X.values());
}

// Each worker owns a range of columns and meets the rows in order: every sum is formed in
// the same order whatever the number of threads.
void linear_gradient(const Csr& X, const double* R, std::size_t n_outputs, double* G, int threads) {
  const auto indptr = X.indptr();
  const auto* indices = X.indices().data();

  // Cuts at equal shares of the values, seen in a sample of them.
  const std::size_t n_parts =
      X.sorted() && X.n_values() > 10'000 ? static_cast<std::size_t>(threads) : 1;
  std::vector<std::int32_t> sample;
  const std::int64_t step = std::max<std::int64_t>(1, X.n_values() / 4096);
  for (std::int64_t e = 0; n_parts > 1 && e < X.n_values(); e += step) sample.push_back(indices[e]);
  std::ranges::sort(sample);
  std::vector<std::int32_t> cut{0};
  for (std::size_t p = 1; p < n_parts; ++p) cut.push_back(sample[p * sample.size() / n_parts]);
  cut.push_back(static_cast<std::int32_t>(X.n_cols()));

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
            const double* r = R + static_cast<std::size_t>(i) * n_outputs;
            if (n_outputs == 1) {
              for (const std::int32_t* j = begin; j != end; ++j)
                G[*j] += static_cast<double>(values[static_cast<std::size_t>(j - indices)]) * *r;
              continue;
            }
            for (const std::int32_t* j = begin; j != end; ++j) {
              const auto x = static_cast<double>(values[static_cast<std::size_t>(j - indices)]);
              double* g = G + static_cast<std::size_t>(*j) * n_outputs;
              for (std::size_t k = 0; k < n_outputs; ++k) g[k] += x * r[k];
            }
          }
        });
      },
      X.values());
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
