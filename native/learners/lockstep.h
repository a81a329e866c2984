// Online learning by two threads that take every step together: each owns half of the columns.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <thread>
#include <variant>
#include <vector>

#include "common/parallel.h"
#include "learners/online.h"

namespace wordplane {

// What a document teaches: w_y += step x, w_guess -= step x; nothing if step is 0.
struct Update {
  double step = 0;
  std::size_t guess = 0;
};

// What a pass changes: weights, and what their mean over all steps is computed from (null if they
// are not averaged). The t-th document of the pass takes step `step` + t.
struct AveragedWeights {
  double* w;
  double* u;
  std::int64_t step;
};

// Scores by either half of the columns, of the few documents that are at hand. Those that a thread
// publishes, the other may read. They are by weights that were changed so many times.
class HalfScores {
 public:
  static constexpr std::size_t kLead = 8;  // documents that a thread scores before it decides

  explicit HalfScores(std::size_t n_classes)
      : stride_((n_classes + 7) / 8), scores_(2 * kRing * stride_) {}

  double* of(std::size_t half, std::size_t at) {
    return scores_[slot(half, at) * stride_].z.data();
  }
  void publish(std::size_t half, std::size_t at, std::int64_t changes) {
    states_[slot(half, at)].tag.store(tag(at, changes), std::memory_order_release);
  }
  bool are_published(std::size_t half, std::size_t at, std::int64_t changes) const {
    return states_[slot(half, at)].tag.load(std::memory_order_acquire) == tag(at, changes);
  }

 private:
  // The document that a thread decides next is at most kLead before the first that it has not
  // scored, and so at most 2 kLead before the first that the other thread has not.
  static constexpr std::size_t kRing = 2 * kLead;

  // Cache lines: threads do not wait for each other because of neighbors in memory.
  struct alignas(64) State {
    std::atomic<std::uint64_t> tag{0};
  };
  struct alignas(64) Scores {
    std::array<double, 8> z;
  };
  static std::size_t slot(std::size_t half, std::size_t at) { return half * kRing + at % kRing; }
  static std::uint64_t tag(std::size_t at, std::int64_t changes) {
    return (static_cast<std::uint64_t>(changes) << 32) + at + 1;
  }

  std::size_t stride_;
  std::vector<Scores> scores_;  // stride_ for each document
  std::array<State, 2 * kRing> states_;
};

// One pass, see learn_in_lockstep.
template <class Value, class Rule>
class Lockstep {
 public:
  Lockstep(const OnlineRows& rows, std::span<const Value> values, RowOrder order,
           const AveragedWeights& weights, const Rule& rule)
      : rows_(rows),
        values_(values),
        middle_(rows.middle()),
        order_(order),
        weights_(weights),
        rule_(rule),
        scores_(rows.n_classes),
        end_(order.size()) {}

  std::int64_t run(int threads) {
    constexpr std::int64_t kFew = 100'000;  // values, for which a thread is not worth its start
    Place place;
    if (threads > 1 && rows_.X.sorted() && rows_.X.n_values() > kFew) together(place);
    std::vector<double> z(rows_.n_classes);
    while (place.done < n_docs()) {
      score(0, place.done);
      score(1, place.done);
      const Update update = ask(place.done, z);
      change(0, place.done, update);
      change(1, place.done, update);
      place.changes += update.step != 0;
      ++place.done;
    }
    return place.changes;
  }

 private:
  // How far a thread has come.
  struct Place {
    std::size_t scored = 0, done = 0;
    std::int64_t changes = 0;
  };

  std::size_t n_docs() const { return order_.size(); }

  // The half of the document's row; the bias belongs to the second.
  OnlineRow<Value> half_row(std::size_t half, std::size_t at) const {
    const auto i = static_cast<std::size_t>(order_[at]);
    return half == 0 ? OnlineRow(rows_, values_, rows_.X.indptr()[i], middle_[i], 0)
                     : OnlineRow(rows_, values_, middle_[i], rows_.X.indptr()[i + 1], rows_.bias);
  }

  void score(std::size_t half, std::size_t at) {
    if (at + 2 < n_docs()) half_row(half, at + 2).expect();
    half_row(half, at).scores(weights_.w, scores_.of(half, at));
  }

  // The rule's answer to the sums of the scores.
  Update ask(std::size_t at, std::span<double> z) {
    const double *first = scores_.of(0, at), *second = scores_.of(1, at);
    for (std::size_t k = 0; k < z.size(); ++k) z[k] = first[k] + second[k];
    const auto i = static_cast<std::size_t>(order_[at]);
    return rule_(whole_row(rows_, values_, i), label(at), rows_.weight[i], z);
  }

  void change(std::size_t half, std::size_t at, Update update) {
    if (update.step == 0) return;
    const auto row = half_row(half, at);
    row.add(update.step, label(at), update.guess, weights_.w);
    const auto t = static_cast<double>(weights_.step + static_cast<std::int64_t>(at));
    if (weights_.u) row.add(update.step * t, label(at), update.guess, weights_.u);
  }

  std::size_t label(std::size_t at) const {
    return static_cast<std::size_t>(rows_.y[static_cast<std::size_t>(order_[at])]);
  }

  // Two threads, until all is done or the caller has waited too long: then the machine is busy
  // with other things, and one thread is faster.
  void together(Place& place) {
    Place other;
    std::vector<double> z(rows_.n_classes), other_z(rows_.n_classes);
    if (!run_both([&] { place = take_half(0, z); }, [&] { other = take_half(1, other_z); })) return;
    while (place.done < other.done) decide(0, place, z);
  }

  Place take_half(std::size_t half, std::span<double> z) {
    constexpr int kPatience = 1 << 14;
    Place place;
    for (int waited = 0; place.done < end_.load(std::memory_order_relaxed);) {
      if (place.scored < std::min(place.done + HalfScores::kLead, n_docs())) {
        score(half, place.scored);
        scores_.publish(half, place.scored++, place.changes);
        waited = 0;
      }
      while (place.done < place.scored &&
             scores_.are_published(1 - half, place.done, place.changes)) {
        decide(half, place, z);
        waited = 0;
      }
      if (waited < kPatience) {
        if (waited++ > 0) pause();
      } else if (half == 0) {
        end_.store(place.done, std::memory_order_relaxed);
      } else {
        std::this_thread::yield();
      }
    }
    return place;
  }

  // Takes the step of a document that both halves have scored. Those that were scored after it
  // have to be scored again if it changes the weights.
  void decide(std::size_t half, Place& place, std::span<double> z) {
    const Update update = ask(place.done, z);
    if (update.step != 0) {
      change(half, place.done, update);
      place.scored = place.done + 1;
      ++place.changes;
    }
    ++place.done;
  }

  const OnlineRows& rows_;
  std::span<const Value> values_;
  std::span<const std::int64_t> middle_;
  RowOrder order_;
  AveragedWeights weights_;
  const Rule& rule_;
  HalfScores scores_;
  alignas(64) std::atomic<std::size_t> end_;  // where two threads stop; alone in its cache line
};

// Calls rule(row, y, weight, z) for the documents of a pass, in order, where z are the row's scores
// by the weights w, and makes the update that it answers. The t-th document adds step + t times
// its update to u, unless that is null. Returns the number of updates.
//
// A score is the sum of two, over either half of the columns, whatever the number of threads. Of
// two threads each scores and changes its own half and tells the other its scores. Both ask the
// rule, which must not remember anything and gives both the same answer: weights never travel.
template <class Rule>
std::int64_t learn_in_lockstep(const OnlineRows& rows, RowOrder order,
                               const AveragedWeights& weights, const Rule& rule, int threads) {
  return std::visit(
      [&](auto values) { return Lockstep(rows, values, order, weights, rule).run(threads); },
      rows.X.values());
}

}  // namespace wordplane
