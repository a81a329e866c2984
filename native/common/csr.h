// The one matrix that kernels accept: compressed sparse rows over arrays that someone else
// owns, checked once when made, never changed.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <variant>
#include <vector>

namespace wordplane {

// Row pointers from the sizes of rows: 64 bits, however small the numbers are that hold a size.
template <class Sizes>
std::vector<std::int64_t> row_pointers(const Sizes& sizes) {
  std::vector<std::int64_t> indptr{0};
  indptr.reserve(std::size(sizes) + 1);
  for (const auto size : sizes) indptr.push_back(indptr.back() + static_cast<std::int64_t>(size));
  return indptr;
}

class Csr {
 public:
  using Values = std::variant<std::span<const float>, std::span<const double>>;

  // Throws std::invalid_argument unless the row pointers ascend from 0 to the number of
  // values, every index lies in 0 .. n_cols-1 and every value is finite.
  Csr(std::int64_t n_cols, std::span<const std::int64_t> indptr,
      std::span<const std::int32_t> indices, Values values, std::shared_ptr<const void> owner,
      int threads = 1);

  std::int64_t n_rows() const { return static_cast<std::int64_t>(indptr_.size()) - 1; }
  std::int64_t n_cols() const { return n_cols_; }
  std::int64_t n_values() const { return indptr_.back(); }
  std::span<const std::int64_t> indptr() const { return indptr_; }
  std::span<const std::int32_t> indices() const { return indices_; }
  const Values& values() const { return values_; }
  bool sorted() const { return sorted_; }  // each row's columns ascend, none twice
  bool has_negative() const { return has_negative_; }

 private:
  std::int64_t n_cols_;
  std::span<const std::int64_t> indptr_;
  std::span<const std::int32_t> indices_;
  Values values_;
  std::shared_ptr<const void> owner_;
  bool sorted_ = true;
  bool has_negative_ = false;
};

}  // namespace wordplane
