#include "common/packed_rows.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "common/parallel.h"

namespace wordplane {
namespace {

// place[j] = first + the rank of column j by falling frequency, ties by column.
std::vector<std::int32_t> places_by_frequency(const Csr& X, std::int32_t first) {
  const auto n_cols = static_cast<std::size_t>(X.n_cols());
  std::vector<std::int32_t> place(n_cols);
  std::vector<std::uint32_t> frequency(n_cols);  // half the memory to meet at random
  for (const std::int32_t j : X.indices()) ++frequency[static_cast<std::size_t>(j)];
  std::uint32_t most = 0;
  for (const std::uint32_t f : frequency) most = std::max(most, f);
  std::vector<std::int32_t> next(static_cast<std::size_t>(most) + 2);
  for (const std::uint32_t f : frequency) ++next[static_cast<std::size_t>(most - f) + 1];
  next[0] = first;
  for (std::size_t f = 1; f < next.size(); ++f) next[f] += next[f - 1];
  for (std::size_t j = 0; j < n_cols; ++j)
    place[j] = next[static_cast<std::size_t>(most - frequency[j])]++;
  return place;
}

}  // namespace

PackedRows::PackedRows(const Csr& X, float bias, int threads, std::span<const double> scale,
                       bool renumber)
    : bias_(bias),
      n_features_(static_cast<std::size_t>(X.n_cols()) + (bias > 0)),
      place_(renumber ? places_by_frequency(X, bias > 0) : std::vector<std::int32_t>()),
      begin_(X.indptr().begin(), X.indptr().end()),
      squared_norm_(static_cast<std::size_t>(X.n_rows())) {
  constexpr std::size_t kRowsPerJob = 512;
  const std::size_t n_rows = squared_norm_.size();
  const auto indptr = X.indptr();
  const auto* indices = X.indices().data();
  for (std::size_t i = 0; bias > 0 && i <= n_rows; ++i) begin_[i] += i;
  cells_.resize(begin_.back());
  const auto pack = [&](std::size_t i, auto values) {
    Cell* cell = cells_.data() + begin_[i];
    double norm = 0;
    if (bias > 0) *cell++ = {0, bias};
    for (auto e = static_cast<std::size_t>(indptr[i]); e < static_cast<std::size_t>(indptr[i + 1]);
         ++e) {
      const auto j = static_cast<std::size_t>(indices[e]);
      const auto x = static_cast<float>(scale.empty() ? static_cast<double>(values[e])
                                                      : static_cast<double>(values[e]) * scale[j]);
      norm += static_cast<double>(x) * x;
      *cell++ = {renumber ? place_[j] : indices[e] + (bias > 0), x};
    }
    // What is too large for a float became infinite, and with it the norm.
    if (!std::isfinite(norm))
      throw std::invalid_argument("X has a value above 3e38, too large for single precision");
    squared_norm_[i] = norm;
  };
  std::visit(
      [&](auto values) {
        parallel_for((n_rows + kRowsPerJob - 1) / kRowsPerJob, threads, [&](std::size_t job, int) {
          for (std::size_t i = job * kRowsPerJob; i < std::min((job + 1) * kRowsPerJob, n_rows);
               ++i)
            pack(i, values);
        });
      },
      X.values());
}

PackedRows::PackedRows(float bias, std::size_t n_features, std::span<const std::int64_t> begin,
                       std::span<const Cell> cells, std::span<const double> squared_norm)
    : bias_(bias),
      n_features_(n_features),
      begin_(begin.begin(), begin.end()),
      cells_(cells.size()),
      squared_norm_(squared_norm.begin(), squared_norm.end()) {
  std::uint32_t most = 0;
  for (const Cell cell : cells) most = std::max(most, static_cast<std::uint32_t>(cell.column));
  const std::int64_t least = bias > 0;  // cells of a row
  bool fit = begin.size() == squared_norm.size() + 1 && begin[0] == 0 &&
             begin_.back() == cells.size() && (cells.empty() || most < n_features);
  // From 0 on, so that no difference overflows.
  for (std::size_t i = 1; fit && i < begin.size(); ++i)
    fit = begin[i] >= begin[i - 1] && begin[i] - begin[i - 1] >= least;
  if (!fit) throw std::invalid_argument("the packed rows are damaged");
  std::copy(cells.begin(), cells.end(), cells_.begin());
}

}  // namespace wordplane
