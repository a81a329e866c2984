#include "learners/svm.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "common/parallel.h"
#include "common/prefetch.h"
#include "learners/lagging_bias.h"

namespace wordplane {

class SvmMachines::Group {
 public:
  virtual ~Group() = default;
  virtual void start_pass() = 0;
  virtual void visit(const PackedRows& rows, std::size_t first,
                     std::span<const std::int32_t> order) = 0;
  virtual bool end_pass(double tol) = 0;
  virtual void start_measure() = 0;
  virtual void measure(const PackedRows& rows, std::size_t first) = 0;
  virtual void end_measure(double tol) = 0;
  virtual bool done() const = 0;
  virtual const SvmResult& result(std::size_t k) const = 0;
  virtual void copy_weights(std::size_t feature, std::span<double> to) const = 0;
  virtual std::vector<std::uint8_t> state() const = 0;
  virtual void set_state(std::span<const std::uint8_t> state) = 0;
};

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Outputs first .. first + K-1; those from n_outputs on only fill the vector up. Weights, their
// scale and scores are of type Real.
template <std::size_t K, class Real>
class GroupOf final : public SvmMachines::Group {
 public:
  GroupOf(const SvmMachines& machines, const IsPositive& is_positive, std::span<const double> C,
          std::span<const double> margin, bool squared, std::size_t first)
      : C_(C),
        margin_(margin),
        squared_(squared),
        bias_(machines.bias()),
        w_(machines.n_features() * K, Real{0}),
        a_(C.size() * K, 0.0),
        positive_(C.size()),
        active_(C.size()) {
    const std::size_t n_outputs = std::min(K, machines.n_outputs() - first);
    open_ = static_cast<std::uint8_t>((1U << n_outputs) - 1);
    highest_.fill(kInfinity);
    lowest_.fill(-kInfinity);
    lag_.fill(LaggingBias(bias_, machines.lag()));
    for (std::size_t i = 0; i < C.size(); ++i) {
      active_[i] = C[i] > 0 ? open_ : 0;
      for (std::size_t k = 0; k < n_outputs; ++k)
        positive_[i] |= static_cast<std::uint8_t>(is_positive(i, first + k) << k);
    }
  }

  void start_pass() override {
    gap_now_.fill(0);
    highest_now_.fill(-kInfinity);
    lowest_now_.fill(kInfinity);
  }

  void visit(const PackedRows& rows, std::size_t first,
             std::span<const std::int32_t> order) override {
    if (has_scale() && n_passes_ == 0) measure_norms(rows, first);
    auto gap = gap_now_, highest = highest_now_, lowest = lowest_now_;
    for (std::size_t t = 0; t < order.size(); ++t) {
      const auto at = static_cast<std::size_t>(order[t]), i = first + at;
      if (t + 2 < order.size()) rows.prefetch(static_cast<std::size_t>(order[t + 2]));
      const unsigned now = active_[i] & open_;
      if (now == 0) continue;
      const auto z = scores(rows.row(at));
      std::array<Real, K> step{};
      bool moves = false;
      const double D = squared_ ? 0.5 / C_[i] : 0;
      const double U = squared_ ? kInfinity : C_[i];
      for (std::size_t k = 0; k < K; ++k) {
        if ((now >> k & 1) == 0) continue;
        const double sign = sign_of(i, k);
        double& a = a_[i * K + k];
        const double margin = margin_[i] - sign * static_cast<double>(z[k]);
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
        const double norm = has_scale() ? scaled_norm_[i * K + k] : rows.squared_norm(at),
                     Q = lag_[k].curvature(norm) + D;
        const double change = std::min(std::max(a - G / Q, 0.0), U) - a;
        a += change;
        dual_[k] -= change * (G + sign * bias_ * (lag_[k].sum() - bias_weight(k)) +
                              0.5 * change * (norm + bias_ * bias_ + D));
        step[k] = static_cast<Real>(sign * change);
        moves = true;
      }
      if (moves) move(rows.row(at), step);
      for (std::size_t k = 0; bias_ > 0 && k < K; ++k) {
        if ((now >> k & 1) == 0) continue;
        lag_[k].move(static_cast<double>(step[k]));
        w_[k] = static_cast<Real>(lag_[k].follow(static_cast<double>(w_[k])));
      }
    }
    gap_now_ = gap;
    highest_now_ = highest;
    lowest_now_ = lowest;
  }

  bool end_pass(double tol) override {
    constexpr int kLongest = 50;  // passes that go by without a look at the rows left out
    const auto &highest = highest_now_, &lowest = lowest_now_;
    auto& gap = gap_now_;
    ++n_passes_;
    near_ = solved_ = 0;
    for (std::size_t k = 0; k < K; ++k) {
      if ((open_ >> k & 1) == 0) continue;
      ++result_[k].n_passes;
      if (bias_ > 0) gap[k] += lag_[k].gap(bias_weight(k));
      lag_[k].watch(gap[k]);
      highest_[k] = highest[k] > 0 ? highest[k] : kInfinity;
      lowest_[k] = lowest[k] < 0 ? lowest[k] : -kInfinity;
      // P is about D + gap. The gap is a pass old, and falls on as it did before.
      const double wanted = tol * (dual_[k] + gap[k]);
      if (gap[k] * std::min(1.0, gap[k] / gap_[k]) <= wanted) near_ |= 1U << k;
      if (gap[k] <= wanted || result_[k].n_passes % kLongest == 0) solved_ |= 1U << k;
      gap_[k] = gap[k];
    }
    near_ |= solved_;
    return near_ != 0;
  }

  void start_measure() override {
    norm_.fill(0);
    loss_.fill(0);
    conjugate_.fill(0);
    for (std::size_t j = bias_ > 0 ? stride_ : 0; j < w_.size(); j += stride_)
      for (std::size_t k = 0; k < K; ++k) {
        const auto w = static_cast<double>(w_[j + k]);
        if (w != 0) norm_[k] += has_scale() ? w * w / static_cast<double>(w_[j + K + k]) : w * w;
      }
  }

  void measure(const PackedRows& rows, std::size_t first) override {
    for (std::size_t at = 0; at < rows.n_rows(); ++at) {
      const std::size_t i = first + at;
      if (C_[i] == 0) continue;
      const auto z = scores(rows.row(at));
      for (std::size_t k = 0; k < K; ++k) {
        const double m = std::max(0.0, margin_[i] - sign_of(i, k) * static_cast<double>(z[k])),
                     a = a_[i * K + k];
        loss_[k] += C_[i] * (squared_ ? m * m : m);
        conjugate_[k] += margin_[i] * a - (squared_ ? 0.25 * a * a / C_[i] : 0);
      }
    }
  }

  // Closes the outputs near their end that are done. All rows of the others come back if those that
  // were not left out are solved.
  void end_measure(double tol) override {
    unsigned again = 0;
    for (std::size_t k = 0; k < K; ++k) {
      if ((open_ >> k & 1) == 0) continue;
      SvmResult& r = result_[k];
      const double b = bias_ > 0 ? bias_weight(k) : 0, c = lag_[k].sum();
      r.primal = 0.5 * (norm_[k] + b * b) + loss_[k];
      r.dual = conjugate_[k] - 0.5 * (norm_[k] + c * c);
      if ((near_ >> k & 1) == 0) continue;
      dual_[k] = r.dual;
      r.done = r.primal - r.dual <= tol * r.primal;
      if (r.done) {
        open_ &= static_cast<std::uint8_t>(~(1U << k));
      } else if (solved_ >> k & 1) {
        again |= 1U << k;
        lag_[k].forget();
        highest_[k] = kInfinity;
        lowest_[k] = -kInfinity;
      }
    }
    near_ = solved_ = 0;
    if (again == 0) return;
    for (std::size_t i = 0; i < C_.size(); ++i)
      if (C_[i] > 0) active_[i] |= static_cast<std::uint8_t>(again);
  }

  bool done() const override { return open_ == 0; }
  const SvmResult& result(std::size_t k) const override { return result_[k]; }
  void copy_weights(std::size_t feature, std::span<double> to) const override {
    std::copy_n(w_.begin() + static_cast<std::ptrdiff_t>(feature * stride_), to.size(), to.begin());
  }

  std::vector<std::uint8_t> state() const override {
    std::size_t size = 0;
    each_part(*this, [&size](auto part) { size += part.size_bytes(); });
    std::vector<std::uint8_t> state(size);
    std::uint8_t* to = state.data();
    each_part(*this, [&to](auto part) {
      if (!part.empty()) std::memcpy(to, part.data(), part.size_bytes());
      to += part.size_bytes();
    });
    return state;
  }

  void set_state(std::span<const std::uint8_t> state) override {
    std::size_t size = 0;
    each_part(*this, [&size](auto part) { size += part.size_bytes(); });
    if (size != state.size()) throw std::invalid_argument("the state is that of other machines");
    each_part(*this, [&state](auto part) {
      if (!part.empty()) std::memcpy(part.data(), state.data(), part.size_bytes());
      state = state.subspan(part.size_bytes());
    });
  }

  // The weights w here are those of x itself: w = s o v, where v are the weights of x o s. A
  // step moves w by s^2 x, and |v|^2 = sum w^2 / s^2, so only s^2 is kept.
  void set_scale(std::span<const double> scale, std::span<const std::int32_t> place,
                 std::size_t first, std::size_t n_outputs) {
    stride_ = 2 * K;
    w_.assign(2 * w_.size(), Real{0});
    for (std::size_t j = 0; j < w_.size(); j += stride_) std::fill_n(w_.data() + j + K, K, Real{1});
    for (std::size_t j = 0; j < place.size(); ++j)
      for (std::size_t k = 0; k < std::min(K, n_outputs - first); ++k) {
        const double s = scale[j * n_outputs + first + k];
        w_[static_cast<std::size_t>(place[j]) * stride_ + K + k] = static_cast<Real>(s * s);
      }
    scaled_norm_.assign(a_.size(), 0.0);
  }

 private:
  double sign_of(std::size_t i, std::size_t k) const {
    return (positive_[i] >> k & 1) != 0 ? 1 : -1;
  }

  bool has_scale() const { return stride_ > K; }

  double bias_weight(std::size_t k) const { return static_cast<double>(w_[k]); }

  // The part of row i in P - D: C loss(m) - a m + D a^2 / 2.
  double gap_term(double margin, double a, std::size_t i) const {
    const double m = std::max(margin, 0.0), C = C_[i];
    return squared_ ? C * m * m - a * margin + 0.25 * a * a / C : C * m - a * margin;
  }

  // Several sums, so that an addition need not wait for the one before.
  std::array<Real, K> scores(std::span<const Cell> row) const {
    constexpr std::size_t kSums = K == 1 ? 4 : 2;
    Real sums[kSums][K] = {};
    const Real* w = w_.data();
    const std::size_t stride = stride_;
    const auto add = [&](Real* sum, Cell cell) {
      const Real* wj = w + static_cast<std::size_t>(cell.column) * stride;
      for (std::size_t k = 0; k < K; ++k) sum[k] += static_cast<Real>(cell.value) * wj[k];
    };
    std::size_t e = 0;
    for (; e + kSums <= row.size(); e += kSums) {
      // The weights of one output mostly stay in the cache, and need no help.
      if (K > 1 && e + kSums + kAhead <= row.size())
        for (std::size_t s = 0; s < kSums; ++s)
          prefetch(w + static_cast<std::size_t>(row[e + kAhead + s].column) * stride, K);
      for (std::size_t s = 0; s < kSums; ++s) add(sums[s], row[e + s]);
    }
    for (; e < row.size(); ++e) add(sums[0], row[e]);
    std::array<Real, K> z{};
    for (std::size_t s = 0; s < kSums; ++s)
      for (std::size_t k = 0; k < K; ++k) z[k] += sums[s][k];
    return z;
  }

  void move(std::span<const Cell> row, const std::array<Real, K>& step) {
    Real* w = w_.data();
    const auto x = row.subspan(bias_ > 0);
    if (!has_scale()) {
      for (const Cell cell : x) {
        Real* wj = w + static_cast<std::size_t>(cell.column) * K;
        for (std::size_t k = 0; k < K; ++k) wj[k] += static_cast<Real>(cell.value) * step[k];
      }
    } else {
      for (const Cell cell : x) {
        Real* wj = w + static_cast<std::size_t>(cell.column) * (2 * K);
        for (std::size_t k = 0; k < K; ++k)
          wj[k] += static_cast<Real>(cell.value) * step[k] * wj[K + k];
      }
    }
  }

  void measure_norms(const PackedRows& rows, std::size_t first) {
    for (std::size_t at = 0; at < rows.n_rows(); ++at)
      for (const Cell cell : rows.row(at).subspan(bias_ > 0))
        for (std::size_t k = 0; k < K; ++k)
          scaled_norm_[(first + at) * K + k] +=
              static_cast<double>(cell.value) * cell.value *
              static_cast<double>(w_[static_cast<std::size_t>(cell.column) * stride_ + K + k]);
  }

  // What a pass changes and the next one depends on; with the weights stands their scale, which
  // does not change.
  template <class Self, class Use>
  static void each_part(Self& self, const Use& use) {
    use(std::span(self.w_));
    use(std::span(self.a_));
    use(std::span(self.scaled_norm_));
    use(std::span(self.active_));
    use(std::span(self.lag_));
    use(std::span(&self.open_, 1));
    use(std::span(self.highest_));
    use(std::span(self.lowest_));
    use(std::span(&self.n_passes_, 1));
    use(std::span(self.gap_));
    use(std::span(self.dual_));
    use(std::span(self.result_));
  }

  std::span<const double> C_, margin_;
  bool squared_;
  double bias_;
  std::size_t stride_ = K;  // of features: 2 K if there is a scale
  HugeVector<Real> w_;      // K weights for each feature, the bias first; beside them s^2
  HugeVector<double> a_;    // row x K
  std::array<LaggingBias, K> lag_;
  HugeVector<double> scaled_norm_;               // row x K; empty without a scale
  std::vector<std::uint8_t> positive_, active_;  // per row one bit for each output
  std::uint8_t open_;                            // outputs that are not done
  std::array<double, K> highest_, lowest_;       // projected gradients of the last pass
  std::array<double, K> gap_now_, highest_now_, lowest_now_;  // of the pass that is under way
  std::array<double, K> norm_, loss_, conjugate_;             // of the measurement under way
  unsigned near_ = 0, solved_ = 0;  // outputs that may be done; whose active rows are solved
  int n_passes_ = 0;
  std::array<double, K> gap_{};  // of the active rows, as they were met in the last pass
  std::array<double, K> dual_{};
  std::array<SvmResult, K> result_{};
};

constexpr std::size_t kSideBySide = 4;

// Whether products of values, weights, of which sum w^2 <= 2 sum C, and the scale are far from the
// ends of single precision.
bool are_moderate(const PackedRows& rows, std::span<const double> C,
                  std::span<const double> scale) {
  constexpr double kMost = 1e20, kMostScale = 1e10;
  const auto are_below = [](std::span<const double> values, double most) {
    return std::ranges::all_of(values, [most](double x) { return std::abs(x) < most; });
  };
  const auto are_zero_or_above = [](std::span<const double> values, double least) {
    return std::ranges::all_of(values, [=](double x) { return x == 0 || std::abs(x) > least; });
  };
  const double bias = rows.bias();
  return bias * bias < kMost && are_below(rows.squared_norms(), kMost) && are_below(C, kMost) &&
         are_zero_or_above(C, 1 / kMost) && are_below(scale, kMostScale) &&
         are_zero_or_above(scale, 1 / kMostScale);
}

}  // namespace

SvmMachines::SvmMachines(const IsPositive& is_positive, std::span<const double> C,
                         std::span<const double> margin, std::size_t n_outputs, bool squared,
                         float bias, ColumnPlaces places, std::span<const double> scale, double lag,
                         bool single)
    : C_(C.begin(), C.end()),
      margin_(margin.begin(), margin.end()),
      n_outputs_(n_outputs),
      bias_(bias),
      lag_(lag),
      places_(std::move(places)) {
  if (n_outputs == 1) {
    scale_of_one_.assign(scale.begin(), scale.end());
    groups_.push_back(
        std::make_unique<GroupOf<1, double>>(*this, is_positive, C_, margin_, squared, 0));
    return;
  }
  const auto add_group = [&]<class Real>(std::size_t first, Real) {
    using Group = GroupOf<kSideBySide, Real>;
    auto group = std::make_unique<Group>(*this, is_positive, C_, margin_, squared, first);
    if (!scale.empty()) group->set_scale(scale, places_.place, first, n_outputs);
    groups_.push_back(std::move(group));
  };
  for (std::size_t first = 0; first < n_outputs; first += kSideBySide)
    single ? add_group(first, float{}) : add_group(first, double{});
}

SvmMachines::~SvmMachines() = default;

void SvmMachines::start_pass() {
  for (auto& group : groups_) group->start_pass();
}

void SvmMachines::visit(const PackedRows& rows, std::size_t first,
                        std::span<const std::int32_t> order, int threads) {
  parallel_for(groups_.size(), threads, [&](std::size_t g, int) {
    if (!groups_[g]->done()) groups_[g]->visit(rows, first, order);
  });
}

bool SvmMachines::end_pass(double tol) {
  bool measure = false;
  for (auto& group : groups_)
    if (!group->done()) measure |= group->end_pass(tol);
  return measure;
}

void SvmMachines::start_measure() {
  for (auto& group : groups_) group->start_measure();
}

void SvmMachines::measure(const PackedRows& rows, std::size_t first, int threads) {
  parallel_for(groups_.size(), threads, [&](std::size_t g, int) {
    if (!groups_[g]->done()) groups_[g]->measure(rows, first);
  });
}

void SvmMachines::end_measure(double tol) {
  for (auto& group : groups_)
    if (!group->done()) group->end_measure(tol);
}

bool SvmMachines::done() const {
  return std::ranges::all_of(groups_, [](const auto& group) { return group->done(); });
}

std::vector<SvmResult> SvmMachines::results() const {
  std::vector<SvmResult> results;
  for (std::size_t k = 0; k < n_outputs_; ++k)
    results.push_back(groups_[k / kSideBySide]->result(k % kSideBySide));
  return results;
}

std::vector<std::uint8_t> SvmMachines::state(std::size_t group) const {
  return groups_.at(group)->state();
}

void SvmMachines::set_state(std::size_t group, std::span<const std::uint8_t> state) {
  groups_.at(group)->set_state(state);
}

void SvmMachines::weights(double* W, double* b) const {
  std::array<double, kSideBySide> memory{};
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const std::size_t first = g * kSideBySide, n = std::min(kSideBySide, n_outputs_ - first);
    const auto of_group = std::span(memory).first(n);
    for (std::size_t j = 0; j < n_columns(); ++j) {
      groups_[g]->copy_weights(static_cast<std::size_t>(places_.place[j]), of_group);
      for (std::size_t k = 0; k < n; ++k)
        W[j * n_outputs_ + first + k] = places_.weight(j, of_group[k]);
    }
    std::ranges::fill(of_group, 0.0);
    if (bias_ > 0) groups_[g]->copy_weights(0, of_group);
    for (std::size_t k = 0; k < n; ++k) b[first + k] = bias_ * of_group[k];
  }
  for (std::size_t j = 0; j < scale_of_one_.size(); ++j) W[j] *= scale_of_one_[j];
}

IsPositive one_against_rest(std::span<const std::int32_t> y, std::size_t n_outputs) {
  return [=](std::size_t i, std::size_t k) {
    return static_cast<std::size_t>(y[i]) == (n_outputs == 1 ? 1 : k);
  };
}

DualSvm::DualSvm(const Csr& X, const IsPositive& is_positive, std::size_t n_outputs,
                 std::span<const double> C, std::span<const double> margin, bool squared,
                 float bias, std::span<const double> scale, bool single, int threads)
    : DualSvm(X, places_by_frequency(X, bias > 0, scale), is_positive, n_outputs, C, margin,
              squared, bias, scale, single, threads) {}

DualSvm::DualSvm(const Csr& X, ColumnPlaces places, const IsPositive& is_positive,
                 std::size_t n_outputs, std::span<const double> C, std::span<const double> margin,
                 bool squared, float bias, std::span<const double> scale, bool single, int threads)
    : rows_(X, places, bias, threads, n_outputs == 1 ? scale : std::span<const double>()),
      machines_(is_positive, C, margin, n_outputs, squared, bias, std::move(places), scale,
                LaggingBias::kMemory * static_cast<double>(C.size()),
                single && n_outputs > 1 && are_moderate(rows_, C, scale)) {}

void DualSvm::run(std::span<const std::int32_t> orders, double tol, int threads) {
  parallel_for(machines_.groups_.size(), threads, [&](std::size_t g, int) {
    SvmMachines::Group& group = *machines_.groups_[g];
    for (std::size_t p = 0; p < orders.size() && !group.done(); p += n_rows()) {
      group.start_pass();
      group.visit(rows_, 0, orders.subspan(p, n_rows()));
      if (!group.end_pass(tol)) continue;
      group.start_measure();
      group.measure(rows_, 0);
      group.end_measure(tol);
    }
  });
}

std::vector<SvmResult> DualSvm::results(int threads) {
  machines_.start_measure();
  machines_.measure(rows_, 0, threads);
  machines_.end_measure(0);
  return machines_.results();
}

}  // namespace wordplane
