// From counts to weights: what Weighting and TfidfTransformer share.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "common/csr.h"

namespace wordplane {

// What becomes of a count x that is not 0.
enum class Tf {
  count,     // x
  binary,    // 1
  relative,  // x / length of the text
  log1p,     // log(1 + x)
  log,       // 1 + log x
};

enum class Norm { none, l1, l2 };

// By their names in Python; no name of a norm: none. Throw std::invalid_argument.
Tf tf_named(const std::string& name);
Norm norm_named(const std::optional<std::string>& name);

// df[k][j] += the number of stored values of column j in the rows i with y[i] = k.
// df is n_classes x n_cols, row-major. Every y[i] is in 0 .. n_classes-1.
void add_document_frequency(const Csr& X, const std::int32_t* y, std::int64_t* df, int threads);

// out[i][j] = tf(x[i][j]) idf[j], each row then divided by its norm unless that is 0.
// No idf: all are 1. No lengths: the length of a text is the sum of its row.
// `out` may be the memory of X's own values; X is then no longer what it was.
// Throws std::invalid_argument where a logarithm or a norm is not finite.
template <class Value>
void weigh(const Csr& X, Tf tf, std::span<const double> lengths, std::span<const double> idf,
           Norm norm, Value* out, int threads);

// The norm, as scikit-learn sums it: values multiplied as they are, added in order as double.
template <class Value>
double norm_of(std::span<const Value> row, Norm norm) {
  double sum = 0;
  if (norm == Norm::l1) {
    for (const Value x : row) sum += static_cast<double>(std::abs(x));
    return sum;
  }
  for (const Value x : row) sum += static_cast<double>(x * x);
  return std::sqrt(sum);
}

template <class Value>
void normalize(std::span<Value> row, double norm) {
  if (norm == 0) return;
  for (Value& x : row) x = static_cast<Value>(static_cast<double>(x) / norm);
}

}  // namespace wordplane
