#include "common/hstack.h"

#include <algorithm>
#include <stdexcept>

#include "common/parallel.h"

namespace wordplane {

std::vector<std::int64_t> hstack_indptr(const std::vector<const Csr*>& parts) {
  if (parts.empty()) throw std::invalid_argument("a matrix expected");
  std::int64_t n_cols = 0;
  std::vector<std::int64_t> indptr(static_cast<std::size_t>(parts[0]->n_rows()) + 1);
  for (const Csr* part : parts) {
    n_cols += part->n_cols();
    if (part->n_rows() != parts[0]->n_rows() || n_cols > 0x7FFFFFFF)
      throw std::invalid_argument("matrices of as many rows, with 2^31 columns at most, expected");
    for (std::size_t i = 0; i < indptr.size(); ++i) indptr[i] += part->indptr()[i];
  }
  return indptr;
}

void hstack(const std::vector<const Csr*>& parts, const std::vector<std::int64_t>& indptr,
            std::int32_t* indices, float* values, int threads) {
  constexpr std::size_t kRowsPerJob = 1024;
  const std::size_t n_rows = indptr.size() - 1;
  parallel_for((n_rows + kRowsPerJob - 1) / kRowsPerJob, threads, [&](std::size_t job, int) {
    for (std::size_t i = job * kRowsPerJob; i < std::min((job + 1) * kRowsPerJob, n_rows); ++i) {
      auto at = static_cast<std::size_t>(indptr[i]);
      std::int32_t first = 0;
      for (const Csr* part : parts) {
        std::visit(
            [&](auto v) {
              for (auto e = static_cast<std::size_t>(part->indptr()[i]);
                   e < static_cast<std::size_t>(part->indptr()[i + 1]); ++e, ++at) {
                indices[at] = first + part->indices()[e];
                values[at] = static_cast<float>(v[e]);
              }
            },
            part->values());
        first += static_cast<std::int32_t>(part->n_cols());
      }
    }
  });
}

}  // namespace wordplane
