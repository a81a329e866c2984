#include "learners/online_rows.h"

#include <algorithm>

#include "common/by_column.h"

namespace wordplane {
namespace {

std::vector<std::int64_t> find_middles(const Csr& X) {
  const auto indptr = X.indptr();
  const auto indices = X.indices();
  if (!X.sorted() || indices.empty()) return {indptr.begin() + 1, indptr.end()};
  const std::int32_t column = equal_cuts(X, 2)[1];
  std::vector<std::int64_t> middle(indptr.size() - 1);
  for (std::size_t i = 0; i < middle.size(); ++i) {
    const auto begin = indices.begin() + indptr[i], end = indices.begin() + indptr[i + 1];
    middle[i] = std::lower_bound(begin, end, column) - indices.begin();
  }
  return middle;
}

}  // namespace

std::span<const std::int64_t> OnlineRows::middle() const {
  std::call_once(found_, [this] { middle_ = find_middles(X); });
  return middle_;
}

}  // namespace wordplane
