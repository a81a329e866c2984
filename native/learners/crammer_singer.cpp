#include "learners/crammer_singer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>

#include "common/prefetch.h"

namespace wordplane {
namespace {

// g[k] += w_k.x for the N classes k; w is feature x class. The sums stay in registers.
template <std::size_t N>
void add_scores(std::span<const Cell> x, const double* w, std::size_t n_classes,
                const std::int32_t* classes, double* g) {
  double sums[N] = {};
  const auto row = [&](Cell cell) { return w + static_cast<std::size_t>(cell.column) * n_classes; };
  for (std::size_t e = 0; e < x.size(); ++e) {
    if (e + kAhead < x.size())
      for (std::size_t m = 0; m < N; ++m) __builtin_prefetch(row(x[e + kAhead]) + classes[m]);
    const double* wj = row(x[e]);
    for (std::size_t m = 0; m < N; ++m) sums[m] += static_cast<double>(x[e].value) * wj[classes[m]];
  }
  for (std::size_t m = 0; m < N; ++m) g[classes[m]] += sums[m];
}

// w_k += change x for N pairs of class and change.
template <std::size_t N>
void add_row(std::span<const Cell> x, double* w, std::size_t n_classes,
             const std::pair<std::size_t, double>* steps) {
  std::array<std::pair<std::size_t, double>, N> step;
  std::copy_n(steps, N, step.begin());
  for (const Cell cell : x) {
    double* wj = w + static_cast<std::size_t>(cell.column) * n_classes;
    for (const auto& [k, change] : step) wj[k] += static_cast<double>(cell.value) * change;
  }
}

// Calls job.template operator()<N>(m) for m, m + N, ... that cover 0 .. n-1, N from 4 down to 1.
template <class Job>
void in_fours(std::size_t n, Job&& job) {
  std::size_t m = 0;
  for (; m + 4 <= n; m += 4) job.template operator()<4>(m);
  if (n - m == 3) job.template operator()<3>(m);
  if (n - m == 2) job.template operator()<2>(m);
  if (n - m == 1) job.template operator()<1>(m);
}

}  // namespace

CrammerSinger::CrammerSinger(const LabeledRows& rows, std::span<const double> cost, float bias,
                             int threads)
    : places_(places_by_frequency(rows.X, bias > 0)),
      rows_(rows.X, places_, bias, threads),
      y_(rows.y.begin(), rows.y.end()),
      C_(rows.weight.begin(), rows.weight.end()),
      cost_(cost.begin(), cost.end()),
      n_classes_(rows.n_classes),
      w_(rows_.n_features() * n_classes_, 0.0),
      a_(rows_.n_rows() * n_classes_, 0.0),
      classes_(rows_.n_rows() * n_classes_),
      n_active_(rows_.n_rows()),
      lag_(n_classes_,
           LaggingBias(bias, LaggingBias::kMemory * static_cast<double>(rows_.n_rows()))),
      g_(n_classes_),
      sorted_(n_classes_) {
  // The row's own class stands first and is always active.
  for (std::size_t i = 0; i < n_rows(); ++i) {
    std::int32_t* classes = classes_.data() + i * n_classes_;
    for (std::size_t k = 0; k < n_classes_; ++k) classes[k] = static_cast<std::int32_t>(k);
    std::swap(classes[0], classes[y_[i]]);
  }
  wake();
}

void CrammerSinger::run(std::span<const std::int32_t> orders, double tol, int) {
  for (std::size_t p = 0; p < orders.size() && !result_.done; p += n_rows())
    pass(orders.subspan(p, n_rows()), tol);
}

void CrammerSinger::pass(std::span<const std::int32_t> order, double tol) {
  double gap = 0;
  for (std::size_t t = 0; t < order.size(); ++t) {
    const auto i = static_cast<std::size_t>(order[t]);
    if (t + 1 < order.size()) rows_.prefetch(static_cast<std::size_t>(order[t + 1]));
    if (n_active_[i] <= 1) continue;
    gap += improve(i);
    for (std::size_t k = 0; rows_.bias() > 0 && k < n_classes_; ++k) w_[k] = lag_[k].follow(w_[k]);
  }
  for (std::size_t k = 0; rows_.bias() > 0 && k < n_classes_; ++k) gap += lag_[k].gap(w_[k]);
  for (LaggingBias& lag : lag_) lag.watch(gap);
  ++result_.n_passes;
  inner_tol_ = std::max(inner_tol_, tol);
  if (gap > inner_tol_ * (dual_ + gap)) return;  // P is about D + gap
  if (inner_tol_ == tol) {
    measure();
    result_.done = result_.primal - result_.dual <= tol * result_.primal;
  }
  inner_tol_ = inner_tol_ < 20 * tol ? tol : 0.1 * inner_tol_;
  wake();
}

void CrammerSinger::wake() {
  for (LaggingBias& lag : lag_) lag.forget();
  for (std::size_t i = 0; i < n_rows(); ++i)
    n_active_[i] = C_[i] > 0 ? static_cast<std::int32_t>(n_classes_) : 0;
}

double CrammerSinger::improve(std::size_t i) {
  std::int32_t* classes = classes_.data() + i * n_classes_;
  double* a = a_.data() + i * n_classes_;
  const auto y = static_cast<std::size_t>(y_[i]);
  const double bias = rows_.bias(), C = C_[i], norm = rows_.squared_norm(i);
  const double A = lag_[y].curvature(norm);
  score(i, {classes, static_cast<std::size_t>(n_active_[i])});

  // Off its bound is y if a_y < C, and another class if a_k < 0.
  double highest = g_[y], lowest = a[y] < C ? g_[y] : std::numeric_limits<double>::infinity();
  double gap = (a[y] - C) * g_[y];
  for (std::int32_t m = 1; m < n_active_[i]; ++m) {
    const auto k = static_cast<std::size_t>(classes[m]);
    highest = std::max(highest, g_[k]);
    if (a[k] < 0) lowest = std::min(lowest, g_[k]);
    gap += a[k] * g_[k];
  }
  gap += C * highest;
  if (!std::isfinite(gap))
    throw std::invalid_argument("scores are too large for a number: scale X or the costs down");
  for (std::int32_t m = n_active_[i] - 1; m > 0; --m) {
    const auto k = static_cast<std::size_t>(classes[m]);
    if (a[k] == 0 && g_[k] < lowest) std::swap(classes[m], classes[--n_active_[i]]);
  }
  if (highest - lowest <= 1e-14) return gap;

  const auto n = static_cast<std::size_t>(n_active_[i]);
  if (A == 0) {  // an empty row has no say in w: all of C goes to its costliest class
    const auto is_highest = [&](std::int32_t k) {
      return g_[static_cast<std::size_t>(k)] == highest;
    };
    a[*std::find_if(classes, classes + n, is_highest)] = -C;
    a[y] = C;
    dual_ += C * highest;
    return gap;
  }
  for (std::size_t m = 0; m < n; ++m) {
    const auto k = static_cast<std::size_t>(classes[m]);
    sorted_[m] = g_[k] - A * a[k] + (k == y ? A * C : 0);
  }
  std::sort(sorted_.begin(), sorted_.begin() + static_cast<std::ptrdiff_t>(n), std::greater<>());
  double beta = sorted_[0] - A * C;
  std::size_t r = 1;
  for (; r < n && beta < static_cast<double>(r) * sorted_[r]; ++r) beta += sorted_[r];
  beta /= static_cast<double>(r);
  steps_.clear();
  for (std::size_t m = 0; m < n; ++m) {
    const auto k = static_cast<std::size_t>(classes[m]);
    const double best = std::min(k == y ? C : 0, (beta - g_[k]) / A + a[k]);
    const double change = best - a[k];
    if (change == 0) continue;
    a[k] = best;
    dual_ -=
        change * (g_[k] + bias * (lag_[k].sum() - w_[k]) + 0.5 * change * (norm + bias * bias));
    steps_.emplace_back(k, change);
  }
  in_fours(steps_.size(), [&]<std::size_t N>(std::size_t m) {
    add_row<N>(rows_.row(i).subspan(bias > 0), w_.data(), n_classes_, steps_.data() + m);
  });
  for (const auto& [k, change] : steps_) lag_[k].move(change);
  return gap;
}

// g_k = w_k.x_i + e_ik of these classes at least.
void CrammerSinger::score(std::size_t i, std::span<const std::int32_t> classes) {
  const std::size_t K = n_classes_;
  double* g = g_.data();
  std::copy_n(cost_.data() + static_cast<std::size_t>(y_[i]) * K, K, g);
  const auto row = rows_.row(i);
  const auto w = [&](Cell cell) { return w_.data() + static_cast<std::size_t>(cell.column) * K; };
  if (classes.size() <= 8) {
    in_fours(classes.size(), [&]<std::size_t N>(std::size_t m) {
      add_scores<N>(row, w_.data(), K, classes.data() + m, g);
    });
    return;
  }
  std::size_t e = 0;
  for (; e + 2 <= row.size(); e += 2) {  // two at once halve the traffic of g
    if (e + 1 + kAhead < row.size()) {
      prefetch(w(row[e + kAhead]), K);
      prefetch(w(row[e + 1 + kAhead]), K);
    }
    const double x0 = static_cast<double>(row[e].value), x1 = static_cast<double>(row[e + 1].value);
    const double *w0 = w(row[e]), *w1 = w(row[e + 1]);
    for (std::size_t k = 0; k < K; ++k) g[k] += x0 * w0[k] + x1 * w1[k];
  }
  if (e < row.size())
    for (std::size_t k = 0; k < K; ++k) g[k] += static_cast<double>(row[e].value) * w(row[e])[k];
}

void CrammerSinger::measure() {
  double norm = 0, loss = 0, linear = 0, b_norm = 0, c_norm = 0;
  const std::size_t n_biases = rows_.bias() > 0 ? n_classes_ : 0;
  for (std::size_t k = 0; k < n_biases; ++k) {
    b_norm += w_[k] * w_[k];
    c_norm += lag_[k].sum() * lag_[k].sum();
  }
  for (std::size_t e = n_biases; e < w_.size(); ++e) norm += w_[e] * w_[e];
  for (std::size_t i = 0; i < n_rows(); ++i) {
    if (C_[i] == 0) continue;
    score(i, {classes_.data() + i * n_classes_, n_classes_});
    const double* a = a_.data() + i * n_classes_;
    const double* e = cost_.data() + static_cast<std::size_t>(y_[i]) * n_classes_;
    loss += C_[i] * (*std::ranges::max_element(g_) - g_[static_cast<std::size_t>(y_[i])]);
    for (std::size_t k = 0; k < n_classes_; ++k) linear += a[k] * e[k];
  }
  result_.primal = 0.5 * (norm + b_norm) + loss;
  result_.dual = dual_ = -0.5 * (norm + c_norm) - linear;
}

std::vector<SvmResult> CrammerSinger::results(int) {
  if (!result_.done) measure();
  return {result_};
}

void CrammerSinger::weights(double* W, double* b) const {
  for (std::size_t j = 0; j < n_columns(); ++j) {
    const double* w = w_.data() + static_cast<std::size_t>(places_.place[j]) * n_classes_;
    for (std::size_t k = 0; k < n_classes_; ++k) W[j * n_classes_ + k] = places_.weight(j, w[k]);
  }
  for (std::size_t k = 0; k < n_classes_; ++k) b[k] = rows_.bias() > 0 ? rows_.bias() * w_[k] : 0;
}

}  // namespace wordplane
