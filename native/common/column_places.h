// Where solvers keep the weights of columns: those of frequent columns side by side, so that they
// share cache lines, and those of columns that are alike in one place.
//
// Columns are alike if they have the same values in the same rows, as have all the character
// n-grams of a word that occurs in one text. Under a penalty of squares their weights are equal,
// so m such columns x are one column sqrt(m) x: where their weights are w, its weight is
// sqrt(m) w, of the same score and the same norm. Three columns of four may go that way. Columns
// with more than a few values have places of their own.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/csr.h"

namespace wordplane {

struct ColumnPlaces {
  std::vector<std::int32_t> place;   // of each column
  std::vector<std::int32_t> column;  // of each place: the first of the columns that are alike
  std::vector<double> root;          // of each place: the square root of how many they are

  std::size_t size() const { return root.size(); }

  // The weight of a column, given that of its place.
  double weight(std::size_t j, double of_place) const {
    return of_place / root[static_cast<std::size_t>(place[j])];
  }
};

// By falling frequency, ties by column, after that of a bias if there is one. Columns whose rows of
// `scale` differ (n_columns x anything, or empty) are not alike.
ColumnPlaces places_by_frequency(const Csr& X, bool has_bias, std::span<const double> scale = {});

// Every column has a place of its own, in order.
ColumnPlaces places_in_order(std::size_t n_columns, bool has_bias);

}  // namespace wordplane
