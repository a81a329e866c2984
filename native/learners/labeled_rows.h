// What a learner learns from: rows with their classes and weights, checked once when made, never
// changed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "common/csr.h"

namespace wordplane {

struct LabeledRows {
  // y: the class of each row, in 0 .. n_classes-1. weight: what each row counts, finite and not
  // negative. `owner` keeps both alive. Throws std::invalid_argument.
  LabeledRows(const Csr& X, std::span<const std::int32_t> y, std::span<const double> weight,
              std::size_t n_classes, std::shared_ptr<const void> owner);

  // Vectors of weights: two classes share one, that of class 1.
  std::size_t n_outputs() const { return n_classes > 2 ? n_classes : 1; }

  const Csr X;
  const std::span<const std::int32_t> y;
  const std::span<const double> weight;
  const std::size_t n_classes;
  const std::shared_ptr<const void> owner;
};

}  // namespace wordplane
