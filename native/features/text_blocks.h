// Texts in blocks: what is counted in one block, and how the counts of many are merged, so that
// the distinct n-grams of all texts need never be in memory together. Python side:
// scale/counting.py
//
//   cut_words       the texts of a block as numbers of its words, which are in alphabetical order
//   word_frequency  in how many texts of the block each of them occurs
//   merge_words     the words of several blocks, with the sums of their frequencies
//   count_ngrams    the n-grams of length n of a block, as a run: sorted keys and frequencies
//   merge_ngrams    the n-grams of several runs that occur in min_df texts or more
//   encode_ngrams   the texts of a block as counts of columns
//
// An n-gram occurs in no more texts than its first n-1 words and its last one, so only n-grams of
// kept ones are counted: length after length. The key of an n-gram is the pair (number of its first
// n-1 words among the kept n-grams of that length, number of its last word). Words and n-grams of
// each length are numbered in the order of their keys, which is the alphabetical one.
//
// A frequency is a pair: in the texts that are trained on in a first fit, and in those held out
// from it. All functions depend on their arguments alone.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "common/huge_vector.h"
#include "text/texts.h"
#include "text/token_features.h"
#include "text/tokenizer.h"
#include "text/word_table.h"

namespace wordplane {

// Words in alphabetical order, none twice: word i ends at ends[i] within bytes.
struct WordList {
  std::string_view bytes;
  std::span<const std::int64_t> ends;

  std::size_t size() const { return ends.size(); }
  std::string_view operator[](std::size_t i) const {
    const auto begin = static_cast<std::size_t>(i == 0 ? 0 : ends[i - 1]);
    return bytes.substr(begin, static_cast<std::size_t>(ends[i]) - begin);
  }
  void check() const;  // throws std::invalid_argument
};

struct OwnedWords {
  std::vector<std::uint8_t> bytes;
  std::vector<std::int64_t> ends;

  void add(std::string_view word) {
    bytes.insert(bytes.end(), word.begin(), word.end());
    ends.push_back(static_cast<std::int64_t>(bytes.size()));
  }
};

// Texts as numbers of words, one text after the other; `times` says how often each counts, and is
// empty where that is once.
struct TokensView {
  std::span<const std::int64_t> doc_ends;
  std::span<const std::uint32_t> tokens, times;

  std::size_t n_docs() const { return doc_ends.size(); }
  std::size_t begin(std::size_t doc) const {
    return doc == 0 ? 0 : static_cast<std::size_t>(doc_ends[doc - 1]);
  }
  std::span<const std::uint32_t> of(std::size_t doc) const {
    return tokens.subspan(begin(doc), static_cast<std::size_t>(doc_ends[doc]) - begin(doc));
  }
  void check(std::size_t n_words) const;  // throws std::invalid_argument
};

struct CutTexts {
  OwnedWords words;
  std::vector<std::int64_t> doc_ends;
  std::vector<std::uint32_t> tokens, times;
};
// The texts begin .. end-1; errors name the row, which is first_row for the first of them.
CutTexts cut_words(const Analysis& analysis, const Texts& texts, std::size_t begin, std::size_t end,
                   std::size_t first_row);
// The same for features of single tokens: their names are the words, and each is there once.
CutTexts cut_words(const TokenFeatures& features, const Texts& texts, std::size_t begin,
                   std::size_t end, std::size_t first_row);

using Frequency = std::array<std::uint32_t, 2>;

std::vector<Frequency> word_frequency(const TokensView& texts, std::size_t n_words,
                                      std::span<const bool> held_out);

struct CountedWords {
  WordList words;
  std::span<const Frequency> df;
};
struct MergedWords {
  OwnedWords words;
  std::vector<Frequency> df;
};
// Those that occur in min_df texts or more.
MergedWords merge_words(std::span<const CountedWords> lists, std::uint64_t min_df);

// The numbers of words among those that are kept.
class WordIndex {
 public:
  explicit WordIndex(const WordList& words);
  std::vector<std::uint32_t> find(const WordList& words) const;  // kNone: not among them

 private:
  WordTable table_;
};

// The numbers of n-grams of one length by their keys: four bytes per slot, since the keys
// themselves tell whether a slot is the right one.
class NgramIndex {
 public:
  explicit NgramIndex(std::span<const std::uint64_t> keys);  // that ascend

  std::size_t size() const { return keys_.size(); }
  void prefetch(std::uint64_t key) const { __builtin_prefetch(&slots_[place_of(key) & mask_]); }
  // Once the slot is there: the key that it names.
  void prefetch_key(std::uint64_t key) const {
    const std::uint32_t number = slots_[place_of(key) & mask_];
    if (number != kNone) __builtin_prefetch(&keys_[number]);
  }
  std::uint32_t find(std::uint64_t key) const {
    std::size_t at = place_of(key) & mask_;
    while (slots_[at] != kNone && keys_[slots_[at]] != key) at = (at + 1) & mask_;
    return slots_[at];
  }

 private:
  HugeVector<std::uint64_t> keys_;
  HugeVector<std::uint32_t> slots_;
  std::size_t mask_ = 0;
};

using Levels = std::span<const NgramIndex* const>;  // of n-grams of length 2, 3 ...

using BlockFrequency = std::array<std::uint16_t, 2>;  // a block has fewer than 2^16 texts
struct NgramRun {
  std::vector<std::uint64_t> keys;
  std::vector<BlockFrequency> df;
};
// The n-grams of length levels.size() + 2. word_of: the kept word of each of the block's, or kNone.
NgramRun count_ngrams(const TokensView& texts, std::span<const std::uint32_t> word_of,
                      Levels levels, std::span<const bool> held_out);

struct MergedNgrams {
  std::vector<std::uint64_t> keys;
  std::vector<Frequency> df;
  std::size_t n_distinct = 0;  // before rare ones were left out
};
// The runs lie one after the other and end at run_ends.
MergedNgrams merge_ngrams(std::span<const std::uint64_t> keys, std::span<const BlockFrequency> df,
                          std::span<const std::int64_t> run_ends, std::uint64_t min_df);

struct EncodedRows {
  std::vector<std::int64_t> indptr;
  std::vector<std::int32_t> indices;  // ascending in each row
  std::vector<std::uint32_t> counts;
};
// columns: of the words, then of the n-grams of each level; -1 for none. All are below n_columns.
EncodedRows encode_ngrams(const TokensView& texts, std::span<const std::uint32_t> word_of,
                          Levels levels, const std::vector<std::span<const std::int32_t>>& columns,
                          std::size_t n_columns);

}  // namespace wordplane
