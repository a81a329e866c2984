#include "learners/svm.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/parallel.h"
#include "common/prefetch.h"
#include "learners/lagging_bias.h"

namespace wordplane {

class DualSvm::Group {
 public:
  virtual ~Group() = default;
  virtual void pass(std::span<const std::int32_t> order, double tol) = 0;
  virtual void measure() = 0;
  virtual bool done() const = 0;
  virtual const SvmResult& result(std::size_t k) const = 0;
  virtual const double* weights(std::size_t feature) const = 0;
};

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Outputs first .. first + K-1; those from n_outputs on only fill the vector up.
template <std::size_t K>
class GroupOf final : public DualSvm::Group {
 public:
  GroupOf(const PackedRows& rows, std::span<const std::int32_t> y, std::span<const double> C,
          std::span<const double> margin, bool squared, std::size_t first, std::size_t n_outputs,
          std::span<const double> scale)
      : rows_(rows),
        y_(y),
        C_(C),
        margin_(margin),
        squared_(squared),
        bias_(rows.bias()),
        first_(n_outputs == 1 ? 1 : first),
        w_(rows.n_features() * K, 0.0),
        a_(rows.n_rows() * K, 0.0),
        active_(rows.n_rows()) {
    open_ = static_cast<std::uint8_t>((1U << std::min(K, n_outputs - first)) - 1);
    highest_.fill(kInfinity);
    lowest_.fill(-kInfinity);
    lag_.fill(LaggingBias(bias_, rows.n_rows()));
    for (std::size_t i = 0; i < rows.n_rows(); ++i) active_[i] = C[i] > 0 ? open_ : 0;
    if (!scale.empty()) set_scale(scale, first, n_outputs);
  }

  void pass(std::span<const std::int32_t> order, double tol) override {
    constexpr int kLongest = 50;  // passes that go by without a look at the rows left out
    std::array<double, K> gap{}, highest, lowest;
    highest.fill(-kInfinity);
    lowest.fill(kInfinity);
    for (std::size_t t = 0; t < order.size(); ++t) {
      const auto i = static_cast<std::size_t>(order[t]);
      if (t + 2 < order.size()) rows_.prefetch(static_cast<std::size_t>(order[t + 2]));
      const unsigned now = active_[i] & open_;
      if (now == 0) continue;
      const auto z = scores(i);
      std::array<double, K> step{};
      bool moves = false;
      const double D = squared_ ? 0.5 / C_[i] : 0;
      const double U = squared_ ? kInfinity : C_[i];
      for (std::size_t k = 0; k < K; ++k) {
        if ((now >> k & 1) == 0) continue;
        const double sign = sign_of(i, k);
        double& a = a_[i * K + k];
        const double margin = margin_[i] - sign * z[k];
        gap[k] += gap_term(margin, a, i);
        const double G = D * a - margin;
        double projected = G;
        if (a == 0 && G >= 0) {
          projected = 0;
          if (G > highest_[k]) active_[i] &= static_cast<std::uint8_t>(~(1U << k));
        } else if (a == U && G <= 0) {
          projected = 0;
          if (G < lowest_[k]) active_[i] &= static_cast<std::uint8_t>(~(1U << k));
        }
        highest[k] = std::max(highest[k], projected);
        lowest[k] = std::min(lowest[k], projected);
        if (std::abs(projected) < 1e-14) continue;
        const double norm = squared_norm(i, k), Q = lag_[k].curvature(norm) + D;
        const double change = std::min(std::max(a - G / Q, 0.0), U) - a;
        a += change;
        dual_[k] -= change * (G + sign * bias_ * (lag_[k].sum() - w_[k]) +
                              0.5 * change * (norm + bias_ * bias_ + D));
        step[k] = sign * change;
        moves = true;
      }
      if (moves) move(i, step);
      for (std::size_t k = 0; bias_ > 0 && k < K; ++k) {
        if ((now >> k & 1) == 0) continue;
        lag_[k].move(step[k]);
        lag_[k].follow(w_[k]);
      }
    }
    unsigned near = 0, solved = 0;
    for (std::size_t k = 0; k < K; ++k) {
      if ((open_ >> k & 1) == 0) continue;
      ++result_[k].n_passes;
      if (bias_ > 0) gap[k] += lag_[k].gap(w_[k]);
      lag_[k].watch(gap[k]);
      highest_[k] = highest[k] > 0 ? highest[k] : kInfinity;
      lowest_[k] = lowest[k] < 0 ? lowest[k] : -kInfinity;
      // P is about D + gap. The gap is a pass old, and falls on as it did before.
      const double wanted = tol * (dual_[k] + gap[k]);
      if (gap[k] * std::min(1.0, gap[k] / gap_[k]) <= wanted) near |= 1U << k;
      if (gap[k] <= wanted || result_[k].n_passes % kLongest == 0) solved |= 1U << k;
      gap_[k] = gap[k];
    }
    if ((near | solved) != 0) finish(near | solved, solved, tol);
  }

  void measure() override { measure(open_); }
  bool done() const override { return open_ == 0; }
  const SvmResult& result(std::size_t k) const override { return result_[k]; }
  const double* weights(std::size_t feature) const override { return w_.data() + feature * K; }

 private:
  double sign_of(std::size_t i, std::size_t k) const {
    return static_cast<std::size_t>(y_[i]) == first_ + k ? 1 : -1;
  }

  double squared_norm(std::size_t i, std::size_t k) const {
    return scale_.empty() ? rows_.squared_norm(i) : scaled_norm_[i * K + k];
  }

  // The part of row i in P - D: C loss(m) - a m + D a^2 / 2.
  double gap_term(double margin, double a, std::size_t i) const {
    const double m = std::max(margin, 0.0), C = C_[i];
    return squared_ ? C * m * m - a * margin + 0.25 * a * a / C : C * m - a * margin;
  }

  // Several sums, so that an addition need not wait for the one before.
  std::array<double, K> scores(std::size_t i) const {
    constexpr std::size_t kSums = K == 1 ? 4 : 2;
    double sums[kSums][K] = {};
    const auto row = rows_.row(i);
    const double* w = w_.data();
    const auto add = [&](double* sum, Cell cell) {
      const double* wj = w + static_cast<std::size_t>(cell.column) * K;
      for (std::size_t k = 0; k < K; ++k) sum[k] += static_cast<double>(cell.value) * wj[k];
    };
    std::size_t e = 0;
    for (; e + kSums <= row.size(); e += kSums) {
      // The weights of one output mostly stay in the cache, and need no help.
      if (K > 1 && e + kSums + kAhead <= row.size())
        for (std::size_t s = 0; s < kSums; ++s)
          prefetch(w + static_cast<std::size_t>(row[e + kAhead + s].column) * K, K);
      for (std::size_t s = 0; s < kSums; ++s) add(sums[s], row[e + s]);
    }
    for (; e < row.size(); ++e) add(sums[0], row[e]);
    std::array<double, K> z{};
    for (std::size_t s = 0; s < kSums; ++s)
      for (std::size_t k = 0; k < K; ++k) z[k] += sums[s][k];
    return z;
  }

  void move(std::size_t i, const std::array<double, K>& step) {
    double* w = w_.data();
    const auto x = rows_.row(i).subspan(bias_ > 0);
    if (scale_.empty()) {
      for (const Cell cell : x) {
        double* wj = w + static_cast<std::size_t>(cell.column) * K;
        for (std::size_t k = 0; k < K; ++k) wj[k] += static_cast<double>(cell.value) * step[k];
      }
    } else {
      for (const Cell cell : x) {
        const std::size_t j = static_cast<std::size_t>(cell.column) * K;
        for (std::size_t k = 0; k < K; ++k)
          w[j + k] += static_cast<double>(cell.value) * step[k] * scale_[j + k];
      }
    }
  }

  // Measures the outputs in `near`; closes those that are done. All rows of the others come back
  // if those that were not left out are solved.
  void finish(unsigned near, unsigned solved, double tol) {
    measure(near);
    unsigned again = 0;
    for (std::size_t k = 0; k < K; ++k) {
      if ((near >> k & 1) == 0) continue;
      SvmResult& r = result_[k];
      r.done = r.primal - r.dual <= tol * r.primal;
      if (r.done) {
        open_ &= static_cast<std::uint8_t>(~(1U << k));
      } else if (solved >> k & 1) {
        again |= 1U << k;
        lag_[k].forget();
        highest_[k] = kInfinity;
        lowest_[k] = -kInfinity;
      }
    }
    if (again == 0) return;
    for (std::size_t i = 0; i < rows_.n_rows(); ++i)
      if (C_[i] > 0) active_[i] |= static_cast<std::uint8_t>(again);
  }

  void measure(unsigned outputs) {
    if (outputs == 0) return;
    std::array<double, K> norm{}, loss{}, conjugate{};
    for (std::size_t j = bias_ > 0 ? K : 0; j < w_.size(); j += K)
      for (std::size_t k = 0; k < K; ++k) {
        const double w = w_[j + k];
        if (w != 0) norm[k] += scale_.empty() ? w * w : w * w / scale_[j + k];
      }
    for (std::size_t i = 0; i < rows_.n_rows(); ++i) {
      if (C_[i] == 0) continue;
      const auto z = scores(i);
      for (std::size_t k = 0; k < K; ++k) {
        const double m = std::max(0.0, margin_[i] - sign_of(i, k) * z[k]), a = a_[i * K + k];
        loss[k] += C_[i] * (squared_ ? m * m : m);
        conjugate[k] += margin_[i] * a - (squared_ ? 0.25 * a * a / C_[i] : 0);
      }
    }
    for (std::size_t k = 0; k < K; ++k) {
      if ((outputs >> k & 1) == 0) continue;
      const double b = bias_ > 0 ? w_[k] : 0, c = lag_[k].sum();
      result_[k].primal = 0.5 * (norm[k] + b * b) + loss[k];
      result_[k].dual = dual_[k] = conjugate[k] - 0.5 * (norm[k] + c * c);
    }
  }

  // The weights w here are those of x itself: w = s o v, where v are the weights of x o s. A
  // step moves w by s^2 x, and |v|^2 = sum w^2 / s^2, so only s^2 is kept.
  void set_scale(std::span<const double> scale, std::size_t first, std::size_t n_outputs) {
    scale_.assign(w_.size(), 1.0);
    const auto place = rows_.place();
    for (std::size_t j = 0; j < place.size(); ++j)
      for (std::size_t k = 0; k < std::min(K, n_outputs - first); ++k) {
        const double s = scale[j * n_outputs + first + k];
        scale_[static_cast<std::size_t>(place[j]) * K + k] = s * s;
      }
    scaled_norm_.assign(a_.size(), 0.0);
    for (std::size_t i = 0; i < rows_.n_rows(); ++i)
      for (const Cell cell : rows_.row(i).subspan(bias_ > 0))
        for (std::size_t k = 0; k < K; ++k)
          scaled_norm_[i * K + k] += static_cast<double>(cell.value) * cell.value *
                                     scale_[static_cast<std::size_t>(cell.column) * K + k];
  }

  const PackedRows& rows_;
  std::span<const std::int32_t> y_;
  std::span<const double> C_, margin_;
  bool squared_;
  double bias_;
  std::size_t first_;         // class of the first output
  HugeVector<double> w_, a_;  // feature x K (the bias first), row x K
  std::array<LaggingBias, K> lag_;
  HugeVector<double> scale_, scaled_norm_;  // feature x K (s^2), row x K; empty without a scale
  std::vector<std::uint8_t> active_;        // per row one bit for each output
  std::uint8_t open_;                       // outputs that are not done
  std::array<double, K> highest_, lowest_;  // projected gradients of the last pass
  std::array<double, K> gap_{};             // of the active rows, as they were met in the last pass
  std::array<double, K> dual_{};
  std::array<SvmResult, K> result_{};
};

constexpr std::size_t kSideBySide = 4;

}  // namespace

DualSvm::DualSvm(const LabeledRows& rows, std::span<const double> margin, bool squared, float bias,
                 std::span<const double> scale, int threads)
    : rows_(rows.X, bias, threads, rows.n_outputs() == 1 ? scale : std::span<const double>()),
      y_(rows.y.begin(), rows.y.end()),
      C_(rows.weight.begin(), rows.weight.end()),
      margin_(margin.begin(), margin.end()),
      n_outputs_(rows.n_outputs()) {
  if (n_outputs_ == 1) {
    scale_of_one_.assign(scale.begin(), scale.end());
    groups_.push_back(std::make_unique<GroupOf<1>>(rows_, y_, C_, margin_, squared, 0, n_outputs_,
                                                   std::span<const double>()));
    return;
  }
  for (std::size_t first = 0; first < n_outputs_; first += kSideBySide)
    groups_.push_back(std::make_unique<GroupOf<kSideBySide>>(rows_, y_, C_, margin_, squared, first,
                                                             n_outputs_, scale));
}

DualSvm::~DualSvm() = default;

void DualSvm::run(std::span<const std::int32_t> orders, double tol, int threads) {
  parallel_for(groups_.size(), threads, [&](std::size_t g, int) {
    for (std::size_t p = 0; p < orders.size() && !groups_[g]->done(); p += n_rows())
      groups_[g]->pass(orders.subspan(p, n_rows()), tol);
  });
}

bool DualSvm::done() const {
  return std::ranges::all_of(groups_, [](const auto& group) { return group->done(); });
}

std::vector<SvmResult> DualSvm::results(int threads) {
  parallel_for(groups_.size(), threads, [&](std::size_t g, int) { groups_[g]->measure(); });
  std::vector<SvmResult> results;
  for (std::size_t k = 0; k < n_outputs_; ++k)
    results.push_back(groups_[k / kSideBySide]->result(k % kSideBySide));
  return results;
}

void DualSvm::weights(double* W, double* b) const {
  const auto place = rows_.place();
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const std::size_t first = g * kSideBySide, n = std::min(kSideBySide, n_outputs_ - first);
    for (std::size_t j = 0; j < place.size(); ++j)
      std::copy_n(groups_[g]->weights(static_cast<std::size_t>(place[j])), n,
                  W + j * n_outputs_ + first);
    for (std::size_t k = 0; k < n; ++k)
      b[first + k] = rows_.bias() > 0 ? rows_.bias() * groups_[g]->weights(0)[k] : 0;
  }
  for (std::size_t j = 0; j < scale_of_one_.size(); ++j) W[j] *= scale_of_one_[j];
}

}  // namespace wordplane
