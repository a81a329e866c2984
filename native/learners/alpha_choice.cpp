#include "learners/alpha_choice.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "common/by_column.h"
#include "common/logarithms.h"
#include "common/parallel.h"
#include "common/prefetch.h"

namespace wordplane {
namespace {

// Calls use(j, x, place[j]) for the values of row i that are not 0.
template <class Use>
void for_each_value(const Csr& X, std::size_t i, std::vector<std::uint32_t>& place, Use&& use) {
  std::visit(
      [&](auto values) {
        const auto begin = static_cast<std::size_t>(X.indptr()[i]);
        const auto end = static_cast<std::size_t>(X.indptr()[i + 1]);
        const auto place_of = [&](std::size_t e) -> std::uint32_t& {
          return place[static_cast<std::size_t>(X.indices()[e])];
        };
        for (std::size_t e = begin; e < end; ++e) {
          if (e + kAhead < values.size()) prefetch(&place_of(e + kAhead), 1);
          if (values[e] != 0) use(X.indices()[e], static_cast<double>(values[e]), place_of(e));
        }
      },
      X.values());
}

}  // namespace

// What one thread needs to score folds, one after another.
class HeldOutCounts::Worker {
 public:
  explicit Worker(const HeldOutCounts& counts) : in_(counts) {}

  // Feature by feature: its counts without the fold, their logarithms, and the sums of those
  // over the documents; then what is the same for every feature.
  void score(std::span<const std::int32_t> fold, std::span<const double> alphas,
             const double* scale, const double* log_prior, double* scores) {
    gather(fold);
    set_smoothing(alphas, scale);
    n_left_ = in_.n_seen_;
    totals_ = in_.class_totals_;
    lengths_.assign(fold.size(), 0.0);
    std::fill_n(scores, fold.size() * a_.size(), 0.0);
    std::uint32_t begin = 0;
    for (std::size_t f = 0; f < touched_.size(); ++f) {
      const auto j = static_cast<std::size_t>(touched_[f]);
      if (f + kAhead < touched_.size()) {
        prefetch(&place_[static_cast<std::size_t>(touched_[f + kAhead])], 1);
        prefetch(&in_.first_[static_cast<std::size_t>(touched_[f + kAhead])], 1);
        const auto sooner = static_cast<std::size_t>(touched_[f + kAhead / 2]);
        prefetch(in_.counts_.data() + in_.first_[sooner], 1);
      }
      const std::span its_values(values_.data() + begin, values_.data() + place_[j]);
      begin = std::exchange(place_[j], 0);
      count_without_fold(j, fold, its_values);
      if (!left_.empty()) add_feature(its_values, scores);
    }
    add_lengths(log_prior, scores);
  }

 private:
  struct Value {
    double x;
    std::size_t doc;  // of the fold
  };

  // The values of the fold by feature, features as they come.
  void gather(std::span<const std::int32_t> fold) {
    touched_.clear();
    place_.resize(in_.first_.size());
    for (const std::int32_t i : fold)
      for_each_value(in_.X_, static_cast<std::size_t>(i), place_,
                     [&](std::int32_t j, double, std::uint32_t& n_values) {
                       if (n_values++ == 0) touched_.push_back(j);
                     });
    std::uint32_t n_values = 0;
    for (const std::int32_t j : touched_)  // where its values begin
      n_values += std::exchange(place_[static_cast<std::size_t>(j)], n_values);
    if (values_.size() < n_values) values_.resize(n_values);
    for (std::size_t doc = 0; doc < fold.size(); ++doc)
      for_each_value(
          in_.X_, static_cast<std::size_t>(fold[doc]), place_,
          [&](std::int32_t, double x, std::uint32_t& end) { values_[end++] = {x, doc}; });
  }

  // Of two classes only the difference matters: it is one logarithm, and goes to the second.
  void set_smoothing(std::span<const double> alphas, const double* scale) {
    const std::size_t n_classes = in_.n_classes_;
    n_alphas_ = alphas.size();
    a_.resize(n_classes * n_alphas_);
    log_a_.resize(a_.size());
    for (std::size_t k = 0; k < n_classes; ++k)
      for (std::size_t m = 0; m < n_alphas_; ++m) {
        a_[k * n_alphas_ + m] = alphas[m] / scale[k];
        log_a_[k * n_alphas_ + m] = std::log(a_[k * n_alphas_ + m]);
      }
    smooth_.resize(a_.size());
    logs_.resize(a_.size());
    without_ = log_a_;
    if (n_classes == 2)
      for (std::size_t m = 0; m < n_alphas_; ++m) without_[n_alphas_ + m] -= log_a_[m];
  }

  // left_ = the counts of feature j in the documents outside the fold.
  void count_without_fold(std::size_t j, std::span<const std::int32_t> fold,
                          std::span<const Value> its_values) {
    left_.assign(in_.counts_.data() + in_.first_[j], in_.counts_.data() + in_.first_[j + 1]);
    for (const auto& [x, doc] : its_values) {
      const auto i = static_cast<std::size_t>(fold[doc]);
      if (in_.weight_[i] == 0) continue;
      auto count = left_.begin();
      while (count->k != in_.y_[i]) ++count;
      count->total -= in_.weight_[i] * x;
      totals_[static_cast<std::size_t>(in_.y_[i])] -= in_.weight_[i] * x;
      --count->docs;  // none left is exactly 0, whatever was rounded
    }
    const bool any = !left_.empty();
    std::erase_if(left_, [](const Count& count) { return count.docs == 0; });
    if (left_.empty()) n_left_ -= any;
  }

  // Adds x log(1 + c_kj / a) to the scores of the documents that have the feature.
  void add_feature(std::span<const Value> its_values, double* scores) {
    if (in_.n_classes_ == 2) {
      double c[2] = {};
      for (const Count& count : left_) c[count.k] = count.total;
      for (std::size_t m = 0; m < n_alphas_; ++m)
        smooth_[m] = (a_[n_alphas_ + m] + c[1]) / (a_[m] + c[0]);
      left_.assign(1, Count{.total = 0, .docs = 0, .k = 1});
    } else {
      for (std::size_t c = 0; c < left_.size(); ++c) {
        const double* its_a = a_.data() + static_cast<std::size_t>(left_[c].k) * n_alphas_;
        for (std::size_t m = 0; m < n_alphas_; ++m)
          smooth_[c * n_alphas_ + m] = its_a[m] + left_[c].total;
      }
    }
    logarithms(smooth_.data(), left_.size() * n_alphas_, logs_.data());
    for (std::size_t c = 0; c < left_.size(); ++c) {
      const double* its_log = without_.data() + static_cast<std::size_t>(left_[c].k) * n_alphas_;
      for (std::size_t m = 0; m < n_alphas_; ++m) logs_[c * n_alphas_ + m] -= its_log[m];
    }
    const std::size_t n_alphas = n_alphas_, n_scores = a_.size();
    for (const auto& [x, doc] : its_values) {
      lengths_[doc] += x;
      double* z = scores + doc * n_scores;
      for (std::size_t c = 0; c < left_.size(); ++c) {
        double* __restrict of_class = z + static_cast<std::size_t>(left_[c].k) * n_alphas;
        const double* log = logs_.data() + c * n_alphas;
        for (std::size_t m = 0; m < n_alphas; ++m) of_class[m] += x * log[m];
      }
    }
  }

  // Adds log a - log(V a + sum_j c_kj), once per word, and the logarithm of the prior.
  void add_lengths(const double* log_prior, double* scores) const {
    std::vector<double> per_word(a_.size());
    for (std::size_t k = 0; k < in_.n_classes_; ++k)
      for (std::size_t m = 0; m < n_alphas_ && n_left_ > 0; ++m) {
        const std::size_t km = k * n_alphas_ + m;
        const double total = static_cast<double>(n_left_) * a_[km] + std::max(totals_[k], 0.0);
        per_word[km] = log_a_[km] - std::log(total);
      }
    for (const double length : lengths_)
      for (std::size_t km = 0; km < a_.size(); ++km)
        *scores++ += log_prior[km / n_alphas_] + length * per_word[km];
  }

  const HeldOutCounts& in_;
  std::vector<std::int32_t> touched_;  // the features that the fold has
  std::vector<std::uint32_t> place_;   // by feature: how many values it has, then where they end
  std::vector<Value> values_;
  std::vector<double> lengths_;  // by document
  std::vector<Count> left_;      // of one feature
  std::size_t n_left_ = 0;       // features that occur outside the fold: V
  std::vector<double> totals_;   // by class: sum_j c_kj
  std::size_t n_alphas_ = 0;
  std::vector<double> a_, log_a_;  // by class and alpha: alpha / scale
  std::vector<double> smooth_;     // a + c_kj, by count and alpha
  std::vector<double> logs_;       // log(1 + c_kj / a)
  std::vector<double> without_;    // what they would be without any count
};

HeldOutCounts::HeldOutCounts(const Csr& X, std::span<const std::int32_t> y,
                             std::span<const double> weight, std::size_t n_classes, int threads)
    : X_(X),
      y_(y.begin(), y.end()),
      weight_(weight.begin(), weight.end()),
      n_classes_(n_classes),
      class_totals_(n_classes) {
  if (X.indices().size() > std::numeric_limits<std::uint32_t>::max())
    throw std::length_error("X has more than 2^32 values");
  const auto n_features = static_cast<std::size_t>(X.n_cols());
  counts_.resize(n_features * n_classes);
  by_column(X_, threads, [&](std::size_t i, const auto* begin, const auto* end, const auto* x) {
    if (weight_[i] == 0) return;
    for (const std::int32_t* j = begin; j != end; ++j, ++x) {
      if (*x == 0) continue;
      Count& count =
          counts_[static_cast<std::size_t>(*j) * n_classes + static_cast<std::size_t>(y_[i])];
      count.total += weight_[i] * static_cast<double>(*x);
      ++count.docs;
    }
  });
  // Then those of no document go, and the others move up.
  std::size_t n_counts = 0;
  first_.resize(n_features + 1);
  for (std::size_t j = 0; j < n_features; ++j) {
    for (std::size_t k = 0; k < n_classes; ++k) {
      Count count = counts_[j * n_classes + k];
      if (count.docs == 0) continue;
      count.k = static_cast<std::int32_t>(k);
      counts_[n_counts++] = count;
      class_totals_[k] += count.total;
    }
    first_[j + 1] = n_counts;
    n_seen_ += n_counts > first_[j];
  }
  counts_.resize(n_counts);
}

void HeldOutCounts::scores(std::span<const std::int64_t> fold_ends,
                           std::span<const std::int32_t> rows, std::span<const double> alphas,
                           const double* scale, const double* log_prior, double* scores,
                           int threads) const {
  std::vector<Worker> workers(static_cast<std::size_t>(std::max(threads, 1)), Worker(*this));
  parallel_for(fold_ends.size(), threads, [&](std::size_t f, int worker) {
    const auto begin = static_cast<std::size_t>(f == 0 ? 0 : fold_ends[f - 1]);
    const auto end = static_cast<std::size_t>(fold_ends[f]);
    workers[static_cast<std::size_t>(worker)].score(
        rows.subspan(begin, end - begin), alphas, scale + f * n_classes_,
        log_prior + f * n_classes_, scores + begin * alphas.size() * n_classes_);
  });
}

void judge(const double* scores, std::span<const std::int32_t> y, std::size_t n_classes,
           std::size_t n_alphas, double* right, double* loss, int threads) {
  constexpr std::size_t kDocsPerJob = 256;
  parallel_for((y.size() + kDocsPerJob - 1) / kDocsPerJob, threads, [&](std::size_t job, int) {
    const std::size_t end = std::min(y.size(), (job + 1) * kDocsPerJob);
    for (std::size_t i = job * kDocsPerJob; i < end; ++i)
      for (std::size_t m = 0; m < n_alphas; ++m) {
        const auto z = [&](std::size_t k) { return scores[(i * n_classes + k) * n_alphas + m]; };
        std::size_t best = 0;
        for (std::size_t k = 1; k < n_classes; ++k)
          if (z(k) > z(best)) best = k;
        double sum = 0;
        for (std::size_t k = 0; k < n_classes; ++k) sum += k == best ? 1 : std::exp(z(k) - z(best));
        const auto own = static_cast<std::size_t>(y[i]);
        right[i * n_alphas + m] = own == best ? 1 : 0;
        loss[i * n_alphas + m] = z(best) - z(own) + std::log(sum);
      }
  });
}

}  // namespace wordplane
