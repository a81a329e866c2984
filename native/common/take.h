#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/csr.h"

namespace wordplane {

// Some rows of X, in the order given, with its columns renumbered: column_of[j], ascending, or -1
// for a column that is left out. Row pointers first, then columns and values.
std::vector<std::int64_t> take_indptr(const Csr& X, std::span<const std::int64_t> rows,
                                      std::span<const std::int32_t> column_of, int threads);
void take(const Csr& X, std::span<const std::int64_t> rows, std::span<const std::int32_t> column_of,
          std::span<const std::int64_t> indptr, std::int32_t* indices, float* values, int threads);

}  // namespace wordplane
