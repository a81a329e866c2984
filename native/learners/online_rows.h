// What the online learners learn from.
#pragma once

#include <mutex>
#include <vector>

#include "learners/labeled_rows.h"

namespace wordplane {

// Weights are (n_features + 1) x n_outputs, row-major, so that one word touches one row; the last
// row is that of the bias. With two classes the vectors are always each other's negative, and
// one output is kept: that of class 1.
class OnlineRows : public LabeledRows {
 public:
  // bias: the value of a feature that all rows have; 0 means no bias.
  OnlineRows(const LabeledRows& rows, double bias) : LabeledRows(rows), bias(bias) {}

  // The entry of X at which the second half of each row begins. The halves meet at one column, with
  // about as many values of X on either side. If the columns of a row do not ascend, all of X
  // belongs to the first half. Found when first asked for.
  std::span<const std::int64_t> middle() const;

  const double bias;

 private:
  mutable std::once_flag found_;
  mutable std::vector<std::int64_t> middle_;
};

}  // namespace wordplane
