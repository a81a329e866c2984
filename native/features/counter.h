// Counts words and n-grams of documents and gives them columns.
//
// Documents arrive in batches. Of each batch,
//   1. every worker cuts some documents into words, which a table of its own (in a WordShard)
//      numbers, and counts them;
//   2. the new words get numbers that all workers share;
//   3. every worker counts, over all documents, the n-grams that begin with its words (an
//      NgramOwner), with a table of its own: an n-gram, and all that extends it, has one owner.
// No table is ever shared or merged. The numbers given on the way depend on the workers, but
// the order of the features does not: they are ranked by their words.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "features/counts.h"
#include "features/ngram_owner.h"
#include "features/word_shard.h"
#include "text/texts.h"
#include "text/tokenizer.h"
#include "text/vocabulary.h"
#include "text/word_table.h"

namespace wordplane {

enum class Order {
  alphabetical,  // as scikit-learn orders columns
  frequency,     // by descending document frequency, then alphabetical
};

class Counter {
 public:
  explicit Counter(const Analysis& analysis);
  Counter(const Counter&) = delete;
  ~Counter();

  // Counts the documents begin .. end-1 as the next ones.
  void add(const Texts& texts, std::size_t begin, std::size_t end, int threads);

  // Ends the counting: from here on features are numbered in `order`.
  void finish(Order order, int threads);

  std::size_t n_docs() const { return n_docs_; }
  std::size_t n_features() const { return n_features_; }
  // By feature: in how many documents it occurs, and how often in all.
  std::vector<std::int64_t> document_frequency(int threads) const;
  std::vector<std::int64_t> term_frequency(int threads) const;

  // Keeps the flagged features only; they take the columns 0, 1, ... in their order. Once.
  void select(std::span<const bool> keep, int threads);
  std::size_t n_selected() const { return n_selected_; }

  // Row pointers of the matrix of kept features, then the matrix itself: ascending columns
  // in each row. `indices` and `values` have room for indptr.back(). Once: what has been written is
  // let go of, and the vocabulary can still be asked for.
  const std::vector<std::int64_t>& indptr() const { return indptr_; }
  template <class Value>
  void fill(std::int32_t* indices, Value* values, int threads);

  // The vocabulary of the kept features.
  Vocabulary vocabulary(int threads) const;
  // The same where they are single words: by column, as long as the counter lives.
  std::vector<std::string_view> words() const;

 private:
  struct Document {  // of the current batch: its tokens in its shard
    const WordShard* shard;
    std::size_t begin, end;

    std::span<const std::uint32_t> words() const {
      return {shard->tokens.data() + begin, end - begin};
    }
  };

  bool single_words() const { return analysis_.max_n == 1; }
  void read_words(const Texts& texts, std::size_t begin, std::size_t n_docs, int threads);
  void read_ngrams(std::size_t n_docs, int threads);
  void share_words();
  void read_columns(std::size_t batch, std::size_t row, std::vector<Entry>& entries) const;
  void rank_words(int threads);
  template <class Weight>
  std::vector<std::int64_t> sum_by_feature(int threads, Weight&& weight) const;

  // Each step needs the one before; one that fails midway leaves nothing to go on with.
  enum class State { counting, finished, selected, filled, broken };
  class Step;
  void require_finished() const;
  void require_selected() const;

  State state_ = State::counting;
  Analysis analysis_;
  std::size_t n_docs_ = 0;
  std::vector<Counted> counted_;  // by the shards, then by the owners
  std::vector<std::unique_ptr<WordShard>> shards_;
  std::vector<std::unique_ptr<NgramOwner>> owners_;  // none for single words
  std::vector<Document> batch_;
  WordTable words_;

  // Known from ordering by it, until select(); else empty.
  std::vector<std::int64_t> document_frequency_;

  // After finish(). The alphabetical position of every word and n-gram; word by number.
  std::vector<std::uint32_t> word_position_;
  std::vector<std::uint32_t> words_by_rank_, rank_of_word_;
  std::size_t n_nodes_ = 0;
  std::size_t n_features_ = 0;
  HugeVector<std::int32_t> feature_at_;  // by position; -1: shorter than min_n, no feature

  // After select().
  std::size_t n_selected_ = 0;
  HugeVector<std::int32_t> column_at_;  // by position; -1: not kept
  std::vector<std::int64_t> indptr_;
};

}  // namespace wordplane
