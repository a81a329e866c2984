// The bias in dual coordinate descent: the weight of a constant feature of size B, so that the
// dual variables make it c = B sum_i a_i y_i.
//
// If the bias b that rows are scored with were c, it would jump to and fro with the rows that were
// met last, and every row would answer to the jump: with rows of length 1 and B = 1, seven passes
// get as far as four do without a bias. Instead b goes a small share of the way to c at each row,
// and a row moves as if there were no bias, by the curvature |x|^2. That must be B^2 at least, or
// else all rows together answer to a change of b with a larger one. (A row answers to how b changed
// since its last turn, which is as random as the order. Seen as a damped oscillator that random
// steps drive, b keeps about k/2 of its variance in a pass, whatever the share, k being B^2 over
// the curvature.) Where the gap grows all the same, b is c from then on, which is the textbook's
// descent.
//
// The optimum stays what it is, where b = c. P is that of b and D that of c, and to the sum over
// the rows that is their gap comes (b - c)^2 / 2.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>

namespace wordplane {

class LaggingBias {
 public:
  LaggingBias() = default;
  static constexpr double kMemory = 0.2;  // of a pass, where all rows are met in random order

  LaggingBias(double size, double lag) : size_(size), share_(1 / (1 + lag)) {}

  double sum() const { return sum_; }  // c
  double curvature(double squared_norm) const {
    const double bias = size_ * size_;
    return share_ == 1 ? squared_norm + bias : std::max(squared_norm, bias);
  }
  double gap(double b) const { return 0.5 * (b - sum_) * (b - sum_); }

  void move(double step) { sum_ += size_ * step; }  // as the weights move by step x
  double follow(double b) const { return b + share_ * (sum_ - b); }

  // The gap of a pass: if it grows, no more lagging; unless other rows are met, and it is
  // forgotten.
  void watch(double gap) {
    if (gap > 2 * last_gap_) share_ = 1;
    last_gap_ = gap;
  }
  void forget() { last_gap_ = std::numeric_limits<double>::infinity(); }

 private:
  double size_ = 0, share_ = 1, sum_ = 0;
  double last_gap_ = std::numeric_limits<double>::infinity();
};

}  // namespace wordplane
