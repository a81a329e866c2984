// Products of a query with all rows over columns that many rows have: nearly right and quick, in
// whole numbers of 16 bits.
//
//   q . x ~ |x| unit (m / 2 + sum_j floor(x'_j q'_j / 2^16))     m values q_j that are not 0
//   x' = round(s x / |x|), q' = round(s q / |q|), unit = 2^16 |q| / s^2, s = 2^15 - 2
//
// A floor takes less than 1 from its term, and rounding moves the sum by less than sqrt(m) / 2 + 1:
// this errs by less than |x| ((m + sqrt(m)) / 2 + 1) units. No sum leaves the 16 bits: by Cauchy
// and Schwarz the sizes of its terms add up to about 2^14, and the floors take less than kMost.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "common/huge_vector.h"

namespace wordplane {

class FrequentColumns {
 public:
  static constexpr std::size_t kMost = 4096;  // columns
  static constexpr std::size_t kTile = 64;  // rows, whose values stay in the cache for many queries

  struct Entry {
    std::size_t column;
    double value;
  };

  class Query {
   public:
    struct Term {
      std::uint32_t column;
      std::int16_t weight;  // q'_j
    };
    double unit() const { return unit_; }
    double middle() const { return unit_ * m_ / 2; }
    double error() const { return unit_ * ((m_ + std::sqrt(m_)) / 2 + 1); }

   private:
    friend class FrequentColumns;
    double unit_ = 0, m_ = 0;
    std::vector<Term> terms_;  // and one with a weight of 0 at the end
  };

  FrequentColumns() = default;

  // for_each(use) calls use(row, column, value) for all values that are not 0, which are at most 1
  // in size.
  template <class ForEach>
  FrequentColumns(std::size_t n_rows, std::size_t n_columns, const ForEach& for_each)
      : n_tiles_((n_rows + kTile - 1) / kTile), n_columns_(n_columns) {
    std::vector<double> lengths(n_rows);
    for_each([&](std::size_t i, std::size_t, double x) { lengths[i] += x * x; });
    for (double& length : lengths) length = std::max(std::sqrt(length), kLeast);
    lengths_.assign(lengths.begin(), lengths.end());
    values_.assign(n_tiles_ * n_columns * kTile, 0);
    for_each([&](std::size_t i, std::size_t j, double x) {
      values_[(i / kTile * n_columns + j) * kTile + i % kTile] = rounded(x / lengths[i]);
    });
  }

  std::size_t n_tiles() const { return n_tiles_; }
  std::span<const float> lengths() const { return lengths_; }

  // A query from its entries, whose values are at most 1 in size.
  Query query(const std::vector<Entry>& entries) const;

  // The sums of kTile rows.
  void sum(const Query& query, std::size_t tile, std::int16_t* sums) const;

 private:
  static constexpr double kLeast = 1e-20;  // a length, so that quotients are finite
  static constexpr double kScale = 32766;
  static std::int16_t rounded(double x) {
    return static_cast<std::int16_t>(std::lrint(kScale * x));
  }

  std::size_t n_tiles_ = 0, n_columns_ = 0;
  std::vector<float> lengths_;       // |x|
  HugeVector<std::int16_t> values_;  // by tile, column and row
};

}  // namespace wordplane
