#pragma once

#include <cstdint>
#include <vector>

#include "common/csr.h"

namespace wordplane {

// Matrices of as many rows, side by side: row pointers, then columns and values.
std::vector<std::int64_t> hstack_indptr(const std::vector<const Csr*>& parts);
void hstack(const std::vector<const Csr*>& parts, const std::vector<std::int64_t>& indptr,
            std::int32_t* indices, float* values, int threads);

}  // namespace wordplane
