// The one matrix that kernels accept: compressed sparse rows over arrays that someone else
// owns, checked once when made, never changed.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <variant>

namespace wordplane {

class Csr {
 public:
  using Values = std::variant<std::span<const float>, std::span<const double>>;

  // Throws std::invalid_argument unless the row pointers ascend from 0 to the number of
  // values, every index lies in 0 .. n_cols-1 and every value is finite.
  Csr(std::int64_t n_cols, std::span<const std::int64_t> indptr,
      std::span<const std::int32_t> indices, Values values, std::shared_ptr<const void> owner)
      : n_cols_(n_cols),
        indptr_(indptr),
        indices_(indices),
        values_(values),
        owner_(std::move(owner)) {
    const auto require = [](bool holds, const char* what) {
      if (!holds) throw std::invalid_argument(std::string("not a matrix: ") + what);
    };
    require(n_cols >= 0 && n_cols <= 0x7FFFFFFF, "from 0 to 2,147,483,647 columns expected");
    require(!indptr.empty() && indptr[0] == 0, "the row pointers start at 0");
    for (std::size_t i = 1; i < indptr.size(); ++i)
      require(indptr[i - 1] <= indptr[i], "the row pointers ascend");
    const auto n_values = static_cast<std::size_t>(indptr.back());
    require(indices.size() == n_values, "one index per value expected");
    for (const std::int32_t j : indices) require(j >= 0 && j < n_cols, "an index out of range");
    for (std::size_t i = 1; i < indptr.size() && sorted_; ++i)
      for (std::int64_t e = indptr[i - 1] + 1; e < indptr[i] && sorted_; ++e)
        sorted_ = indices[static_cast<std::size_t>(e - 1)] < indices[static_cast<std::size_t>(e)];
    std::visit(
        [&](auto v) {
          require(v.size() == n_values, "one value per index expected");
          for (const auto x : v) require(std::isfinite(x), "a value that is not finite");
        },
        values);
  }

  std::int64_t n_rows() const { return static_cast<std::int64_t>(indptr_.size()) - 1; }
  std::int64_t n_cols() const { return n_cols_; }
  std::int64_t n_values() const { return indptr_.back(); }
  std::span<const std::int64_t> indptr() const { return indptr_; }
  std::span<const std::int32_t> indices() const { return indices_; }
  const Values& values() const { return values_; }
  bool sorted() const { return sorted_; }  // each row's columns ascend, none twice

 private:
  std::int64_t n_cols_;
  std::span<const std::int64_t> indptr_;
  std::span<const std::int32_t> indices_;
  Values values_;
  std::shared_ptr<const void> owner_;
  bool sorted_ = true;
};

}  // namespace wordplane
