#include "learners/label_tree.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "common/logarithms.h"
#include "common/parallel.h"
#include "common/signs.h"

namespace wordplane {
namespace {

constexpr std::size_t kRowsPerJob = 64;

void require(bool holds, const char* what) {
  if (!holds) throw std::invalid_argument(std::string("not a label tree: ") + what);
}

// From 0 to `last`, as many as `n` parts have.
void require_starts(std::span<const std::int64_t> starts, std::size_t n, std::size_t last,
                    const char* what) {
  require(starts.size() == n + 1 && starts[0] == 0 && std::ranges::is_sorted(starts) &&
              starts.back() == static_cast<std::int64_t>(last),
          what);
}

struct Found {
  double log_p;
  std::size_t node;
  bool operator<(const Found& other) const {  // the better first; of equals, the lower number
    return log_p != other.log_p ? log_p > other.log_p : node < other.node;
  }
};

// What one worker needs for a row.
struct Scratch {
  std::vector<double> scores, log_p, e, u;               // of the slots of a node
  std::vector<std::pair<std::size_t, double>> features;  // of the row that the node has, and x
  std::vector<std::size_t> bounds;  // where the features of the row are, or would be, in the node
  std::vector<Found> frontier, next;

  explicit Scratch(std::size_t n) : scores(n), log_p(n), e(n), u(n) {}

  // log(1 / (1 + exp(-x))) of x = slope s, for n scores s, as min(x, 0) - log(1 + e) with
  // e = exp(-|x|), which does not overflow. What u = 1 + e loses of e is added: log(1 + e) is
  // log u + (e - (u - 1)) / u.
  void log_sigmoids(double slope, std::size_t n) {
    for (std::size_t c = 0; c < n; ++c) e[c] = std::exp(-std::abs(slope * scores[c]));
    for (std::size_t c = 0; c < n; ++c) u[c] = 1 + e[c];
    logarithms(u.data(), n, log_p.data());
    for (std::size_t c = 0; c < n; ++c)
      log_p[c] = std::min(slope * scores[c], 0.0) - (log_p[c] + (e[c] - (u[c] - 1)) / u[c]);
  }
};

// places[e] = the first place in `sorted` whose value is not below keys[e]: all searches halve what
// is left at the same time, so that none waits for another's memory or guesses where it will go.
void lower_bounds(std::span<const std::int32_t> sorted, std::span<const std::int32_t> keys,
                  std::vector<std::size_t>& places) {
  places.assign(keys.size(), 0);
  for (std::size_t left = sorted.size(); left > 0;) {
    const std::size_t half = (left + 1) / 2;
    for (std::size_t e = 0; e < keys.size(); ++e)
      places[e] += half * (sorted[places[e] + half - 1] < keys[e]);
    left -= half;
  }
}

}  // namespace

LabelTree::LabelTree(std::size_t n_labels, std::size_t n_features, const TreeArrays& arrays,
                     std::shared_ptr<const void> owner)
    : n_labels_(n_labels), n_features_(n_features), a_(arrays), owner_(std::move(owner)) {
  require(a_.slots.size() >= 2, "there is no root");
  require(n_features <= 0x7FFFFFFF && n_labels <= 0x7FFFFFFF, "too many features or labels");
  require_starts(a_.slots, n_nodes(), a_.targets.size(), "the slots of its nodes");
  require(a_.bias.size() == a_.targets.size(), "one bias per slot is expected");
  require_starts(a_.rows, n_nodes(), a_.features.size(), "the features of its nodes");
  require_starts(a_.starts, a_.features.size(), a_.weights.size(), "the weights of its features");
  require(a_.places.size() == a_.weights.size(), "one slot per weight is expected");
  std::vector<bool> has_label(n_labels), has_node(n_nodes());
  for (std::size_t t = 0; t < n_nodes(); ++t) {
    const auto first = static_cast<std::size_t>(a_.slots[t]);
    const auto n_slots = static_cast<std::size_t>(a_.slots[t + 1]) - first;
    most_slots_ = std::max(most_slots_, n_slots);
    for (std::size_t c = first; c < first + n_slots; ++c) {
      const std::int64_t target = a_.targets[c];
      const auto number = static_cast<std::size_t>(std::abs(target));
      require(target < 0 ? number > t && number < n_nodes() : number < n_labels,
              "a slot leads back, or nowhere");
      std::vector<bool>& seen = target < 0 ? has_node : has_label;
      require(!seen[number], "two slots lead to the same node or label");
      seen[number] = true;
    }
    for (auto f = static_cast<std::size_t>(a_.rows[t]);
         f < static_cast<std::size_t>(a_.rows[t + 1]); ++f) {
      const std::int32_t j = a_.features[f];
      require(j >= 0 && static_cast<std::size_t>(j) < n_features, "a feature out of range");
      require(f == static_cast<std::size_t>(a_.rows[t]) || a_.features[f - 1] < j,
              "features that do not ascend");
      for (auto e = static_cast<std::size_t>(a_.starts[f]);
           e < static_cast<std::size_t>(a_.starts[f + 1]); ++e)
        require(a_.places[e] >= 0 && static_cast<std::size_t>(a_.places[e]) < n_slots,
                "a weight of no slot");
    }
  }
  for (std::size_t t = 1; t < n_nodes(); ++t) require(has_node[t], "a node that nothing leads to");
  require(signs_of(a_.weights).finite && signs_of(a_.bias).finite, "a weight that is not finite");
}

void LabelTree::search(const Csr& X, std::size_t begin, std::size_t end, std::size_t beam,
                       double slope, double unreached, double* z, int threads) const {
  const auto indptr = X.indptr();
  const auto indices = X.indices();
  std::vector<Scratch> all(static_cast<std::size_t>(std::max(threads, 1)), Scratch(most_slots_));

  // The weights of a text's features lie far apart: all are asked for before the first is needed.
  const auto score_node = [&](std::size_t t, std::size_t i, const auto& values, Scratch& own) {
    const auto first = static_cast<std::size_t>(indptr[i]);
    const std::size_t n_values = static_cast<std::size_t>(indptr[i + 1]) - first;
    std::copy(a_.bias.begin() + a_.slots[t], a_.bias.begin() + a_.slots[t + 1], own.scores.begin());
    own.features.clear();
    const std::span of_node =
        a_.features.subspan(static_cast<std::size_t>(a_.rows[t]),
                            static_cast<std::size_t>(a_.rows[t + 1] - a_.rows[t]));
    const auto of_row = indices.subspan(first, n_values);
    lower_bounds(of_node, of_row, own.bounds);
    for (std::size_t e = 0; e < n_values; ++e) {
      if (own.bounds[e] == of_node.size() || of_node[own.bounds[e]] != of_row[e]) continue;
      const std::size_t f = static_cast<std::size_t>(a_.rows[t]) + own.bounds[e];
      __builtin_prefetch(&a_.starts[f]);
      own.features.push_back({f, static_cast<double>(values[first + e])});
    }
    for (const auto& [f, x] : own.features) {
      __builtin_prefetch(a_.places.data() + a_.starts[f]);
      __builtin_prefetch(a_.weights.data() + a_.starts[f]);
    }
    for (const auto& [f, x] : own.features)
      for (auto k = static_cast<std::size_t>(a_.starts[f]);
           k < static_cast<std::size_t>(a_.starts[f + 1]); ++k)
        own.scores[static_cast<std::size_t>(a_.places[k])] +=
            x * static_cast<double>(a_.weights[k]);
  };

  std::visit(
      [&](auto values) {
        const std::size_t n_jobs = (end - begin + kRowsPerJob - 1) / kRowsPerJob;
        parallel_for(n_jobs, threads, [&](std::size_t job, int worker) {
          Scratch& own = all[static_cast<std::size_t>(worker)];
          const std::size_t last = std::min(begin + (job + 1) * kRowsPerJob, end);
          for (std::size_t i = begin + job * kRowsPerJob; i < last; ++i) {
            double* row = z + (i - begin) * n_labels_;
            std::fill_n(row, n_labels_, unreached);
            own.frontier.assign(1, {0.0, 0});
            while (!own.frontier.empty()) {
              own.next.clear();
              for (const Found& found : own.frontier) {
                score_node(found.node, i, values, own);
                const auto first = static_cast<std::size_t>(a_.slots[found.node]);
                const auto n_slots = static_cast<std::size_t>(a_.slots[found.node + 1]) - first;
                own.log_sigmoids(slope, n_slots);
                for (std::size_t c = 0; c < n_slots; ++c) {
                  const double log_p = found.log_p + own.log_p[c];
                  const std::int32_t target = a_.targets[first + c];
                  if (target < 0)
                    own.next.push_back({log_p, static_cast<std::size_t>(-target)});
                  else
                    row[target] = log_p;
                }
              }
              if (own.next.size() > beam) {
                std::nth_element(own.next.begin(), own.next.begin() + static_cast<long>(beam),
                                 own.next.end());
                own.next.resize(beam);
              }
              std::swap(own.frontier, own.next);
            }
          }
        });
      },
      X.values());
}

}  // namespace wordplane
