// Exact nearest neighbors of sparse rows. Python side: learners/neighbors.py
//
//   score(q, d) = offset_d + sum_j term(q_j, x_dj)          the k rows d of the largest score
//
//   products    term = q_j x_dj
//   cosines     the same, of rows of length 1
//   agreements  term = w_j (1 + 1(q_j = x_dj)) where neither is 0: of the weights of both rows,
//               what they do not differ in
//
// Few rows get their score computed. All others are ruled out by bounds of it, in floats:
// sum_j term <= c phi(q) . phi(x_d), where phi(x) = x and c = 1, or phi_j = sqrt(w_j) 1(x_j != 0)
// and c = 2. Of this product, the part of columns that at most a sixteenth of the rows have is
// summed over their postings, the rest in whole numbers. Rounding is allowed for, so that the
// neighbors are those of the scores in double precision, equal ones by row. Scores of whole
// numbers that are equal are equal to the last bit: sums of products of them are exact, and cosines
// are compared by (q . x)|q . x| / |x|^2.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/csr.h"
#include "search/frequent_columns.h"
#include "search/postings.h"

namespace wordplane {

class NeighborIndex {
 public:
  // One offset per row. With a weight from 0 up per column: agreements; with the squared length of
  // each row: cosines; with neither: products.
  NeighborIndex(const Csr& X, std::span<const double> offset, std::span<const double> weight,
                std::span<const double> square);

  const Csr& X() const { return X_; }

  // The k <= n_rows neighbors of rows begin .. end-1 of Q, best first, and how far they are:
  // sum_j (q_j - x_j)^2 (for cosines, of rows of length 1), or the weights of the columns where q
  // and x differ.
  void search(const Csr& Q, std::size_t begin, std::size_t end, std::size_t k, std::int32_t* rows,
              double* gaps, int threads) const;

 private:
  template <class Measure>
  class Searcher;

  template <class Use>
  void with_measure(Use&& use) const;

  template <class Measure>
  void build(const Measure& measure);

  Csr X_;
  std::vector<double> offset_, weight_, root_weight_, square_;
  double largest_norm_ = 1, largest_offset_ = 0, largest_square_ = 0;
  bool whole_ = true;                          // whether all values are whole numbers
  std::vector<std::int32_t> frequent_column_;  // its place among the frequent columns, or -1
  FrequentColumns frequent_;                   // phi / largest_norm_ of these
  Postings postings_;                          // and of the others
  std::vector<float> scaled_offset_;
};

}  // namespace wordplane
