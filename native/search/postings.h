// Products of a query with all rows over columns that few rows have: for every column the list of
// its rows with their values.
//
// Summing is reading postings from memory: four bytes each, a row of a segment of the rows and the
// upper half of a float, which errs by at most 2^-9 of the value.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "common/huge_vector.h"

namespace wordplane {

class Postings {
 public:
  struct Entry {
    std::size_t column;
    float value;
  };

  Postings() = default;

  // for_each(use) calls use(row, column, value) for all values, row by row.
  template <class ForEach>
  Postings(std::size_t n_rows, std::size_t n_columns, const ForEach& for_each)
      : n_segments_((n_rows + kSegment - 1) / kSegment),
        n_columns_(n_columns),
        begin_(n_segments_ * n_columns + 1) {
    for_each([&](std::size_t i, std::size_t j, double) { ++begin_[list(i, j) + 1]; });
    for (std::size_t l = 1; l < begin_.size(); ++l) begin_[l] += begin_[l - 1];
    postings_.resize(begin_.back());
    std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
    for_each([&](std::size_t i, std::size_t j, double x) {
      postings_[next[list(i, j)]++] = {i % kSegment, static_cast<float>(x)};
    });
  }

  // Adds the products with a query to the sums of all rows.
  void add(std::span<const Entry> query, float* sums) const;

 private:
  static constexpr std::size_t kSegment = std::size_t{1} << 16;
  class Posting {
   public:
    Posting() = default;
    Posting(std::size_t row, float value)
        : bits_(((std::bit_cast<std::uint32_t>(value) + 0x8000) & 0xFFFF0000) |
                static_cast<std::uint32_t>(row)) {}
    std::size_t row() const { return bits_ & 0xFFFF; }
    float value() const { return std::bit_cast<float>(bits_ & 0xFFFF0000); }

   private:
    std::uint32_t bits_;
  };

  std::size_t list(std::size_t row, std::size_t column) const {
    return row / kSegment * n_columns_ + column;
  }

  std::size_t n_segments_ = 0, n_columns_ = 0;
  std::vector<std::size_t> begin_;  // by segment and column, and the end
  HugeVector<Posting> postings_;
};

}  // namespace wordplane
