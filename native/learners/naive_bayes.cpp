#include "learners/naive_bayes.h"

#include "common/by_column.h"

namespace wordplane {
namespace {

// counts[k][j] += sum of weight[i] of(x[i][j]).
template <class Of>
void add_by_class(const Csr& X, const std::int32_t* y, const double* weight, double* counts,
                  int threads, Of&& of) {
  const std::int64_t n_cols = X.n_cols();
  by_column(X, threads, [&](std::size_t i, const auto* begin, const auto* end, const auto* x) {
    double* row = counts + y[i] * n_cols;
    const double w = weight[i];
    for (const std::int32_t* j = begin; j != end; ++j, ++x) {
      if (end - j > 32) __builtin_prefetch(row + j[32], 1);
      row[*j] += w * of(static_cast<double>(*x));
    }
  });
}

}  // namespace

void add_class_counts(const Csr& X, const std::int32_t* y, const double* weight, double* counts,
                      int threads) {
  add_by_class(X, y, weight, counts, threads, [](double x) { return x; });
}

void add_class_presences(const Csr& X, const std::int32_t* y, const double* weight, double* counts,
                         int threads) {
  add_by_class(X, y, weight, counts, threads, [](double x) { return x != 0 ? 1.0 : 0.0; });
}

void add_class_squares(const Csr& X, const std::int32_t* y, const double* weight, double* counts,
                       int threads) {
  add_by_class(X, y, weight, counts, threads, [](double x) { return x * x; });
}

}  // namespace wordplane
