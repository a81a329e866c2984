// n-grams of characters inside words.
//
// What a word adds to a document does not depend on the document: the n-grams of every distinct
// word are found once, as the rows of a matrix A (words x n-grams), and documents are counted as
// the product of their word counts with A.
#pragma once

#include <cstdint>
#include <vector>

#include "vocabulary.h"

namespace wordplane {

struct CountMatrix {
  std::vector<std::int64_t> indptr{0};
  std::vector<std::int32_t> indices;  // ascending in each row
  std::vector<std::int64_t> values;
};

struct InnerNgrams {
  std::vector<std::string> names;  // of the columns, in alphabetical order
  CountMatrix A;
};

// The n-grams of every word (by column, all of one part), a blank before and after the word
// belonging to it. A word with its blanks that is shorter than n counts once, for the smallest
// such n, as a whole.
InnerNgrams inner_ngrams(const Vocabulary& words, int min_n, int max_n);

// The same for n-grams that are known: columns are those of `known`, others are left out.
CountMatrix known_inner_ngrams(const Vocabulary& words, int min_n, int max_n,
                               const Vocabulary& known);

}  // namespace wordplane
