#include "common/csr.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "common/parallel.h"
#include "common/signs.h"

namespace wordplane {

namespace {

void require(bool holds, const char* what) {
  if (!holds) throw std::invalid_argument(std::string("not a matrix: ") + what);
}

struct Part {
  std::uint32_t most = 0;  // the largest index; one below 0 is very large
  bool sorted = true;
  Signs signs{true, false};
};

// The rows begin .. end-1, by loops without an exit, which the compiler vectorizes.
template <class Value>
Part look_at(const Csr& X, std::span<const Value> values, std::size_t begin, std::size_t end) {
  const auto indptr = X.indptr();
  const auto indices = X.indices();
  Part part;
  const auto first = static_cast<std::size_t>(indptr[begin]);
  const auto n = static_cast<std::size_t>(indptr[end]) - first;
  for (const std::int32_t j : indices.subspan(first, n))
    part.most = std::max(part.most, static_cast<std::uint32_t>(j));
  for (std::size_t i = begin; i < end; ++i) {
    int falls = 0;
    for (std::int64_t e = indptr[i] + 1; e < indptr[i + 1]; ++e)
      falls |= indices[static_cast<std::size_t>(e - 1)] >= indices[static_cast<std::size_t>(e)];
    part.sorted &= falls == 0;
  }
  part.signs = signs_of(values.subspan(first, n));
  return part;
}

}  // namespace

Csr::Csr(std::int64_t n_cols, std::span<const std::int64_t> indptr,
         std::span<const std::int32_t> indices, Values values, std::shared_ptr<const void> owner,
         int threads)
    : n_cols_(n_cols),
      indptr_(indptr),
      indices_(indices),
      values_(values),
      owner_(std::move(owner)) {
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
          parts[p] = look_at(*this, v, p * n_rows / n_parts, (p + 1) * n_rows / n_parts);
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

}  // namespace wordplane
