#include "common/packed_rows.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "common/parallel.h"

namespace wordplane {
PackedRows::PackedRows(const Csr& X, const ColumnPlaces& places, float bias, int threads,
                       std::span<const double> scale)
    : bias_(bias),
      n_features_(places.size()),
      begin_(X.indptr().size()),
      squared_norm_(begin_.size() - 1) {
  const auto place = [&](std::size_t j) { return places.place[j]; };
  if (places.size() == places.place.size() + (bias > 0)) {  // no columns are alike
    pack(X, threads, place, [=](std::size_t j) { return scale.empty() ? 1.0 : scale[j]; });
    return;
  }
  // What the values of each column are multiplied by: 0 if another one stands for it.
  std::vector<double> factor(places.place.size());
  for (std::size_t j = 0; j < factor.size(); ++j) {
    const auto at = static_cast<std::size_t>(places.place[j]);
    if (places.column[at] == static_cast<std::int32_t>(j))
      factor[j] = places.root[at] * (scale.empty() ? 1.0 : scale[j]);
  }
  pack(X, threads, place, [&](std::size_t j) { return factor[j]; });
}

PackedRows::PackedRows(const Csr& X, float bias, int threads, std::span<const double> scale)
    : bias_(bias),
      n_features_(static_cast<std::size_t>(X.n_cols()) + (bias > 0)),
      begin_(X.indptr().size()),
      squared_norm_(begin_.size() - 1) {
  const std::int32_t first = bias > 0;
  pack(
      X, threads, [=](std::size_t j) { return static_cast<std::int32_t>(j) + first; },
      [=](std::size_t j) { return scale.empty() ? 1.0 : scale[j]; });
}

template <class Place, class Factor>
void PackedRows::pack(const Csr& X, int threads, Place place, Factor factor) {
  constexpr std::size_t kRowsPerJob = 512;
  const auto for_rows = [&](auto&& use) {
    parallel_for((n_rows() + kRowsPerJob - 1) / kRowsPerJob, threads, [&](std::size_t job, int) {
      for (std::size_t i = job * kRowsPerJob; i < std::min((job + 1) * kRowsPerJob, n_rows()); ++i)
        use(i, static_cast<std::size_t>(X.indptr()[i]),
            static_cast<std::size_t>(X.indptr()[i + 1]));
    });
  };
  const auto column = [&](std::size_t e) { return static_cast<std::size_t>(X.indices()[e]); };
  for_rows([&](std::size_t i, std::size_t begin, std::size_t end) {
    begin_[i + 1] = bias_ > 0;
    for (std::size_t e = begin; e < end; ++e) begin_[i + 1] += factor(column(e)) != 0;
  });
  for (std::size_t i = 0; i < n_rows(); ++i) begin_[i + 1] += begin_[i];
  cells_.resize(begin_.back());
  const auto fill = [&](auto values) {
    for_rows([&](std::size_t i, std::size_t begin, std::size_t end) {
      Cell* cell = cells_.data() + begin_[i];
      double norm = 0;
      if (bias_ > 0) *cell++ = {0, bias_};
      for (std::size_t e = begin; e < end; ++e) {
        const double times = factor(column(e));
        if (times == 0) continue;
        const auto x = static_cast<float>(values[e] * times);
        norm += static_cast<double>(x) * x;
        *cell++ = {place(column(e)), x};
      }
      // What is too large for a float became infinite, and with it the norm.
      if (!std::isfinite(norm))
        throw std::invalid_argument("X has a value above 3e38, too large for single precision");
      squared_norm_[i] = norm;
    });
  };
  std::visit(fill, X.values());
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
