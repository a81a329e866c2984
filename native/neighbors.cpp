#include "neighbors.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>

#include "parallel.h"

namespace wordplane {
namespace {

constexpr std::size_t kBlock = 64;  // rows that share a bound
constexpr std::size_t kLanes = 16;

struct Products {
  static constexpr double c = 1;
  static constexpr bool tight = true;  // whether the sum of terms is c phi(q) . phi(x)
  double phi(std::size_t, double x) const { return x; }
  double term(std::size_t, double q, double x) const { return q * x; }
  double gap(std::size_t, double q, double x) const { return (q - x) * (q - x); }
};

struct Agreements {
  static constexpr double c = 2;
  static constexpr bool tight = false;
  const double* w;
  const double* root_w;
  double phi(std::size_t j, double x) const { return x != 0 ? root_w[j] : 0; }
  double term(std::size_t j, double q, double x) const {
    return q != 0 && x != 0 ? (q == x ? 2 * w[j] : w[j]) : 0;
  }
  double gap(std::size_t j, double q, double x) const { return q != x ? w[j] : 0; }
};

// Calls use(column, value) for the entries of a row.
template <class Use>
void for_row(const Csr& X, std::size_t i, Use&& use) {
  const auto begin = static_cast<std::size_t>(X.indptr()[i]);
  const auto end = static_cast<std::size_t>(X.indptr()[i + 1]);
  std::visit(
      [&](auto values) {
        for (std::size_t e = begin; e < end; ++e)
          use(static_cast<std::size_t>(X.indices()[e]), static_cast<double>(values[e]));
      },
      X.values());
}

struct Parts {
  float along, across;
};

// x . m and |x - (x . m) m| for a direction m.
Parts parts(const float* x, const std::vector<double>& m) {
  double along = 0, square = 0;
  for (std::size_t r = 0; r < m.size(); ++r) along += m[r] * static_cast<double>(x[r]);
  for (std::size_t r = 0; r < m.size(); ++r) {
    const double rest = static_cast<double>(x[r]) - along * m[r];
    square += rest * rest;
  }
  return {static_cast<float>(along), static_cast<float>(std::sqrt(square))};
}

float largest_of(std::span<const float> x) {
  float most[kLanes];  // more than one, so that the compiler may work on all at once
  std::ranges::fill(most, x[0]);
  std::size_t i = 0;
  for (; i + kLanes <= x.size(); i += kLanes)
    for (std::size_t v = 0; v < kLanes; ++v) most[v] = x[i + v] > most[v] ? x[i + v] : most[v];
  for (; i < x.size(); ++i) most[0] = std::max(most[0], x[i]);
  return *std::ranges::max_element(most);
}

struct Found {
  double score, gap;
  std::int32_t row;
  bool operator<(const Found& other) const {  // the better first
    return score != other.score ? score > other.score : row < other.row;
  }
};

}  // namespace

NeighborIndex::NeighborIndex(const Csr& X, std::span<const double> offset,
                             std::span<const double> weight)
    : X_(X), offset_(offset.begin(), offset.end()), weight_(weight.begin(), weight.end()) {
  for (const double w : weight_) root_weight_.push_back(std::sqrt(w));
  if (weight_.empty())
    build(Products{});
  else
    build(Agreements{weight_.data(), root_weight_.data()});
}

template <class Measure>
void NeighborIndex::build(const Measure& measure) {
  const auto n_rows = static_cast<std::size_t>(X_.n_rows());
  const auto n_cols = static_cast<std::size_t>(X_.n_cols());
  std::vector<std::size_t> df(n_cols);
  double largest = 0;
  for (std::size_t i = 0; i < n_rows; ++i) {
    double norm = 0;
    for_row(X_, i, [&](std::size_t j, double x) {
      df[j] += x != 0;
      norm += measure.phi(j, x) * measure.phi(j, x);
    });
    largest = std::max(largest, norm);
  }
  if (largest > 0) largest_norm_ = std::sqrt(largest);
  for (const double o : offset_) largest_offset_ = std::max(largest_offset_, std::abs(o));

  dense_column_.assign(n_cols, -1);
  std::size_t n_frequent = 0;
  for (std::size_t j = 0; j < n_cols; ++j)
    if (4 * df[j] > n_rows) dense_column_[j] = static_cast<std::int32_t>(n_frequent++);
  n_dense_ = (n_frequent + kLanes - 1) / kLanes * kLanes;
  const std::size_t n_segments = (n_rows + kSegment - 1) / kSegment;
  list_begin_.assign(n_segments * n_cols + 1, 0);
  for (std::size_t i = 0; i < n_rows; ++i)
    for_row(X_, i, [&](std::size_t j, double x) {
      if (dense_column_[j] < 0) list_begin_[i / kSegment * n_cols + j + 1] += x != 0;
    });
  for (std::size_t l = 1; l < list_begin_.size(); ++l) list_begin_[l] += list_begin_[l - 1];
  postings_.resize(list_begin_.back());
  dense_.assign(n_rows * n_dense_, 0);
  direction_.assign(n_dense_, 0);
  std::vector<std::size_t> next(list_begin_.begin(), list_begin_.end() - 1);
  for (std::size_t i = 0; i < n_rows; ++i)
    for_row(X_, i, [&](std::size_t j, double x) {
      const double phi = measure.phi(j, x) / largest_norm_;
      if (dense_column_[j] >= 0) {
        const auto r = static_cast<std::size_t>(dense_column_[j]);
        dense_[i * n_dense_ + r] += static_cast<float>(phi);
        direction_[r] += phi;
      } else if (x != 0) {
        postings_[next[i / kSegment * n_cols + j]++] = {i % kSegment, static_cast<float>(phi)};
      }
    });

  double length = 0;
  for (const double m : direction_) length += m * m;
  for (double& m : direction_) m /= length > 0 ? std::sqrt(length) : 1;
  for (std::size_t i = 0; i < n_rows; ++i) {
    const auto [along, across] = parts(dense_.data() + i * n_dense_, direction_);
    along_.push_back(along);
    across_.push_back(across);
    scaled_offset_.push_back(
        static_cast<float>(largest_offset_ > 0 ? offset_[i] / largest_offset_ : 0));
  }
}

// What one thread needs to search.
template <class Measure>
class NeighborIndex::Searcher {
 public:
  Searcher(const NeighborIndex& index, const Csr& Q, const Measure& measure)
      : in_(index),
        Q_(Q),
        measure_(measure),
        n_rows_(static_cast<std::size_t>(index.X_.n_rows())),
        sums_(n_rows_),
        bounds_(n_rows_),
        query_(static_cast<std::size_t>(index.X_.n_cols())),
        dense_query_(index.n_dense_) {}

  void run(std::size_t i, std::size_t k, std::int32_t* rows, double* gaps) {
    read(i);
    add_postings();
    bound_rows();
    choose(k);
    for (std::size_t n = 0; n < k; ++n) {
      rows[n] = best_[n].row;
      gaps[n] = best_[n].gap;
    }
    for_row(Q_, i, [&](std::size_t j, double) { query_[j] = 0; });
  }

 private:
  struct Entry {
    std::size_t column;
    float value;
  };

  // The query in units in which no sum exceeds 2.
  void read(std::size_t i) {
    double norm = 0;
    for_row(Q_, i, [&](std::size_t j, double q) {
      query_[j] += q;
      norm += measure_.phi(j, q) * measure_.phi(j, q);
    });
    n_query_ = 0;
    query_gap_ = 0;
    for_row(Q_, i, [&](std::size_t j, double) {
      n_query_ += query_[j] != 0;
      query_gap_ += measure_.gap(j, query_[j], 0);
    });
    unit_ = std::max(Measure::c * std::sqrt(norm) * in_.largest_norm_, in_.largest_offset_);
    if (unit_ == 0) unit_ = 1;
    const double scale = Measure::c * in_.largest_norm_ / unit_;
    entries_.clear();
    std::ranges::fill(dense_query_, 0.0F);
    for_row(Q_, i, [&](std::size_t j, double q) {
      const auto value = static_cast<float>(measure_.phi(j, q) * scale);
      if (in_.dense_column_[j] >= 0)
        dense_query_[static_cast<std::size_t>(in_.dense_column_[j])] += value;
      else if (value != 0)
        entries_.push_back({j, value});
    });
    // A sum of m terms in floats errs by less than m 2^-24 of the sum of their sizes.
    slack_ = static_cast<float>(entries_.size() + in_.n_dense_ + 64) * 0x1p-23F;
  }

  void add_postings() {
    constexpr std::size_t kAhead = 4;
    std::ranges::fill(sums_, 0.0F);
    for (std::size_t segment = 0; segment * kSegment < n_rows_; ++segment) {
      float* sums = sums_.data() + segment * kSegment;
      const std::size_t* begin = in_.list_begin_.data() + segment * query_.size();
      const auto list = [&](std::size_t l) { return in_.postings_.data() + begin[l]; };
      for (std::size_t e = 0; e < entries_.size(); ++e) {
        if (e + kAhead < entries_.size()) __builtin_prefetch(list(entries_[e + kAhead].column));
        const float q = entries_[e].value;
        const Posting* p = list(entries_[e].column);
        const Posting* end = list(entries_[e].column + 1);
        for (; end - p >= 4; p += 4) {
          float z[4];
          for (std::size_t v = 0; v < 4; ++v) z[v] = q * p[v].value();
          for (std::size_t v = 0; v < 4; ++v) sums[p[v].row()] += z[v];
        }
        for (; p != end; ++p) sums[p->row()] += q * p->value();
      }
    }
    // The values of postings err by 2^-9, and so does the sum of the sizes of terms: it is the sum
    // itself, or with signs at most 1.
    const bool signs = in_.X_.has_negative() || Q_.has_negative();
    slack_ += 0x1.02p-9F * (signs ? 1 : std::max(0.0F, largest_of(sums_)));
  }

  void bound_rows() {
    const auto [q_along, q_across] = parts(dense_query_.data(), in_.direction_);
    const auto q_offset = static_cast<float>(in_.largest_offset_ / unit_);
    const float *along = in_.along_.data(), *across = in_.across_.data();
    const float* offset = in_.scaled_offset_.data();
    for (std::size_t i = 0; i < n_rows_; ++i) {
      sums_[i] += q_offset * offset[i];
      bounds_[i] = sums_[i] + q_along * along[i] + q_across * across[i];
    }
  }

  // The k best rows, those of blocks with larger bounds first, until no block can hold a better.
  void choose(std::size_t k) {
    blocks_.clear();
    for (std::size_t begin = 0; begin < n_rows_; begin += kBlock) {
      const std::size_t n = std::min(kBlock, n_rows_ - begin);
      blocks_.emplace_back(largest_of({bounds_.data() + begin, n}), begin);
    }
    std::make_heap(blocks_.begin(), blocks_.end());
    candidates_.clear();
    largest_.clear();
    float enough = -std::numeric_limits<float>::infinity();
    for (; !blocks_.empty() && blocks_.front().first >= enough; blocks_.pop_back()) {
      const std::size_t begin = blocks_.front().second;
      std::pop_heap(blocks_.begin(), blocks_.end());
      for (std::size_t row = begin; row < std::min(begin + kBlock, n_rows_); ++row) {
        if (bounds_[row] < enough) continue;
        float z = product(row);
        if (z < enough) continue;
        if (!Measure::tight) z = static_cast<float>(measured(row).score / unit_);
        candidates_.emplace_back(z, static_cast<std::int32_t>(row));
        keep_largest(z, k);
        if (largest_.size() == k) enough = largest_.front() - 2 * slack_;
      }
    }
    best_.clear();
    for (const auto& [z, row] : candidates_)
      if (z >= enough) best_.push_back(measured(static_cast<std::size_t>(row)));
    std::partial_sort(best_.begin(), best_.begin() + static_cast<std::ptrdiff_t>(k), best_.end());
  }

  void keep_largest(float z, std::size_t k) {
    if (largest_.size() == k) {
      if (z <= largest_.front()) return;
      std::ranges::pop_heap(largest_, std::greater());
      largest_.pop_back();
    }
    largest_.push_back(z);
    std::ranges::push_heap(largest_, std::greater());
  }

  // The bound with the value of its frequent part.
  float product(std::size_t row) const {
    const float* x = in_.dense_.data() + row * in_.n_dense_;
    float z[kLanes] = {};
    for (std::size_t r = 0; r < in_.n_dense_; r += kLanes)
      for (std::size_t v = 0; v < kLanes; ++v) z[v] += dense_query_[r + v] * x[r + v];
    return std::accumulate(z, z + kLanes, sums_[row]);
  }

  // The row with its score and its gap, which is summed difference by difference, so that small
  // ones keep their digits: over the columns of the row, then over those that the query has beside.
  Found measured(std::size_t row) const {
    double score = 0, gap = 0, shared = 0;
    std::size_t n_shared = 0;
    for_row(in_.X_, row, [&](std::size_t j, double x) {
      const double q = query_[j];
      score += measure_.term(j, q, x);
      gap += measure_.gap(j, q, x);
      shared += measure_.gap(j, q, 0);
      n_shared += q != 0;
    });
    if (n_shared < n_query_) gap += std::max(0.0, query_gap_ - shared);
    return {in_.offset_[row] + score, gap, static_cast<std::int32_t>(row)};
  }

  const NeighborIndex& in_;
  const Csr& Q_;
  Measure measure_;
  std::size_t n_rows_;
  double unit_ = 1;          // what scores are measured in
  double query_gap_ = 0;     // from a row without anything
  std::size_t n_query_ = 0;  // columns
  float slack_ = 0;          // more than all rounding
  std::vector<Entry> entries_;
  HugeVector<float> sums_, bounds_;  // by row
  std::vector<double> query_;        // by column
  std::vector<float> dense_query_;
  std::vector<std::pair<float, std::size_t>> blocks_;  // a heap, the largest bound in front
  std::vector<std::pair<float, std::int32_t>> candidates_;
  std::vector<float> largest_;  // scores of candidates, a heap, the least of them in front
  std::vector<Found> best_;     // the better first
};

void NeighborIndex::search(const Csr& Q, std::size_t begin, std::size_t end, std::size_t k,
                           std::int32_t* rows, double* gaps, int threads) const {
  constexpr std::size_t kQueriesPerJob = 8;
  const auto run = [&]<class Measure>(const Measure& measure) {
    const std::size_t n_jobs = (end - begin + kQueriesPerJob - 1) / kQueriesPerJob;
    std::vector<std::unique_ptr<Searcher<Measure>>> searchers(static_cast<std::size_t>(threads));
    parallel_for(n_jobs, threads, [&](std::size_t job, int worker) {
      auto& searcher = searchers[static_cast<std::size_t>(worker)];
      if (!searcher) searcher = std::make_unique<Searcher<Measure>>(*this, Q, measure);
      const std::size_t first = begin + job * kQueriesPerJob;
      for (std::size_t i = first; i < std::min(first + kQueriesPerJob, end); ++i)
        searcher->run(i, k, rows + (i - begin) * k, gaps + (i - begin) * k);
    });
  };
  if (weight_.empty())
    run(Products{});
  else
    run(Agreements{weight_.data(), root_weight_.data()});
}

}  // namespace wordplane
