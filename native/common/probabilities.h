// From scores to probabilities, a row of scores at a time. Python side: evaluation/calibration.py,
// evaluation/label_decisions.py and evaluation/rankings.py
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace wordplane {

//   d_k = max_j z_j - z_k          what class k is behind the best
//   p_k = exp(-d_k^power / temperature) / sum_j exp(-d_j^power / temperature)
//
// Rows of one score are those of the second of two classes, the first has 0. P has a column per
// class: two where Z has one. Throws std::invalid_argument on scores that are nan, and on rows
// whose largest score is infinite.
void power_softmax(std::span<const double> Z, std::size_t n_columns, double power,
                   double temperature, double* P);

//   p_k = 1 / (1 + exp(-(a_k z_k + b_k)))          each label by itself
//
// As many a and b as Z has columns.
void sigmoids(std::span<const double> Z, std::span<const double> a, std::span<const double> b,
              double* P);

//   p_k = 1 / (1 + exp(-(a_k m_k + b_k))), divided by their sum
//
// m_k is the margin of class k over its best rival. As many a and b as Z has columns; rows of one
// score are those of the second of two classes, whose margin it is. P as for power_softmax.
void platt(std::span<const double> Z, std::span<const double> a, std::span<const double> b,
           double* P);

// Points of a piecewise linear function that is flat outside; x ascends, and there is at least one.
struct Line {
  std::span<const double> x, y;
};
//   p_k = line_k(m_k), divided by their sum
//
// One line per column of Z, otherwise as for platt.
void isotonic(std::span<const double> Z, std::span<const Line> lines, double* P);

// The k columns with the largest values of each row, the first of equals first; k is at most the
// number of columns, which is not 0. Values must not be nan.
void likeliest(std::span<const double> P, std::size_t n_columns, std::size_t k, std::int64_t* best);

}  // namespace wordplane
