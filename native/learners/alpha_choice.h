// Naive Bayes scores of documents by counts that leave out the documents' own fold.
// Python side: learners/support/alpha_choice.py
#pragma once

#include <span>
#include <vector>

#include "common/csr.h"

namespace wordplane {

// The sums of weight[i] x[i][j] per class, as lists of those that are not 0.
class HeldOutCounts {
 public:
  HeldOutCounts(const Csr& X, std::span<const std::int32_t> y, std::span<const double> weight,
                std::size_t n_classes, int threads);

  // For every fold f, a list of rows that no other fold has, and every alpha: c_kj counts the
  // rows outside f, V the features with any count left, and for the rows i of f, one after
  // the other,
  //
  //   scores[i][k][alpha] = log_prior[f][k] + sum_j x_ij log((a + c_kj) / (V a + sum_j c_kj))
  //
  // over those V features, with a = alpha / scale[f][k]: so class k counts scale[f][k] times.
  // Of two classes only the difference is right: both are off by the same number.
  void scores(std::span<const std::int64_t> fold_ends, std::span<const std::int32_t> rows,
              std::span<const double> alphas, const double* scale, const double* log_prior,
              double* scores, int threads) const;

  std::size_t n_classes() const { return n_classes_; }
  std::size_t n_rows() const { return y_.size(); }

 private:
  struct Count {
    double total;       // c_kj
    std::int32_t docs;  // the documents it is the sum of
    std::int32_t k;
  };
  class Worker;

  Csr X_;
  std::vector<std::int32_t> y_;
  std::vector<double> weight_;
  std::size_t n_classes_;
  std::size_t n_seen_ = 0;            // features with a document
  std::vector<std::size_t> first_;    // feature j has the counts first_[j] .. first_[j+1]-1
  std::vector<Count> counts_;         // classes ascend within a feature
  std::vector<double> class_totals_;  // sum_j c_kj
};

// What scores[i][k][alpha] say of documents of the classes y, by document and alpha: 1 if
// the class has the highest score (the first of those that have it), else 0; and minus the
// logarithm of its probability.
void judge(const double* scores, std::span<const std::int32_t> y, std::size_t n_classes,
           std::size_t n_alphas, double* right, double* loss, int threads);

}  // namespace wordplane
