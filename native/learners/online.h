// What the passes of the online learners share: the scores of a row, and sparse updates.
#pragma once

#include <cstddef>
#include <span>

#include "common/prefetch.h"
#include "common/sparse_dot.h"
#include "learners/online_rows.h"

namespace wordplane {

// The rows of a pass, in the order to take them.
using RowOrder = std::span<const std::int32_t>;

// The entries begin .. end-1 of X: a row, or a part of one.
template <class Value>
class OnlineRow {
 public:
  OnlineRow(const OnlineRows& rows, std::span<const Value> values, std::int64_t begin,
            std::int64_t end, double bias)
      : n_classes_(rows.n_classes),
        bias_(bias),
        bias_row_(static_cast<std::size_t>(rows.X.n_cols())),
        n_(static_cast<std::size_t>(end - begin)),
        indices_(rows.X.indices().data() + begin),
        values_(values.data() + begin) {}

  // z_k = w_k . x
  void scores(const double* W, double* __restrict z) const {
    if (n_classes_ == 2) {
      z[1] = (bias_ == 0 ? 0 : bias_ * W[bias_row_]) + sparse_dot(indices_, values_, n_, W);
      z[0] = -z[1];
      return;
    }
    for (std::size_t k = 0; k < n_classes_; ++k)
      z[k] = bias_ == 0 ? 0 : bias_ * W[bias_row_ * n_classes_ + k];
    const auto w = [&](std::size_t e) {
      return W + static_cast<std::size_t>(indices_[e]) * n_classes_;
    };
    std::size_t e = 0;
    for (; e + 2 <= n_; e += 2) {  // two at once halve the traffic of z
      if (e + 1 + kAhead < n_) {
        prefetch(w(e + kAhead), n_classes_);
        prefetch(w(e + 1 + kAhead), n_classes_);
      }
      const double x0 = value(e), x1 = value(e + 1), *w0 = w(e), *w1 = w(e + 1);
      for (std::size_t k = 0; k < n_classes_; ++k) z[k] += x0 * w0[k] + x1 * w1[k];
    }
    if (e < n_)
      for (std::size_t k = 0; k < n_classes_; ++k) z[k] += value(e) * w(e)[k];
  }

  // Rows come in random order: each is asked for two rows ahead, its weights while it is scored.
  // (Those of two classes mostly stay in the cache, and need no help.)
  void expect() const {
    prefetch_row(indices_, n_);
    prefetch_row(values_, n_);
  }

  // w_y += step x,  w_guess -= step x
  void add(double step, std::size_t y, std::size_t guess, double* W) const {
    if (n_classes_ == 2) {
      if (y == 0) step = -step;
      for (std::size_t e = 0; e < n_; ++e) W[indices_[e]] += step * value(e);
      if (bias_ != 0) W[bias_row_] += step * bias_;
      return;
    }
    for (std::size_t e = 0; e < n_; ++e) {
      double* w = W + static_cast<std::size_t>(indices_[e]) * n_classes_;
      w[y] += step * value(e);
      w[guess] -= step * value(e);
    }
    if (bias_ == 0) return;  // nor is the row of the bias ours
    W[bias_row_ * n_classes_ + y] += step * bias_;
    W[bias_row_ * n_classes_ + guess] -= step * bias_;
  }

  // ||x||^2, the bias included
  double square() const {
    double sum = bias_ * bias_;
    for (std::size_t e = 0; e < n_; ++e) sum += value(e) * value(e);
    return sum;
  }

 private:
  double value(std::size_t e) const { return static_cast<double>(values_[e]); }

  std::size_t n_classes_;
  double bias_;
  std::size_t bias_row_, n_;
  const std::int32_t* indices_;
  const Value* values_;
};

template <class Value>
OnlineRow<Value> whole_row(const OnlineRows& rows, std::span<const Value> values, std::size_t i) {
  return {rows, values, rows.X.indptr()[i], rows.X.indptr()[i + 1], rows.bias};
}

// The class with the largest z_k + cost_k, the lowest among equals.
inline std::size_t best_class(std::span<const double> z, const double* cost) {
  std::size_t best = 0;
  for (std::size_t k = 1; k < z.size(); ++k)
    if (z[k] + cost[k] > z[best] + cost[best]) best = k;
  return best;
}

}  // namespace wordplane
