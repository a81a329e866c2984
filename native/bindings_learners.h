// What the bindings of learners ask of their arguments.
#pragma once

#include "bindings.h"
#include "common/csr.h"

namespace wordplane {

inline void require_labels(Array1<const std::int32_t> y, const Csr& X, std::size_t n_classes) {
  require_size(y.size(), static_cast<std::size_t>(X.n_rows()), "labels");
  for (const std::int32_t k : as_span(y))
    if (k < 0 || static_cast<std::size_t>(k) >= n_classes)
      throw std::invalid_argument("a label out of range");
}

inline void require_rows(Array1<const std::int32_t> rows, std::size_t n_rows) {
  for (const std::int32_t i : as_span(rows))
    if (i < 0 || static_cast<std::size_t>(i) >= n_rows)
      throw std::invalid_argument("a row out of range");
}

}  // namespace wordplane
