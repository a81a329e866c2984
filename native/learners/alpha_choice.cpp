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

// What one thread needs to score a fold: its values by feature, features as they come.
struct HeldOutCounts::Worker {
  struct Value {
    double x;
    std::size_t doc;  // of the fold
  };
  std::vector<std::int32_t> touched;  // the features that the fold has
  std::vector<std::uint32_t> place;   // by feature: how many values it has, then where they end
  std::vector<Value> values;
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
  std::vector<Worker> workers(static_cast<std::size_t>(std::max(threads, 1)));
  parallel_for(fold_ends.size(), threads, [&](std::size_t f, int worker) {
    const auto begin = static_cast<std::size_t>(f == 0 ? 0 : fold_ends[f - 1]);
    const auto end = static_cast<std::size_t>(fold_ends[f]);
    score_fold(rows.subspan(begin, end - begin), alphas, scale + f * n_classes_,
               log_prior + f * n_classes_, scores + begin * alphas.size() * n_classes_,
               workers[static_cast<std::size_t>(worker)]);
  });
}

void HeldOutCounts::score_fold(std::span<const std::int32_t> fold, std::span<const double> alphas,
                               const double* scale, const double* log_prior, double* scores,
                               Worker& worker) const {
  auto& touched = worker.touched;
  auto& place = worker.place;
  auto& values = worker.values;
  const std::size_t n_alphas = alphas.size();
  touched.clear();
  place.resize(first_.size());

  for (const std::int32_t i : fold)
    for_each_value(X_, static_cast<std::size_t>(i), place,
                   [&](std::int32_t j, double, std::uint32_t& n_values) {
                     if (n_values++ == 0) touched.push_back(j);
                   });
  std::uint32_t n_values = 0;
  for (const std::int32_t j : touched)  // where its values begin
    n_values += std::exchange(place[static_cast<std::size_t>(j)], n_values);
  if (values.size() < n_values) values.resize(n_values);
  for (std::size_t doc = 0; doc < fold.size(); ++doc)
    for_each_value(X_, static_cast<std::size_t>(fold[doc]), place,
                   [&](std::int32_t, double x, std::uint32_t& end) { values[end++] = {x, doc}; });

  std::vector<double> a(n_classes_ * n_alphas), log_a(a.size());
  for (std::size_t k = 0; k < n_classes_; ++k)
    for (std::size_t m = 0; m < n_alphas; ++m) {
      a[k * n_alphas + m] = alphas[m] / scale[k];
      log_a[k * n_alphas + m] = std::log(a[k * n_alphas + m]);
    }

  // Feature by feature: its counts without the fold, their logarithms, and the sums of those
  // over the documents, for all but what is the same for every feature. Of two classes only
  // the difference matters: it is one logarithm, and goes to the second.
  std::size_t n_left = n_seen_;
  std::vector<double> totals = class_totals_, lengths(fold.size());
  std::vector<double> smooth(a.size());  // a + c_kj, by count and alpha
  std::vector<double> logs(a.size());    // log(1 + c_kj / a)
  std::vector<double> without = log_a;   // what they would be without any count
  if (n_classes_ == 2)
    for (std::size_t m = 0; m < n_alphas; ++m) without[n_alphas + m] -= log_a[m];
  std::vector<Count> left;
  std::fill_n(scores, fold.size() * a.size(), 0.0);
  std::uint32_t begin = 0;
  for (std::size_t f = 0; f < touched.size(); ++f) {
    const auto j = static_cast<std::size_t>(touched[f]);
    if (f + kAhead < touched.size()) {
      prefetch(&place[static_cast<std::size_t>(touched[f + kAhead])], 1);
      prefetch(&first_[static_cast<std::size_t>(touched[f + kAhead])], 1);
      const auto sooner = static_cast<std::size_t>(touched[f + kAhead / 2]);
      prefetch(counts_.data() + first_[sooner], 1);
    }
    const std::span its_values(values.data() + begin, values.data() + place[j]);
    begin = std::exchange(place[j], 0);
    left.assign(counts_.data() + first_[j], counts_.data() + first_[j + 1]);
    for (const auto& [x, doc] : its_values) {
      const auto i = static_cast<std::size_t>(fold[doc]);
      if (weight_[i] == 0) continue;
      auto count = left.begin();
      while (count->k != y_[i]) ++count;
      count->total -= weight_[i] * x;
      totals[static_cast<std::size_t>(y_[i])] -= weight_[i] * x;
      --count->docs;  // none left is exactly 0, whatever was rounded
    }
    const bool any = !left.empty();
    std::erase_if(left, [](const Count& count) { return count.docs == 0; });
    if (left.empty()) {
      n_left -= any;
      continue;
    }
    if (n_classes_ == 2) {
      double c[2] = {};
      for (const Count& count : left) c[count.k] = count.total;
      for (std::size_t m = 0; m < n_alphas; ++m)
        smooth[m] = (a[n_alphas + m] + c[1]) / (a[m] + c[0]);
      left.assign(1, Count{.total = 0, .docs = 0, .k = 1});
    } else {
      for (std::size_t c = 0; c < left.size(); ++c) {
        const double* its_a = a.data() + static_cast<std::size_t>(left[c].k) * n_alphas;
        for (std::size_t m = 0; m < n_alphas; ++m)
          smooth[c * n_alphas + m] = its_a[m] + left[c].total;
      }
    }
    logarithms(smooth.data(), left.size() * n_alphas, logs.data());
    for (std::size_t c = 0; c < left.size(); ++c) {
      const double* its_log = without.data() + static_cast<std::size_t>(left[c].k) * n_alphas;
      for (std::size_t m = 0; m < n_alphas; ++m) logs[c * n_alphas + m] -= its_log[m];
    }
    for (const auto& [x, doc] : its_values) {
      lengths[doc] += x;
      double* z = scores + doc * a.size();
      for (std::size_t c = 0; c < left.size(); ++c) {
        double* __restrict of_class = z + static_cast<std::size_t>(left[c].k) * n_alphas;
        const double* log = logs.data() + c * n_alphas;
        for (std::size_t m = 0; m < n_alphas; ++m) of_class[m] += x * log[m];
      }
    }
  }

  // log a - log(V a + sum_j c_kj), once per word.
  std::vector<double> per_word(a.size());
  for (std::size_t k = 0; k < n_classes_; ++k)
    for (std::size_t m = 0; m < n_alphas && n_left > 0; ++m) {
      const std::size_t km = k * n_alphas + m;
      const double total = static_cast<double>(n_left) * a[km] + std::max(totals[k], 0.0);
      per_word[km] = log_a[km] - std::log(total);
    }
  for (const double length : lengths)
    for (std::size_t km = 0; km < a.size(); ++km)
      *scores++ += log_prior[km / n_alphas] + length * per_word[km];
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
