// The one matrix that kernels accept: compressed sparse rows over arrays that someone else
// owns, checked once when made, never changed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
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
    // Plain sums and extremes, without an exit in between, so that the compiler can take
    // several values at a time.
    std::int32_t lowest = 0, highest = -1, before = -1;
    std::int64_t descents = 0;  // all must be where a row begins
    for (const std::int32_t j : indices) {
      lowest = std::min(lowest, j);
      highest = std::max(highest, j);
      descents += before >= j;
      before = j;
    }
    require(lowest >= 0 && highest < n_cols, "an index out of range");
    for (std::size_t i = 1; i + 1 < indptr.size(); ++i) {
      const auto e = static_cast<std::size_t>(indptr[i]);
      if (e > static_cast<std::size_t>(indptr[i - 1]) && e > 0 && e < n_values)
        descents -= indices[e - 1] >= indices[e];
    }
    sorted_ = descents == 0;
    std::visit(
        [&](auto v) {
          require(v.size() == n_values, "one value per index expected");
          using Value = std::remove_const_t<typename decltype(v)::element_type>;
          constexpr std::size_t kLanes = 8;
          Value zero[kLanes] = {}, least[kLanes] = {};  // 0 x is 0 unless x is not finite
          std::size_t e = 0;
          for (; e + kLanes <= n_values; e += kLanes)
            for (std::size_t lane = 0; lane < kLanes; ++lane) {
              const Value x = v[e + lane];
              zero[lane] += 0 * x;
              least[lane] = x < least[lane] ? x : least[lane];
            }
          for (; e < n_values; ++e) {
            zero[0] += 0 * v[e];
            least[0] = std::min(least[0], v[e]);
          }
          for (std::size_t lane = 0; lane < kLanes; ++lane) {
            require(zero[lane] == 0, "X contains NaN or infinity; fill or drop such values");
            has_negative_ |= least[lane] < 0;
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
  std::int64_t n_cols_;
  std::span<const std::int64_t> indptr_;
  std::span<const std::int32_t> indices_;
  Values values_;
  std::shared_ptr<const void> owner_;
  bool sorted_ = true;
  bool has_negative_ = false;
};

}  // namespace wordplane
