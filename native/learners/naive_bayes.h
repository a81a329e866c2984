#pragma once

#include <cstdint>

#include "common/csr.h"

namespace wordplane {

// counts[k][j] += sum of weight[i] x[i][j] over the documents i of class k.
// counts is n_classes x n_cols, row-major. Every y[i] is in 0 .. n_classes-1.
void add_class_counts(const Csr& X, const std::int32_t* y, const double* weight, double* counts,
                      int threads);

// The same of 1(x != 0), and of x^2.
void add_class_presences(const Csr& X, const std::int32_t* y, const double* weight, double* counts,
                         int threads);
void add_class_squares(const Csr& X, const std::int32_t* y, const double* weight, double* counts,
                       int threads);

}  // namespace wordplane
