// What the bindings of learners ask of their arguments.
#pragma once

#include "bindings.h"
#include "learners/labeled_rows.h"

namespace wordplane {

inline void require_labels(std::span<const std::int32_t> y, std::size_t n_classes) {
  for (const std::int32_t k : y)
    require(k >= 0 && static_cast<std::size_t>(k) < n_classes, "a label out of range");
}

inline void require_rows(std::span<const std::int32_t> rows, std::size_t n_rows) {
  for (const std::int32_t i : rows)
    require(i >= 0 && static_cast<std::size_t>(i) < n_rows, "a row out of range");
}

template <class Value>
void require_shape(const Array2<Value>& table, std::size_t n_rows, std::size_t n_columns,
                   const char* what) {
  if (table.shape(0) != n_rows || table.shape(1) != n_columns)
    throw std::invalid_argument(std::string(what) + " of shape (" + std::to_string(table.shape(0)) +
                                ", " + std::to_string(table.shape(1)) + "), expected (" +
                                std::to_string(n_rows) + ", " + std::to_string(n_columns) + ")");
}

}  // namespace wordplane
