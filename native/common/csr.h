// The one matrix that kernels accept: compressed sparse rows over arrays that someone else
// owns, checked once when made, never changed.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "common/parallel.h"

namespace wordplane {

struct Signs {
  bool finite, negative;  // whether all values are the one, and any is the other
};

// One pass over the bits, which the compiler vectorises: where the exponent is full, one more
// reaches the sign, which is cleared before; -0 is not negative.
template <class Value>
Signs signs_of(std::span<const Value> values) {
  using Bits = std::conditional_t<sizeof(Value) == 4, std::uint32_t, std::uint64_t>;
  constexpr Bits kSign = Bits{1} << (8 * sizeof(Value) - 1);
  constexpr Bits kOne = Bits{1} << (std::numeric_limits<Value>::digits - 1);
  Bits carried = 0, below = 0;
  for (const Value x : values) {
    const Bits bits = std::bit_cast<Bits>(x);
    carried |= (bits & ~kSign) + kOne;
    below |= bits & ((bits & ~kSign) + ~kSign);  // the sign, if anything beside it is set
  }
  return {!(carried & kSign), (below & kSign) != 0};
}

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
      int threads = 1)
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
    std::visit(
        [&](auto v) {
          require(v.size() == n_values, "one value per index expected");
          const auto n_parts = static_cast<std::size_t>(n_values < 100'000 ? 1 : threads);
          std::vector<Part> parts(n_parts);
          parallel_for(n_parts, threads, [&](std::size_t p, int) {
            const auto n_rows = static_cast<std::size_t>(this->n_rows());
            parts[p] = look_at(p * n_rows / n_parts, (p + 1) * n_rows / n_parts, v);
          });
          for (const Part& part : parts) {
            require(part.most < n_cols || indices.empty(), "an index out of range");
            require(part.signs.finite, "X contains NaN or infinity; fill or drop such values");
            sorted_ &= part.sorted;
            has_negative_ |= part.signs.negative;
          }
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
  bool has_negative() const { return has_negative_; }

 private:
  struct Part {
    std::uint32_t most = 0;  // the largest index; one below 0 is very large
    bool sorted = true;
    Signs signs{true, false};
  };

  // The rows begin .. end-1, by loops without an exit, which the compiler vectorises.
  template <class Span>
  Part look_at(std::size_t begin, std::size_t end, Span values) const {
    Part part;
    const auto first = static_cast<std::size_t>(indptr_[begin]);
    const auto n = static_cast<std::size_t>(indptr_[end]) - first;
    for (const std::int32_t j : indices_.subspan(first, n))
      part.most = std::max(part.most, static_cast<std::uint32_t>(j));
    for (std::size_t i = begin; i < end; ++i) {
      int falls = 0;
      for (std::int64_t e = indptr_[i] + 1; e < indptr_[i + 1]; ++e)
        falls |= indices_[static_cast<std::size_t>(e - 1)] >= indices_[static_cast<std::size_t>(e)];
      part.sorted &= falls == 0;
    }
    part.signs = signs_of(values.subspan(first, n));
    return part;
  }

  std::int64_t n_cols_;
  std::span<const std::int64_t> indptr_;
  std::span<const std::int32_t> indices_;
  Values values_;
  std::shared_ptr<const void> owner_;
  bool sorted_ = true;
  bool has_negative_ = false;
};

}  // namespace wordplane
