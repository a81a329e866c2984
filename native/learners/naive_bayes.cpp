#include "learners/naive_bayes.h"

#include "common/by_column.h"

namespace wordplane {

void add_class_counts(const Csr& X, const std::int32_t* y, const double* weight, double* counts,
                      Power power, int threads) {
  const std::int64_t n_cols = X.n_cols();
  const auto of = [power](double x) {
    return power == Power::value ? x : power == Power::square ? x * x : x != 0 ? 1.0 : 0.0;
  };
  by_column(X, threads, [&](std::size_t i, const auto* begin, const auto* end, const auto* x) {
    double* row = counts + y[i] * n_cols;
    const double w = weight[i];
    for (const std::int32_t* j = begin; j != end; ++j, ++x) {
      if (end - j > 32) __builtin_prefetch(row + j[32], 1);
      row[*j] += w * of(static_cast<double>(*x));
    }
  });
}

}  // namespace wordplane
