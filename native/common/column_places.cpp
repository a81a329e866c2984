#include "common/column_places.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "common/hash_key.h"
#include "common/huge_vector.h"

namespace wordplane {
namespace {

__extension__ using Wide = unsigned __int128;

// Columns with more values are hardly ever alike, and looking at all their values takes time. Most
// that are alike have a single value: looking does not pay if those have less than this share of
// all values.
constexpr std::uint32_t kFew = 8;
constexpr double kLeastShare = 0.03;

// What stands for a row in the keys of columns.
struct RowKey {
  explicit RowKey(std::uint64_t row)
      : first(fold_product(row ^ kHashKey.first, kHashKey.second)),
        second(fold_product(first ^ kHashKey.first, kHashKey.second)) {}
  Wide with(double value) const {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    return static_cast<Wide>(first ^ bits) * (second + bits);
  }
  std::uint64_t first, second;
};

std::vector<std::uint32_t> frequencies_of(const Csr& X) {
  std::vector<std::uint32_t> frequency(static_cast<std::size_t>(X.n_cols()));
  for (const std::int32_t j : X.indices()) ++frequency[static_cast<std::size_t>(j)];
  return frequency;
}

// Of the columns with few values: a number that only those share which are alike, but for a chance
// of 2^-128: a sum over the values of products that depend on the row and the value.
HugeVector<Wide> keys_of(const Csr& X, std::span<const std::uint32_t> frequency,
                         std::span<const double> scale) {
  const std::size_t n_columns = frequency.size(), n_rows = X.indptr().size() - 1;
  HugeVector<Wide> keys(n_columns, Wide{});
  for (std::size_t k = 0; k * n_columns < scale.size(); ++k) {  // as if they were further rows
    const RowKey key(n_rows + k);
    const std::size_t n_outputs = scale.size() / n_columns;
    for (std::size_t j = 0; j < n_columns; ++j)
      if (frequency[j] <= kFew) keys[j] += key.with(scale[j * n_outputs + k]);
  }
  const auto add_rows = [&](auto values) {
    for (std::size_t i = 0; i < n_rows; ++i) {
      const RowKey key(i);
      const auto end = static_cast<std::size_t>(X.indptr()[i + 1]);
      for (auto e = static_cast<std::size_t>(X.indptr()[i]); e < end; ++e) {
        const auto j = static_cast<std::size_t>(X.indices()[e]);
        if (frequency[j] <= kFew) keys[j] += key.with(values[e]);
      }
    }
  };
  std::visit(add_rows, X.values());
  return keys;
}

// For each column the first that is like it; itself if it has more than a few values.
std::vector<std::int32_t> first_alike(const Csr& X, std::span<const std::uint32_t> frequency,
                                      std::span<const double> scale) {
  std::vector<std::int32_t> first(frequency.size());
  std::iota(first.begin(), first.end(), 0);
  const auto n_single = static_cast<double>(std::ranges::count(frequency, 1U));
  if (n_single < kLeastShare * static_cast<double>(X.indices().size())) return first;
  const auto keys = keys_of(X, frequency, scale);
  const std::size_t mask = std::bit_ceil(2 * frequency.size() + 1) - 1;
  HugeVector<std::int32_t> slots(mask + 1, -1);
  for (std::size_t j = 0; j < frequency.size(); ++j) {
    if (frequency[j] > kFew) continue;
    std::size_t at = static_cast<std::size_t>(keys[j] >> 64) & mask;
    while (slots[at] >= 0 && keys[static_cast<std::size_t>(slots[at])] != keys[j])
      at = (at + 1) & mask;
    if (slots[at] < 0) slots[at] = static_cast<std::int32_t>(j);
    first[j] = slots[at];
  }
  return first;
}

}  // namespace

ColumnPlaces places_by_frequency(const Csr& X, bool has_bias, std::span<const double> scale) {
  const auto frequency = frequencies_of(X);
  const auto first = first_alike(X, frequency, scale);
  std::uint32_t most = 0;
  for (const std::uint32_t f : frequency) most = std::max(most, f);
  std::vector<std::int32_t> next(static_cast<std::size_t>(most) + 2);  // by falling frequency
  const auto next_of = [&](std::size_t j) -> std::size_t { return most - frequency[j]; };
  const auto is_first = [&](std::size_t j) { return first[j] == static_cast<std::int32_t>(j); };
  for (std::size_t j = 0; j < first.size(); ++j)
    if (is_first(j)) ++next[next_of(j) + 1];
  next[0] = has_bias;
  std::partial_sum(next.begin(), next.end(), next.begin());
  const auto n_places = static_cast<std::size_t>(next.back());

  ColumnPlaces places;
  places.place.resize(first.size());
  places.column.assign(n_places, 0);
  places.root.assign(n_places, 0);
  if (has_bias) places.root[0] = 1;
  for (std::size_t j = 0; j < first.size(); ++j) {
    const bool is_new = is_first(j);
    places.place[j] =
        is_new ? next[next_of(j)]++ : places.place[static_cast<std::size_t>(first[j])];
    const auto at = static_cast<std::size_t>(places.place[j]);
    if (is_new) places.column[at] = first[j];
    ++places.root[at];
  }
  for (double& root : places.root) root = std::sqrt(root);
  return places;
}

ColumnPlaces places_in_order(std::size_t n_columns, bool has_bias) {
  ColumnPlaces places;
  places.place.resize(n_columns);
  std::iota(places.place.begin(), places.place.end(), std::int32_t{has_bias});
  places.column.resize(n_columns + has_bias);
  std::iota(places.column.begin() + has_bias, places.column.end(), 0);
  places.root.assign(n_columns + has_bias, 1.0);
  return places;
}

}  // namespace wordplane
