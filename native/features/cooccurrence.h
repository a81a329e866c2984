// How often words occur together. Python side: features/cooccurrence.py
//
//   in windows    c[i][j] = number of pairs of places p != q of one document, at most `window`
//                 tokens apart, with word i at p and word j at q
//   in units      the same for all places of one document or one sentence, at any distance
//
// The matrix is symmetric: only c[i][j] with i <= j are counted. One worker counts a row, over all
// documents, in an array of its own: nothing is shared or merged, and the result does not depend
// on the number of threads.
// A sentence ends after a token . ! ? or its like.
#pragma once

#include <cstdint>
#include <vector>

#include "features/transform.h"
#include "text/vocabulary.h"

namespace wordplane {

// Compressed rows with ascending columns.
struct PairCounts {
  std::vector<std::int64_t> indptr;
  std::vector<std::int32_t> indices;
  std::vector<std::int64_t> values;
};

PairCounts count_in_windows(const Analysis& analysis, const Vocabulary& words, const Texts& texts,
                            std::size_t begin, std::size_t end, std::size_t window, int threads);

PairCounts count_in_sentences(const Analysis& analysis, const Vocabulary& words, const Texts& texts,
                              std::size_t begin, std::size_t end, int threads);

// The units are the rows of X, counts of words whose columns ascend: c = X'X, less the pairs of a
// place with itself.
PairCounts count_in_units(const Rows& units, std::size_t n_words, int threads);

}  // namespace wordplane
