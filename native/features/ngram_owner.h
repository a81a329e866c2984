// The n-grams that one worker of a Counter numbers and counts: those that begin with its words.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "common/huge_vector.h"
#include "features/counts.h"
#include "text/tokenizer.h"
#include "text/word_table.h"

namespace wordplane {

constexpr std::uint32_t kNgram = 0x80000000;  // tells numbers of n-grams from those of words

struct NgramOwner {
  NgramOwner(const Analysis& analysis, std::size_t number, std::size_t n_owners, Counted& counted)
      : min_n(static_cast<std::size_t>(analysis.min_n)),
        max_n(static_cast<std::size_t>(analysis.max_n)),
        number(number),
        n_owners(n_owners),
        counted(counted) {}

  std::size_t n_lengths() const { return max_n - std::max<std::size_t>(min_n, 2) + 1; }

  // Which of n owners has a word: a share of its number, well mixed, without a division.
  static std::size_t of(std::uint32_t word, std::size_t n) {
    return std::uint64_t{word * 0x9E3779B9u} * n >> 32;
  }
  bool owns(std::uint32_t word) const { return of(word, n_owners) == number; }

  void read(std::size_t doc, std::span<const std::uint32_t> words);
  // Sorts the n-grams, once all are known; then gives them positions behind their first words.
  void order(const std::vector<std::uint32_t>& rank_of_word);
  void place(const std::vector<std::uint32_t>& word_position);

  std::size_t min_n, max_n;
  std::size_t number, n_owners;
  PairTable ngrams;
  Counted& counted;  // n-grams
  std::vector<std::uint32_t> nodes, starts;

  // After order(): the n-grams of each length, from 2, in alphabetical order; of each n-gram
  // the number of n-grams that begin with it, itself among them; and of each word.
  struct Ngram {
    std::uint32_t first, id;
  };
  std::vector<HugeVector<Ngram>> by_length;
  HugeVector<std::uint32_t> extensions, word_extensions;
  // The same of an n-gram of length l + 2: the longest have none but themselves.
  std::uint32_t extends(std::size_t l, std::uint32_t id) const {
    return l + 1 == by_length.size() ? 1 : extensions[id];
  }
};

}  // namespace wordplane
