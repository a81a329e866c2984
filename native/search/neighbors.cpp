#include "search/neighbors.h"

#include <algorithm>
#include <bitset>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <stdexcept>
#include <type_traits>

#include "common/parallel.h"

namespace wordplane {
namespace {

constexpr std::size_t kBlock = 256;  // rows that share a bound
constexpr std::size_t kLanes = 16;
constexpr double kLargestNorm = 1e300;  // squared: sums and products of two are numbers still

void require_norm(double norm) {
  if (!(norm <= kLargestNorm))
    throw std::invalid_argument("values or weights are too large for distances: scale them down");
}

struct Products {
  static constexpr double c = 1;
  static constexpr bool tight = true;            // whether the sum of terms is c phi(q) . phi(x)
  double scale(std::size_t) const { return 1; }  // of a row
  double phi(std::size_t, double x) const { return x; }
  double term(std::size_t, double q, double x) const { return q * x; }
  double gap(std::size_t, double q, double x) const { return (q - x) * (q - x); }
};

// Rows are scaled to length 1, or 0 where they are.
struct Cosines : Products {
  const double* square;
  static double length_to_one(double square) { return square > 0 ? 1 / std::sqrt(square) : 0; }
  double scale(std::size_t row) const { return length_to_one(square[row]); }
};

struct Agreements {
  static constexpr double c = 2;
  static constexpr bool tight = false;
  const double* w;
  const double* root_w;
  double scale(std::size_t) const { return 1; }
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

bool is_whole(double x) { return x == std::trunc(x); }

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
                             std::span<const double> weight, std::span<const double> square)
    : X_(X),
      offset_(offset.begin(), offset.end()),
      weight_(weight.begin(), weight.end()),
      square_(square.begin(), square.end()) {
  for (const double w : weight_) root_weight_.push_back(std::sqrt(w));
  with_measure([&](const auto& measure) { build(measure); });
}

template <class Use>
void NeighborIndex::with_measure(Use&& use) const {
  if (!weight_.empty())
    use(Agreements{weight_.data(), root_weight_.data()});
  else if (!square_.empty())
    use(Cosines{{}, square_.data()});
  else
    use(Products{});
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
      const double phi = measure.phi(j, x) * measure.scale(i);
      norm += phi * phi;
      whole_ &= is_whole(x);
    });
    largest = std::max(largest, norm);
  }
  for (const double s : square_) largest_square_ = std::max(largest_square_, s);
  require_norm(largest);
  if (largest > 0) largest_norm_ = std::sqrt(largest);
  for (const double o : offset_) largest_offset_ = std::max(largest_offset_, std::abs(o));

  for (const double o : offset_)
    scaled_offset_.push_back(static_cast<float>(largest_offset_ > 0 ? o / largest_offset_ : 0));

  frequent_column_.assign(n_cols, -1);
  std::size_t n_frequent = 0;
  for (std::size_t j = 0; j < n_cols; ++j)
    if (16 * df[j] > n_rows && n_frequent < FrequentColumns::kMost)
      frequent_column_[j] = static_cast<std::int32_t>(n_frequent++);
  const auto for_each = [&](bool frequent, auto&& use) {
    for (std::size_t i = 0; i < n_rows; ++i)
      for_row(X_, i, [&](std::size_t j, double x) {
        const std::int32_t place = frequent_column_[j];
        if (x != 0 && (place >= 0) == frequent)
          use(i, frequent ? static_cast<std::size_t>(place) : j,
              measure.phi(j, x) * measure.scale(i) / largest_norm_);
      });
  };
  frequent_ = {n_rows, n_frequent, [&](auto&& use) { for_each(true, use); }};
  postings_ = {n_rows, n_cols, [&](auto&& use) { for_each(false, use); }};
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
        query_(static_cast<std::size_t>(index.X_.n_cols()), 0.0) {}

  // Queries begin .. end-1.
  void run(std::size_t begin, std::size_t end, std::size_t k, std::int32_t* rows, double* gaps) {
    queries_.resize(end - begin);
    for (std::size_t i = begin; i < end; ++i) queries_[i - begin] = read(i);
    add_frequent();
    for (std::size_t i = begin; i < end; ++i) {
      for_row(Q_, i, [&](std::size_t j, double q) {
        query_[j] = q;
        in_query_[j % kBits] = true;
      });
      const Query& query = queries_[i - begin];
      bound_rows(query, frequent_sums_.data() + (i - begin) * n_padded());
      choose(query, k);
      for (std::size_t n = 0; n < k; ++n) {
        *rows++ = best_[n].row;
        *gaps++ = best_[n].gap;
      }
      for_row(Q_, i, [&](std::size_t j, double) {
        query_[j] = 0;
        in_query_[j % kBits] = false;
      });
    }
  }

 private:
  static constexpr std::size_t kBits = std::size_t{1} << 16;

  struct Query {
    double unit = 0;    // what scores are measured in: no sum exceeds 2
    double gap = 0;     // from a row without anything
    double square = 0;  // |q|^2
    double scale = 1;   // to length 1 for cosines
    bool whole = true;  // whether cosines can be compared in whole numbers
    std::size_t n = 0;  // columns
    FrequentColumns::Query frequent;
    std::vector<Postings::Entry> others;
  };

  Query read(std::size_t i) const {
    Query query;
    double norm = 0;
    for_row(Q_, i, [&](std::size_t j, double q) {
      query.n += q != 0;
      query.whole &= is_whole(q);
      norm += measure_.phi(j, q) * measure_.phi(j, q);
    });
    require_norm(norm);
    query.square = norm;
    query.whole &= in_.whole_ && norm * in_.largest_square_ <= 0x1p53;
    if constexpr (std::is_same_v<Measure, Cosines>) query.scale = Cosines::length_to_one(norm);
    for_row(Q_, i,
            [&](std::size_t j, double q) { query.gap += measure_.gap(j, q * query.scale, 0); });
    query.unit = std::max(Measure::c * std::sqrt(norm) * in_.largest_norm_, in_.largest_offset_);
    if (query.unit == 0) query.unit = 1;
    const double scale = Measure::c * in_.largest_norm_ / query.unit;
    std::vector<FrequentColumns::Entry> frequent;
    for_row(Q_, i, [&](std::size_t j, double q) {
      const double value = measure_.phi(j, q) * scale;
      if (value == 0) return;
      if (in_.frequent_column_[j] >= 0)
        frequent.push_back({static_cast<std::size_t>(in_.frequent_column_[j]), value});
      else
        query.others.push_back({j, static_cast<float>(value)});
    });
    query.frequent = in_.frequent_.query(frequent);
    return query;
  }

  // Of all queries: a tile of the columns is read from the cache by all but the first.
  void add_frequent() {
    frequent_sums_.resize(queries_.size() * n_padded());
    for (std::size_t tile = 0; tile < in_.frequent_.n_tiles(); ++tile)
      for (std::size_t n = 0; n < queries_.size(); ++n)
        in_.frequent_.sum(queries_[n].frequent, tile,
                          frequent_sums_.data() + n * n_padded() + tile * FrequentColumns::kTile);
  }

  std::size_t n_padded() const { return in_.frequent_.n_tiles() * FrequentColumns::kTile; }

  // Bounds of the scores of all rows, but for slack_.
  void bound_rows(const Query& query, const std::int16_t* frequent) {
    std::ranges::fill(sums_, 0.0F);
    in_.postings_.add(query.others, sums_.data());
    const auto unit = static_cast<float>(query.frequent.unit());
    const auto top = static_cast<float>(query.frequent.middle() + query.frequent.error());
    const float* length = in_.frequent_.lengths().data();
    const auto offset = static_cast<float>(in_.largest_offset_ / query.unit);
    float most = 0;
    blocks_.clear();
    for (std::size_t begin = 0; begin < n_rows_; begin += kBlock) {
      const std::span sums(sums_.data() + begin, std::min(kBlock, n_rows_ - begin));
      most = std::max(most, largest_of(sums));
      for (std::size_t i = 0; i < sums.size(); ++i)
        sums[i] += length[begin + i] * (unit * frequent[begin + i] + top) +
                   offset * in_.scaled_offset_[begin + i];
      blocks_.emplace_back(largest_of(sums), begin);
    }
    // A sum of m terms in floats errs by less than m 2^-24 of the sum of their sizes, and the
    // values of postings by 2^-9, as does the sum of the sizes of terms: it is the sum itself, or
    // with signs at most 1.
    const bool signs = in_.X_.has_negative() || Q_.has_negative();
    slack_ =
        static_cast<float>(query.others.size() + 64) * 0x1p-23F + 0x1.02p-9F * (signs ? 1 : most);
  }

  // The k best rows, those of blocks with larger bounds first, until no block can hold a better.
  void choose(const Query& query, std::size_t k) {
    std::make_heap(blocks_.begin(), blocks_.end());
    const auto window = static_cast<float>(2 * query.frequent.error());
    candidates_.clear();
    largest_.clear();
    float enough = -std::numeric_limits<float>::infinity();
    for (; !blocks_.empty() && blocks_.front().first >= enough; blocks_.pop_back()) {
      const std::size_t begin = blocks_.front().second;
      std::pop_heap(blocks_.begin(), blocks_.end());
      for (std::size_t row = begin; row < std::min(begin + kBlock, n_rows_); ++row) {
        if (sums_[row] < enough) continue;
        if (!Measure::tight)
          sums_[row] = static_cast<float>(measured(query, row).score / query.unit);
        candidates_.push_back(row);
        keep_largest(sums_[row] - (Measure::tight ? window * in_.frequent_.lengths()[row] : 0), k);
        if (largest_.size() == k) enough = largest_.front() - 2 * slack_;
      }
    }
    best_.clear();
    for (const std::size_t row : candidates_)
      if (sums_[row] >= enough) best_.push_back(measured(query, row));
    if (best_.size() < k) throw std::logic_error("fewer neighbors than asked for");
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

  // The row with its score and its gap, which is summed difference by difference, so that small
  // ones keep their digits: over the columns of the row, then over those that the query has beside.
  // Most columns of the row are not in the query: few values of that are read.
  Found measured(const Query& query, std::size_t row) const {
    double score = 0, gap = 0, shared = 0;
    std::size_t n_shared = 0;
    const double scale = measure_.scale(row);
    for_row(in_.X_, row, [&](std::size_t j, double x) {
      const double q = in_query_[j % kBits] ? query_[j] : 0;
      score += measure_.term(j, q, x);
      gap += measure_.gap(j, q * query.scale, x * scale);
      shared += measure_.gap(j, q * query.scale, 0);
      n_shared += q != 0;
    });
    if (n_shared < query.n) gap += std::max(0.0, query.gap - shared);
    if constexpr (std::is_same_v<Measure, Cosines>) {
      const double square = in_.square_[row];
      if (query.whole && query.square > 0 && square > 0) return whole_cosine(query, score, row);
      score *= scale;
    }
    return {in_.offset_[row] + score, gap, static_cast<std::int32_t>(row)};
  }

  // Of whole numbers: equal cosines get equal scores and gaps, to the last bit. p = q . x and the
  // squared lengths are exact, and quotients of the same number are rounded alike.
  Found whole_cosine(const Query& query, double p, std::size_t row) const {
    const double square = in_.square_[row], both = query.square * square;
    const double sine2 = (both - p * p) / both;
    const double cosine = std::sqrt(1 - sine2);  // or the negative of it
    const double distance = p >= 0 ? sine2 / (1 + cosine) : 1 + cosine;
    return {p * std::abs(p) / square, 2 * distance, static_cast<std::int32_t>(row)};
  }

  const NeighborIndex& in_;
  const Csr& Q_;
  Measure measure_;
  std::size_t n_rows_;
  std::vector<Query> queries_;
  HugeVector<std::int16_t> frequent_sums_;  // by query and row
  HugeVector<float> sums_;                  // by row
  float slack_ = 0;                         // more than all rounding
  HugeVector<double> query_;                // by column
  std::bitset<kBits> in_query_;             // whether it may have a column, by the last bits
  std::vector<std::pair<float, std::size_t>> blocks_;  // a heap, the largest bound in front
  std::vector<std::size_t> candidates_;
  std::vector<float> largest_;  // what their scores reach, a heap, the least of them in front
  std::vector<Found> best_;     // the better first
};

void NeighborIndex::search(const Csr& Q, std::size_t begin, std::size_t end, std::size_t k,
                           std::int32_t* rows, double* gaps, int threads) const {
  with_measure([&]<class Measure>(const Measure& measure) {
    const std::size_t n = end - begin;
    const auto per_job =
        std::clamp<std::size_t>(n / (4 * static_cast<std::size_t>(threads)), 1, 32);
    const std::size_t n_jobs = (n + per_job - 1) / per_job;
    std::vector<std::unique_ptr<Searcher<Measure>>> searchers(static_cast<std::size_t>(threads));
    parallel_for(n_jobs, threads, [&](std::size_t job, int worker) {
      auto& searcher = searchers[static_cast<std::size_t>(worker)];
      if (!searcher) searcher = std::make_unique<Searcher<Measure>>(*this, Q, measure);
      const std::size_t first = job * per_job, last = std::min(first + per_job, n);
      searcher->run(begin + first, begin + last, k, rows + first * k, gaps + first * k);
    });
  });
}

}  // namespace wordplane
