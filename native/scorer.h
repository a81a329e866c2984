// Text in, scores out: a vocabulary with the folded weights of a linear model.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "texts.h"
#include "vocabulary.h"

namespace wordplane {

class Scorer {
 public:
  // W is n_features x n_outputs, row-major. `binary`: a feature counts once per document.
  Scorer(const Analysis& analysis, std::shared_ptr<const Vocabulary> vocabulary, bool binary,
         std::vector<float> W, std::vector<double> b);

  std::size_t n_outputs() const { return b_.size(); }

  // scores[i][k] = b[k] + sum_j x[i][j] W[j][k] for the documents begin .. end-1.
  void scores(const Texts& texts, std::size_t begin, std::size_t end, double* scores,
              int threads) const;

 private:
  Analysis analysis_;
  std::shared_ptr<const Vocabulary> vocabulary_;
  bool binary_;
  std::vector<float> W_;
  std::vector<double> b_;
};

}  // namespace wordplane
