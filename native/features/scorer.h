// Text in, scores out: blocks of features with the folded weights of a linear model.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "features/block.h"
#include "features/group_weights.h"
#include "text/texts.h"

namespace wordplane {

class Scorer {
 public:
  // The columns of the blocks follow each other; W is n_features x n_outputs, row-major.
  Scorer(std::vector<Block> blocks, GroupWeights weighting, std::vector<float> W,
         std::vector<double> b);

  std::size_t n_outputs() const { return b_.size(); }

  // scores[i][k] = b[k] + sum_j v[i][j] W[j][k] for the documents begin .. end-1.
  void scores(const Texts& texts, std::size_t begin, std::size_t end, double* scores,
              int threads) const;

 private:
  std::vector<Block> blocks_;
  GroupWeights weighting_;
  std::vector<float> W_;
  std::vector<double> b_;
};

}  // namespace wordplane
