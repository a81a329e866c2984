// A matrix for solvers that meet its rows over and over: eight bytes per stored value (column
// and float lie together), columns renumbered as their weights lie (ColumnPlaces), and a constant
// feature that carries the bias.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/column_places.h"
#include "common/csr.h"
#include "common/huge_vector.h"
#include "common/prefetch.h"

namespace wordplane {

struct Cell {
  std::int32_t column;  // as renumbered
  float value;
};

class PackedRows {
 public:
  // bias > 0 puts a feature of that value into every row; 0 means none. scale: empty, or what the
  // values of each column are multiplied by. Values are rounded to float; throws
  // std::invalid_argument for one that float cannot hold.
  PackedRows(const Csr& X, const ColumnPlaces& places, float bias, int threads,
             std::span<const double> scale = {});

  // The same with every column in a place of its own, in order.
  PackedRows(const Csr& X, float bias, int threads, std::span<const double> scale);

  // What was packed before: where rows begin, and the end; cells; squared norms. Throws
  // std::invalid_argument unless they fit together.
  PackedRows(float bias, std::size_t n_features, std::span<const std::int64_t> begin,
             std::span<const Cell> cells, std::span<const double> squared_norm);

  std::span<const std::size_t> begins() const { return begin_; }
  std::span<const Cell> cells() const { return {cells_.data(), cells_.size()}; }
  std::span<const double> squared_norms() const { return squared_norm_; }

  std::size_t n_rows() const { return begin_.size() - 1; }
  std::size_t n_features() const { return n_features_; }  // places, with that of the bias
  std::span<const Cell> row(std::size_t i) const {
    return {cells_.data() + begin_[i], cells_.data() + begin_[i + 1]};
  }
  void prefetch(std::size_t i) const {
    prefetch_row(cells_.data() + begin_[i], begin_[i + 1] - begin_[i]);
  }
  double squared_norm(std::size_t i) const { return squared_norm_[i]; }  // without the bias

  float bias() const { return bias_; }

 private:
  // The cells of rows, by where the weight of a column is and what its values are multiplied by.
  template <class Place, class Factor>
  void pack(const Csr& X, int threads, Place place, Factor factor);

  float bias_;
  std::size_t n_features_;
  std::vector<std::size_t> begin_;
  HugeVector<Cell> cells_;
  std::vector<double> squared_norm_;
};

}  // namespace wordplane
