// What the passes of the online learners share: the scores of a row, and sparse updates.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "csr.h"
#include "parallel.h"
#include "prefetch.h"
#include "sparse_dot.h"

namespace wordplane {

// The documents of one pass: rows of X in the order to take them, with the class and the weight
// of every row of X. `bias` is the value of a feature that all rows have; 0 means no bias.
struct Pass {
  const Csr& X;
  const std::int32_t* y;
  const double* weight;
  std::span<const std::int32_t> order;
  double bias;
  std::size_t n_classes;
  int threads;
};

// Weights are (n_features + 1) x n_outputs, row-major, so that one word touches one row; the last
// row is that of the bias. With two classes the vectors are always each other's negative, and
// one output is kept: that of class 1.
inline std::size_t n_outputs(std::size_t n_classes) { return n_classes == 2 ? 1 : n_classes; }

template <class Value>
class OnlineRow {
 public:
  OnlineRow(const Pass& pass, std::span<const Value> values, std::size_t i)
      : n_classes_(pass.n_classes),
        bias_(pass.bias),
        bias_row_(static_cast<std::size_t>(pass.X.n_cols())),
        begin_(static_cast<std::size_t>(pass.X.indptr()[i])),
        n_(static_cast<std::size_t>(pass.X.indptr()[i + 1]) - begin_),
        indices_(pass.X.indices().data() + begin_),
        values_(values.data() + begin_) {}

  // z_k = w_k . x
  void scores(const double* W, double* __restrict z) const {
    if (n_classes_ == 2) {
      z[1] = bias_ * W[bias_row_] + sparse_dot(indices_, values_, n_, W);
      z[0] = -z[1];
      return;
    }
    for (std::size_t k = 0; k < n_classes_; ++k) z[k] = bias_ * W[bias_row_ * n_classes_ + k];
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
      W[bias_row_] += step * bias_;
      return;
    }
    for (std::size_t e = 0; e < n_; ++e) {
      double* w = W + static_cast<std::size_t>(indices_[e]) * n_classes_;
      w[y] += step * value(e);
      w[guess] -= step * value(e);
    }
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
  std::size_t bias_row_, begin_, n_;
  const std::int32_t* indices_;
  const Value* values_;
};

// Calls step(row, y, weight, z) for the documents of a pass, in order, where z are the row's scores
// by the weights W; step tells whether it changed them. Until it does, the scores of rows to come
// hold: the longer nothing was changed, the more rows are scored ahead, by all threads.
template <class Step>
void for_each_row(const Pass& pass, const double* W, Step&& step) {
  constexpr std::size_t kCalm = 32, kMostAhead = 64;  // after many changes threads would only wait
  const std::size_t n_docs = pass.order.size();
  std::vector<double> scores(kMostAhead * pass.n_classes);
  Crew crew(pass.X.n_values() > 20'000 ? pass.threads : 1);
  std::visit(
      [&](auto values) {
        const auto row = [&](std::size_t at) {
          return OnlineRow(pass, values, static_cast<std::size_t>(pass.order[at]));
        };
        std::size_t begin = 0, end = 0, changes = 0;  // rows begin .. end-1 are scored
        const auto scores_of = [&](std::size_t at) {
          return std::span(scores).subspan((at - begin) * pass.n_classes, pass.n_classes);
        };
        const auto score = [&](std::size_t first, std::size_t last) {
          for (std::size_t at = first; at < last; ++at) {
            if (at + 2 < n_docs) row(at + 2).expect();
            row(at).scores(W, scores_of(at).data());
          }
        };
        for (std::size_t at = 0; at < n_docs; ++at) {
          if (at == end) {
            const std::size_t calm = at / (changes + 1);  // rows from change to change
            const bool alone = crew.size() == 1 || calm < kCalm;
            const std::size_t size = std::min(alone ? 1 : calm / 4, kMostAhead);
            begin = at, end = std::min(at + size, n_docs);
            const std::size_t n = end - begin, n_parts = std::min(n, crew.size());
            crew.run(static_cast<std::uint32_t>(n_parts), [&](std::size_t part) {
              score(begin + part * n / n_parts, begin + (part + 1) * n / n_parts);
            });
          }
          const auto i = static_cast<std::size_t>(pass.order[at]);
          const auto y = static_cast<std::size_t>(pass.y[i]);
          if (step(row(at), y, pass.weight[i], scores_of(at))) {
            ++changes;
            end = at + 1;
          }
        }
      },
      pass.X.values());
}

// The class with the largest z_k + cost_k, the lowest among equals.
inline std::size_t best_class(std::span<const double> z, const double* cost) {
  std::size_t best = 0;
  for (std::size_t k = 1; k < z.size(); ++k)
    if (z[k] + cost[k] > z[best] + cost[best]) best = k;
  return best;
}

}  // namespace wordplane
