// n-grams of characters inside words.
//
// What a word adds to a document does not depend on the document: the n-grams of every distinct
// word are found once, and documents are counted by adding up those of their words.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vocabulary.h"

namespace wordplane {

// The n-grams of each word, by number, as often as they occur in it.
struct Lists {
  std::vector<std::int64_t> indptr{0};
  std::vector<std::int32_t> ngrams;
};

struct InnerNgrams {
  std::vector<std::string> names;  // of the n-grams, in alphabetical order
  Lists lists;
};

// The n-grams of every word (by column), a blank before and after the word belonging to it. A
// word with its blanks that is no longer than n counts once, as a whole, for the smallest such n.
InnerNgrams inner_ngrams(const Vocabulary& words, int min_n, int max_n);

// The same for n-grams that are known: numbers are the columns of `known`, others are left out.
Lists known_inner_ngrams(const Vocabulary& words, int min_n, int max_n, const Vocabulary& known);

// Views of documents as counts of words, and of the lists. The caller has checked them.
struct WordCounts {
  std::span<const std::int64_t> indptr;
  std::span<const std::int32_t> words;
  std::span<const std::int64_t> counts;

  std::size_t n_docs() const { return indptr.size() - 1; }
};
struct ListsView {
  std::span<const std::int64_t> indptr;
  std::span<const std::int32_t> ngrams;
};

// Row pointers of the matrix documents x n-grams, and by n-gram in how many documents it occurs.
std::vector<std::int64_t> inner_indptr(const WordCounts& documents, const ListsView& lists,
                                       std::size_t n_ngrams, int threads);
std::vector<std::int64_t> inner_frequency(const WordCounts& documents, const ListsView& lists,
                                          std::size_t n_ngrams, int threads);

// The matrix itself, ascending columns in each row.
template <class Value>
void inner_fill(const WordCounts& documents, const ListsView& lists, std::size_t n_ngrams,
                std::span<const std::int64_t> indptr, std::int32_t* indices, Value* values,
                int threads);

}  // namespace wordplane
