#pragma once

#include "common/csr.h"

namespace wordplane {

// product[i][k] = sum_j x[i][j] Q[j][k] in the precision of X's values, which Value must be. Q is
// n_cols x n_vectors, row-major; product is n_rows x n_vectors.
template <class Value>
void dense_product(const Csr& X, const Value* Q, std::size_t n_vectors, Value* product,
                   int threads);

}  // namespace wordplane
