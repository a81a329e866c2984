// Documents as counts in a fixed vocabulary.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "text/texts.h"
#include "text/vocabulary.h"

namespace wordplane {

struct Rows {
  std::vector<std::int64_t> indptr;
  std::vector<Count> counts;
};

// The documents begin .. end-1 as rows, ascending columns in each. Every worker reads with a
// reader of its own.
Rows count_features(const std::function<std::unique_ptr<Reader>()>& make_reader, const Texts& texts,
                    std::size_t begin, std::size_t end, int threads);

// How many tokens the documents begin .. end-1 have.
std::vector<double> count_tokens(const Analysis& analysis, const Texts& texts, std::size_t begin,
                                 std::size_t end, int threads);

}  // namespace wordplane
