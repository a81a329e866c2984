#pragma once

#include "common/csr.h"

namespace wordplane {

// scores[i][k] = b[k] + sum_j x[i][j] W[j][k]. W is n_cols x n_outputs, row-major, so that
// one feature touches one row; scores is n_rows x n_outputs.
void linear_scores(const Csr& X, const double* W, const double* b, std::size_t n_outputs,
                   double* scores, int threads);

// G[j][k] += sum_i x[i][j] R[i][k]: the way back of linear_scores. R is n_rows x n_outputs.
void linear_gradient(const Csr& X, const double* R, std::size_t n_outputs, double* G, int threads);

// norms[i] = sum_j x[i][j]^2.
void squared_norms(const Csr& X, double* norms, int threads);

}  // namespace wordplane
