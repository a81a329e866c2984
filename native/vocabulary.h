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

#include "texts.h"
#include "tokenizer.h"
#include "word_table.h"

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

  std::size_t n_words() const { return words_.size(); }
  std::size_t n_ngrams() const { return ngrams_.size(); }
  std::size_t n_features() const { return node_of_.size(); }
  const WordTable& words() const { return words_; }
  const PairTable& ngrams() const { return ngrams_; }
  std::int32_t column(std::uint32_t node) const { return columns_[node]; }

  Parts parts() const { return parts_; }
  std::string name(std::size_t column) const;

  // Calls found(column, i, n) for every feature in a document's words: the n-gram of
  // words i .. i+n-1. `nodes` is scratch memory.
  template <class Found>
  void find(const std::vector<std::string_view>& words, int min_n, int max_n,
            std::vector<std::uint32_t>& nodes, std::vector<std::uint32_t>& last,
            Found&& found) const;

 private:
  Vocabulary() = default;

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
  Span span;  // bytes of the text
};

// Reads documents, one after another, as counts of features.
class Reader {
 public:
  virtual ~Reader() = default;

  // The features of `text`, by ascending column; good until the next read.
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
  std::vector<Occurrence> trace(std::string_view text) override;  // not for Tokens::pattern, white

 private:
  template <class Found>
  void find(Found&& found) {
    vocabulary_.find(words_.words(), analysis_.min_n, analysis_.max_n, nodes_, last_, found);
  }

  Analysis analysis_;
  const Vocabulary& vocabulary_;
  WordReader words_;
  std::vector<std::uint32_t> nodes_, last_;
  std::vector<std::uint64_t> keys_;
  std::vector<Count> counts_;
};

template <class Found>
void Vocabulary::find(const std::vector<std::string_view>& words, int min_n, int max_n,
                      std::vector<std::uint32_t>& nodes, std::vector<std::uint32_t>& last,
                      Found&& found) const {
  constexpr std::size_t kAhead = 8;
  const std::size_t n_words = words.size();
  nodes.resize(n_words);
  last.resize(n_words);
  const auto report = [&](std::size_t i, std::size_t n) {
    if (nodes[i] != kNone && columns_[nodes[i]] >= 0) found(columns_[nodes[i]], i, n);
  };
  for (std::size_t i = 0; i < n_words; ++i) {
    nodes[i] = last[i] = words_.find(words[i]);
    if (min_n == 1) report(i, 1);
  }
  const auto base = static_cast<std::uint32_t>(this->n_words());
  for (std::size_t n = 2; n <= static_cast<std::size_t>(max_n) && n <= n_words; ++n) {
    for (std::size_t i = 0; i + n <= n_words; ++i) {
      if (i + n + kAhead <= n_words)
        ngrams_.prefetch(PairTable::key_of(nodes[i + kAhead], last[i + kAhead + n - 1]));
      const std::uint32_t w = last[i + n - 1];
      std::uint32_t id = kNone;
      if (nodes[i] != kNone && w != kNone) id = ngrams_.find(PairTable::key_of(nodes[i], w));
      nodes[i] = id == kNone ? kNone : base + id;
      if (n >= static_cast<std::size_t>(min_n)) report(i, n);
    }
  }
}

}  // namespace wordplane
