// Text in, scores out: blocks of features with the folded weights of a linear model.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/spares.h"
#include "features/block.h"
#include "features/group_weights.h"
#include "text/texts.h"

namespace wordplane {

// What one occurrence of a feature adds to a score.
struct Contribution {
  std::int32_t column;
  Span span;  // bytes of the text
  double value;
  std::string name;  // of the feature, where its column has none of its own
};

class Scorer {
 public:
  // The columns of the blocks follow each other; W is n_features x n_outputs, row-major.
  Scorer(std::vector<Block> blocks, GroupWeights weighting, std::vector<float> W,
         std::vector<double> b);

  std::size_t n_outputs() const { return b_.size(); }

  // scores[i][k] = b[k] + sum_j v[i][j] W[j][k] for the documents begin .. end-1.
  void scores(const Texts& texts, std::size_t begin, std::size_t end, double* scores,
              int threads) const;

  // What every occurrence of a feature of a document adds to sum_k direction[k] scores[k],
  // strongest first: v[j] sum_k direction[k] W[j][k], shared out among the occurrences of j.
  std::vector<Contribution> contributions(const Texts& texts, std::size_t row,
                                          std::span<const double> direction) const;

  // The name of the feature in a column.
  std::string name(std::size_t column) const;

 private:
  // What a thread needs to read documents. It is kept for the next call: its vectors have grown
  // by then, and its readers remember the features of tokens.
  struct Worker {
    std::vector<std::unique_ptr<Reader>> readers;  // by block
    std::optional<WordReader> tokens;
    std::vector<std::int32_t> columns;  // of the features of a document
    std::vector<double> values;
    std::size_t bytes_read = 0;
  };
  std::unique_ptr<Worker> borrow() const;
  void give_back(std::unique_ptr<Worker> worker) const;
  // Put the columns and counts of a document into `worker`; then make the counts values.
  void count(const Texts& texts, std::size_t row, Worker& worker) const;
  void weigh(const Texts& texts, std::size_t row, Worker& worker) const;

  std::vector<Block> blocks_;
  GroupWeights weighting_;
  std::vector<float> W_;
  std::vector<double> b_;
  mutable Spares<Worker> spares_;
};

}  // namespace wordplane
