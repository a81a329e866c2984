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

// Of a column: how many values it has, and a number that only columns which are alike share, but
// for a chance of 2^-128: a sum over its values of products that depend on the row and the value.
struct Content {
  Wide key = 0;
  std::uint32_t frequency = 0;
};

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

HugeVector<Content> contents_of(const Csr& X, std::span<const double> scale) {
  const auto n_columns = static_cast<std::size_t>(X.n_cols()), n_rows = X.indptr().size() - 1;
  HugeVector<Content> contents(n_columns, Content());
  for (std::size_t k = 0; k * n_columns < scale.size(); ++k) {  // as if they were further rows
    const RowKey key(n_rows + k);
    const std::size_t n_outputs = scale.size() / n_columns;
    for (std::size_t j = 0; j < n_columns; ++j)
      contents[j].key += key.with(scale[j * n_outputs + k]);
  }
  const auto add_rows = [&](auto values) {
    for (std::size_t i = 0; i < n_rows; ++i) {
      const RowKey key(i);
      const auto end = static_cast<std::size_t>(X.indptr()[i + 1]);
      for (auto e = static_cast<std::size_t>(X.indptr()[i]); e < end; ++e) {
        Content& content = contents[static_cast<std::size_t>(X.indices()[e])];
        content.key += key.with(values[e]);
        ++content.frequency;
      }
    }
  };
  std::visit(add_rows, X.values());
  return contents;
}

// For each column the first that is like it.
std::vector<std::int32_t> first_alike(std::span<const Content> contents) {
  const std::size_t mask = std::bit_ceil(2 * contents.size() + 1) - 1;
  HugeVector<std::int32_t> slots(mask + 1, -1);
  std::vector<std::int32_t> first(contents.size());
  for (std::size_t j = 0; j < contents.size(); ++j) {
    std::size_t at = static_cast<std::size_t>(contents[j].key >> 64) & mask;
    while (slots[at] >= 0 && contents[static_cast<std::size_t>(slots[at])].key != contents[j].key)
      at = (at + 1) & mask;
    if (slots[at] < 0) slots[at] = static_cast<std::int32_t>(j);
    first[j] = slots[at];
  }
  return first;
}

}  // namespace

ColumnPlaces places_by_frequency(const Csr& X, bool has_bias, std::span<const double> scale) {
  const auto contents = contents_of(X, scale);
  const auto first = first_alike(contents);
  std::uint32_t most = 0;
  for (const Content& content : contents) most = std::max(most, content.frequency);
  std::vector<std::int32_t> next(static_cast<std::size_t>(most) + 2);  // by falling frequency
  const auto next_of = [&](std::size_t j) -> std::size_t { return most - contents[j].frequency; };
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
