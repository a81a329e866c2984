// Counts words and n-grams of documents and gives them columns.
//
// Every worker has a shard: its own tables and the counts of the documents it read.
// A shard meets its documents in ascending order, so walking all documents in order and
// adding what each was the first of its shard to show gives every word and n-gram the
// number it would have had with one worker: the result never depends on the threads.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "texts.h"
#include "tokenizer.h"
#include "vocabulary.h"
#include "word_table.h"

namespace wordplane {

enum class Order {
  alphabetical,  // as scikit-learn orders columns
  frequency,     // by descending document frequency, then first occurrence
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

  std::size_t n_docs() const { return documents_.size(); }
  std::size_t n_features() const { return features_.size(); }
  // By feature: in how many documents it occurs, and how often in all.
  const std::vector<std::int64_t>& document_frequency() const { return document_frequency_; }
  const std::vector<std::int64_t>& term_frequency() const { return term_frequency_; }

  // Keeps the flagged features only; they take the columns 0, 1, ... in their order.
  void select(std::span<const bool> keep);

  std::size_t n_selected() const { return n_selected_; }

  // The vocabulary of the kept features.
  Vocabulary vocabulary() const;

  // Row pointers of the matrix of kept features, then the matrix itself: ascending
  // columns in each row. `indices` and `values` have room for indptr.back().
  std::vector<std::int64_t> indptr(int threads) const;
  template <class Value>
  void fill(const std::vector<std::int64_t>& indptr, std::int32_t* indices, Value* values,
            int threads) const;

 private:
  struct Shard;
  struct Document {
    std::uint32_t shard;
    std::uint32_t number;  // within its shard
  };

  void merge();
  void count_frequencies(int threads);
  std::vector<std::uint32_t> alphabetical_nodes() const;
  // The node that an n-gram extends by a word, and that word.
  std::size_t first_of(std::size_t node) const;
  std::size_t last_of(std::size_t node) const;
  std::string name(std::size_t node) const;
  template <class Each>
  void each_row(int threads, Each&& each) const;

  Analysis analysis_;
  std::vector<std::unique_ptr<Shard>> shards_;
  std::vector<Document> documents_;

  // After finish(): nodes are words, then n-grams, as in Vocabulary.
  WordTable words_;
  PairTable ngrams_;
  std::vector<std::uint32_t> features_;  // node of each feature
  std::vector<std::int64_t> document_frequency_, term_frequency_;
  std::size_t n_selected_ = 0;
  std::vector<std::int32_t> columns_;  // after select(): by node, -1 where it is no kept feature
};

}  // namespace wordplane
