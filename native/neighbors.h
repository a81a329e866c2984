// Exact nearest neighbours of sparse rows. Python side: learners/neighbors.py
//
//   score(q, d) = offset_d + sum_j term(q_j, x_dj)          the k rows d of the largest score
//
//   products    term = q_j x_dj
//   agreements  term = w_j (1 + 1(q_j = x_dj)) where neither is 0: of the weights of both rows,
//               what they do not differ in
//
// Few rows get their score computed. All others are ruled out by bounds of it, in floats:
// sum_j term <= c phi(q) . phi(x_d), where phi(x) = x and c = 1, or phi_j = sqrt(w_j) 1(x_j != 0)
// and c = 2. Of this product, the part of columns that at most a quarter of the rows have is
// summed over their postings. The rest, with m the mean direction of the rows there, is
//   <= (q . m)(x . m) + |q - (q . m) m| |x - (x . m) m|,
// and its value is computed where that bound does not suffice. Rounding is allowed for, so that
// the neighbours are those of the scores in double precision, equal ones by row.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "csr.h"
#include "huge_vector.h"

namespace wordplane {

class NeighborIndex {
 public:
  // One offset per row; no weights: products, else agreements with a weight from 0 up per column.
  NeighborIndex(const Csr& X, std::span<const double> offset, std::span<const double> weight);

  const Csr& X() const { return X_; }

  // The k <= n_rows neighbours of rows begin .. end-1 of Q, best first, and how far they are:
  // sum_j (q_j - x_j)^2, or the weights of the columns where q and x differ.
  void search(const Csr& Q, std::size_t begin, std::size_t end, std::size_t k, std::int32_t* rows,
              double* gaps, int threads) const;

 private:
  template <class Measure>
  class Searcher;

  // Searching is reading postings from memory: four bytes each, a row of a segment of the rows
  // and the upper half of a float.
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

  template <class Measure>
  void build(const Measure& measure);

  Csr X_;
  std::vector<double> offset_, weight_, root_weight_;
  double largest_norm_ = 1, largest_offset_ = 0;
  std::vector<std::int32_t> dense_column_;  // its place among the frequent columns, or -1
  std::vector<std::size_t> list_begin_;     // by segment and column, and the end
  HugeVector<Posting> postings_;            // phi / largest_norm_ of the other columns
  std::size_t n_dense_ = 0;                 // frequent columns, filled up
  HugeVector<float> dense_;                 // n_rows x n_dense_, the same of the frequent ones
  std::vector<double> direction_;           // m
  std::vector<float> along_, across_, scaled_offset_;
};

}  // namespace wordplane
