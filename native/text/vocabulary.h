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

  Parts parts() const { return parts_; }
  std::string name(std::size_t column) const;

  // How many words the longest n-gram has, and how many bytes all names have together: a few
  // bytes of a file can describe long chains of long words.
  struct Extent {
    std::size_t longest = 0, name_bytes = 0;
  };
  Extent extent() const;

  // A feature in the words of a WordReader: the n-gram of words i .. i+n-1.
  struct Found {
    std::int32_t column;
    std::uint32_t i, n;
  };
  // Memory that is kept from one document to the next.
  struct Scratch {
    std::vector<WordKey> word_keys;
    std::vector<std::uint32_t> words, starts, nodes;
    std::vector<std::uint64_t> places, keys;
    std::vector<Found> found;
  };
  // The features in the words of a WordReader, the shorter ones first; good until the next call.
  std::span<const Found> find(const std::vector<std::string_view>& words, int min_n, int max_n,
                              Scratch& scratch) const;

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
      : analysis_(analysis),
        vocabulary_(vocabulary),
        words_(analysis),
        place_of_(vocabulary.n_features(), 0) {}

  const std::vector<Count>& read(std::string_view text) override;
  std::vector<Occurrence> trace(std::string_view text) override;

 private:
  std::span<const Vocabulary::Found> find() {
    return vocabulary_.find(words_.words(), analysis_.min_n, analysis_.max_n, scratch_);
  }

  Analysis analysis_;
  const Vocabulary& vocabulary_;
  WordReader words_;
  Vocabulary::Scratch scratch_;
  std::vector<Count> counts_;
  // By column: where it is in counts_, if it is there at all.
  HugeVector<std::uint32_t> place_of_;
};

}  // namespace wordplane
