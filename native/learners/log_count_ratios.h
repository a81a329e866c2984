// The scale of NBSVM for many features and outputs. Python side:
// learners/support/log_count_ratios.py, which has the formulas.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace wordplane {

// R (n_features x n_outputs): r = log(p / q) of every feature and output, given in how many
// documents of the output each feature is (n: counts, n_outputs x n_features), and in how many of
// all.
//
//   p = (n + alpha) / inside[k] + smooth,   q = (total - n + alpha) / outside[k] + smooth
//
// Sums in another order differ by their rounding: total - n is 0 if it is no more than that, and so
// is r.
struct Shares {
  std::span<const double> inside, outside;  // by output
  double alpha, smooth;
};
void log_count_ratios(std::span<const double> counts, std::span<const double> total,
                      const Shares& shares, double* R, int threads);

// r becomes rho = c sign(r) (|r| + 1/2), where c keeps sum_j squares[j] of every block of features:
// block b begins at begins[b], and the last one ends where all do.
void shift_ratios(std::span<double> R, std::size_t n_outputs, std::span<const double> squares,
                  std::span<const std::size_t> begins, int threads);

// W (n_features x n_outputs) becomes (1 - beta) m_k R + beta W, with m_k the mean of |W / R| over
// the features (0 where R is 0); these means.
std::vector<double> mix_with_ratios(std::span<double> W, std::span<const double> R,
                                    std::size_t n_outputs, double beta, int threads);

}  // namespace wordplane
