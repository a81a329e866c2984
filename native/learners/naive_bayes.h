#pragma once

#include <cstdint>

#include "common/csr.h"

namespace wordplane {

enum class Power { presence, value, square };  // 1(x != 0), x, x^2

// counts[k][j] += sum of weight[i] x[i][j] over the documents i of class k, or of that power of x.
// counts is n_classes x n_cols, row-major. Every y[i] is in 0 .. n_classes-1.
void add_class_counts(const Csr& X, const std::int32_t* y, const double* weight, double* counts,
                      Power power, int threads);

}  // namespace wordplane
