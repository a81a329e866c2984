// A fitted vocabulary: which words and n-grams are features, and their columns.
//
// An n-gram is the pair (node of its first n-1 words, last word). Words are the nodes
// 0 .. n_words-1; n-grams follow, each after the node it extends. A node without a
// column is there only because a feature runs through it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "text/texts.h"
#include "text/tokenizer.h"
#include "text/word_table.h"

namespace wordplane {

// What the name of a feature is made of.
enum class Parts {
  words,  // words joined by single spaces
  chars,  // characters, joined by nothing
  whole,  // one part: no n-grams
};

class Vocabulary {
 public:
  // Checks everything, since the arrays may come from a stranger's file; throws
  // std::invalid_argument. `word_ends` are ends within `bytes`; `columns` has one entry
  // per node, -1 for none, and uses each of 0 .. n_features-1 exactly once.
  Vocabulary(std::string_view bytes, std::span<const std::int64_t> word_ends,
             std::span<const std::uint32_t> firsts, std::span<const std::uint32_t> lasts,
             std::span<const std::int32_t> columns, Parts parts = Parts::words);

  // The vocabulary whose columns are named so.
  static Vocabulary from_names(const std::vector<std::string>& names, Parts parts);

  // The same with the flagged columns only, which are numbered in their order.
  Vocabulary select(std::span<const bool> keep) const;

  std::size_t n_words() const { return words_.size(); }
  std::size_t n_ngrams() const { return ngrams_.size(); }
  std::size_t n_features() const { return node_of_.size(); }
  const WordTable& words() const { return words_; }
  const PairTable& ngrams() const { return ngrams_; }
  std::int32_t column(std::uint32_t node) const { return columns_[node]; }
  // The column of a word, kNone if it has none.
  std::uint32_t column_of(std::string_view word) const {
    return static_cast<std::uint32_t>(column_in(words_.find(word, WordTable::key_of(word))));
  }

  Parts parts() const { return parts_; }
  std::string name(std::size_t column) const;

  // How many words the longest n-gram has, and how many bytes all names have together: a few
  // bytes of a file can describe long chains of long words.
  struct Extent {
    std::size_t longest = 0, name_bytes = 0;
  };
  Extent extent() const;

  // Memory that is kept from one document to the next.
  struct Scratch {
    std::vector<WordKey> word_keys;
    std::vector<std::uint32_t> words, starts, nodes;
    std::vector<std::uint64_t> keys;
  };
  // Calls found(column, i, n) for every feature in the words of a WordReader: the n-gram of
  // words i .. i+n-1.
  template <class Found>
  void find(const std::vector<std::string_view>& words, int min_n, int max_n, Scratch& scratch,
            Found&& found) const;

 private:
  Vocabulary() = default;

  // The slots of both tables are marked with the column, -1 for none.
  template <class Slot>
  static std::int32_t column_in(const Slot& slot) {
    return slot.id == kNone ? -1 : static_cast<std::int32_t>(slot.mark);
  }

  Parts parts_ = Parts::words;
  WordTable words_;
  PairTable ngrams_;
  std::vector<std::int32_t> columns_;   // by node
  std::vector<std::uint32_t> node_of_;  // by column
};

struct Count {
  std::int32_t column;
  std::uint32_t count;
};

struct Occurrence {
  std::int32_t column;
  std::uint32_t count;
  Span span;         // bytes of the text
  std::string name;  // of the feature, where its column has none of its own
};

// Reads documents, one after another, as counts of features.
class Reader {
 public:
  virtual ~Reader() = default;

  // The features of `text`, each once, a group of them after the other; good until the next read.
  virtual const std::vector<Count>& read(std::string_view text) = 0;

  // The same; errors name the row.
  const std::vector<Count>& read_document(const Texts& texts, std::size_t row) {
    return naming_row(row, [&]() -> const std::vector<Count>& { return read(texts[row]); });
  }

  // Every occurrence of every feature and where it stands.
  virtual std::vector<Occurrence> trace(std::string_view text) = 0;
};

// The words and n-grams of a vocabulary.
class NgramReader final : public Reader {
 public:
  NgramReader(const Analysis& analysis, const Vocabulary& vocabulary)
      : analysis_(analysis), vocabulary_(vocabulary), words_(analysis) {}

  const std::vector<Count>& read(std::string_view text) override;
  std::vector<Occurrence> trace(std::string_view text) override;

 private:
  template <class Found>
  void find(Found&& found) {
    vocabulary_.find(words_.words(), analysis_.min_n, analysis_.max_n, scratch_, found);
  }

  Analysis analysis_;
  const Vocabulary& vocabulary_;
  WordReader words_;
  Vocabulary::Scratch scratch_;
  std::vector<Count> occurrences_, counts_;
  std::vector<std::uint32_t> entry_of_;  // a hash table by column: its place in counts_, from 1
};

template <class Found>
void Vocabulary::find(const std::vector<std::string_view>& words, int min_n, int max_n,
                      Scratch& scratch, Found&& found) const {
  constexpr std::size_t kAhead = 12;
  auto& [word_keys, ids, starts, nodes, keys] = scratch;
  const std::size_t n_words = words.size();
  word_keys.resize(n_words);
  ids.resize(n_words);
  starts.resize(n_words);
  nodes.resize(n_words);
  keys.resize(n_words);
  for (std::size_t i = 0; i < n_words; ++i) {
    word_keys[i] = WordTable::key_of_padded(words[i]);
    words_.prefetch(word_keys[i]);
  }
  std::size_t n_starts = 0;  // where a known n-gram begins, and its node
  for (std::size_t i = 0; i < n_words; ++i) {
    const auto& slot = words_.find(words[i], word_keys[i]);
    ids[i] = slot.id;
    starts[n_starts] = static_cast<std::uint32_t>(i);
    nodes[n_starts] = slot.id;
    n_starts += slot.id != kNone;
    if (min_n == 1 && column_in(slot) >= 0) found(column_in(slot), i, std::size_t{1});
  }
  const auto base = static_cast<std::uint32_t>(this->n_words());
  for (std::size_t n = 2; n <= static_cast<std::size_t>(max_n) && n <= n_words; ++n) {
    std::size_t n_keys = 0;  // of n-grams that begin with a known one and end with a known word
    for (std::size_t s = 0; s < n_starts && starts[s] + n <= n_words; ++s) {
      const std::uint32_t last = ids[starts[s] + n - 1];
      starts[n_keys] = starts[s];
      keys[n_keys] = PairTable::key_of(nodes[s], last);
      n_keys += last != kNone;
    }
    n_starts = 0;
    for (std::size_t s = 0; s < std::min(kAhead, n_keys); ++s) ngrams_.prefetch(keys[s]);
    for (std::size_t s = 0; s < n_keys; ++s) {
      if (s + kAhead < n_keys) ngrams_.prefetch(keys[s + kAhead]);
      const auto& slot = ngrams_.find(keys[s]);
      const std::size_t i = starts[s];
      starts[n_starts] = static_cast<std::uint32_t>(i);
      nodes[n_starts] = base + slot.id;
      n_starts += slot.id != kNone;
      if (n >= static_cast<std::size_t>(min_n) && column_in(slot) >= 0)
        found(column_in(slot), i, n);
    }
  }
}

}  // namespace wordplane
