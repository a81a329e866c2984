// The product of two matrices of counts.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace wordplane {

// A view of a sparse matrix; rows ascend. The caller has checked it.
struct Counts2 {
  std::span<const std::int64_t> indptr;
  std::span<const std::int32_t> indices;
  std::span<const std::int64_t> values;

  std::size_t n_rows() const { return indptr.size() - 1; }
};

// Row pointers of X A, A having n_cols columns; and, by column, in how many rows it is not 0.
struct ProductShape {
  std::vector<std::int64_t> indptr;
  std::vector<std::int64_t> column_counts;
};
ProductShape product_shape(const Counts2& X, const Counts2& A, std::size_t n_cols, int threads);

// X A itself, ascending columns in each row.
template <class Value>
void product(const Counts2& X, const Counts2& A, std::size_t n_cols,
             std::span<const std::int64_t> indptr, std::int32_t* indices, Value* values,
             int threads);

}  // namespace wordplane
