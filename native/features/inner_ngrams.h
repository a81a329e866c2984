// n-grams of characters inside words.
//
// What a word adds to a document does not depend on the document: the n-grams of every distinct
// word are found once, and documents are counted by adding up those of their words. n-grams have
// numbers in order of appearance: if the frequent words come first, so do the frequent n-grams,
// and the counts that are touched all the time stand together in memory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "text/vocabulary.h"

namespace wordplane {

using Words = std::vector<std::string_view>;

// The n-grams of each word, by number, as often as they occur in it; the column of each n-gram.
struct Lists {
  std::vector<std::int64_t> indptr{0};
  std::vector<std::int32_t> ngrams, columns;
};

struct InnerNgrams {
  std::vector<std::string> names;  // of the columns, in alphabetical order
  Lists lists;
};

// The n-grams of every word, a blank before and after the word belonging to it. A
// word with its blanks that is no longer than n counts once, as a whole, for the smallest such n.
InnerNgrams inner_ngrams(const Words& words, int min_n, int max_n);

// The same for n-grams that have columns in `known`; others are left out.
Lists known_inner_ngrams(const Words& words, int min_n, int max_n, const Vocabulary& known);

// Views of documents as counts of words, and of the lists. The caller has checked them.
struct WordCounts {
  std::span<const std::int64_t> indptr;
  std::span<const std::int32_t> words;
  std::span<const std::int64_t> counts;

  std::size_t n_docs() const { return indptr.size() - 1; }
};
struct ListsView {
  std::span<const std::int64_t> indptr;
  std::span<const std::int32_t> ngrams, columns;
};

// Row pointers of the matrix documents x columns, and by n-gram in how many documents it occurs.
std::vector<std::int64_t> inner_indptr(const WordCounts& documents, const ListsView& lists,
                                       int threads);
std::vector<std::int64_t> inner_frequency(const WordCounts& documents, const ListsView& lists,
                                          int threads);

// The matrix itself, ascending columns in each row.
template <class Value>
void inner_fill(const WordCounts& documents, const ListsView& lists,
                std::span<const std::int64_t> indptr, std::int32_t* indices, Value* values,
                int threads);

}  // namespace wordplane
