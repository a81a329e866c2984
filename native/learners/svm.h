// Dual coordinate descent for linear SVMs, one against the rest. Python side: learners/svm.py
//
// For every output k, with y_i = +1 for the rows that have its label and -1 for the others:
//
//   primal  P(w) = 1/2 |w|^2 + sum_i C_i loss(t_i - y_i w.x_i),   loss(m) = max(0, m) or its square
//   dual    D(a) = sum_i (t_i a_i - D_i a_i^2 / 2) - 1/2 |w|^2,   w = sum_i a_i y_i x_i
//           0 <= a_i <= U_i;   hinge: D_i = 0, U_i = C_i;   squared: D_i = 1/(2 C_i), no U_i
//
//   for i in order:   G = y_i w.x_i - t_i + D_i a_i
//                     a_i <- a_i - G / (|x_i|^2 + D_i), kept within its bounds
//                     w moves along (the bias in its own way: lagging_bias.h)
//
// A row at its bound whose gradient G points out of it by more than any row's did in the last
// pass is left out (shrinking; Algorithm 3 of Hsieh et al. 2008). The gap P - D is a sum over
// the rows of terms >= 0 that are 0 at the optimum; summed as the rows are met, it is a pass old,
// and when it should have fallen to tol P since, P and D are measured over all rows. An output is
// done when P - D <= tol P; if not, rows that were left out come back once the others are solved,
// and every 50 passes.
//
// Rows come in blocks: all at once (DualSvm), or read from disk one block after the other, in each
// of which the rows are met in random order (block minimization; Yu et al. 2010, with one pass over
// a block that is loaded).
//
// Four outputs are trained side by side: a row is read once for all of them, and the weights
// of one feature share a cache line. Outputs never look at each other, so threads change nothing.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "common/packed_rows.h"

namespace wordplane {

struct SvmResult {
  double primal = 0, dual = 0;
  int n_passes = 0;
  bool done = false;
};

// Whether a row has the label of an output.
using IsPositive = std::function<bool(std::size_t row, std::size_t output)>;

// Each row has one of several classes, an output for each; one output is that of class 1.
IsPositive one_against_rest(std::span<const std::int32_t> y, std::size_t n_outputs);

// The machines of all outputs: weights and dual variables, but not the rows.
class SvmMachines {
 public:
  // `places` says where the weight of each column lies. The weight of row i is C_i. margin: t_i,
  // the margin that is wanted of each row. scale: empty, or n_columns x n_outputs: output k is
  // trained on x_j scale_jk, and its weights are those of x itself (they include the scale). The
  // rows of one output must have been multiplied by it. single: the weights of several outputs have
  // single precision, which is enough for a gap of a thousandth of P, and takes half the memory.
  SvmMachines(const IsPositive& is_positive, std::span<const double> C,
              std::span<const double> margin, std::size_t n_outputs, bool squared, float bias,
              ColumnPlaces places, std::span<const double> scale, double lag, bool single = false);
  ~SvmMachines();
  SvmMachines(const SvmMachines&) = delete;  // the groups point into it

  // A pass: every block of rows once, then the end, which says whether the rows must be measured:
  // every block once more, then the end of that, which closes the outputs that are done. Rows of a
  // block have the numbers first, first + 1 ...; `order` has each of their places in the block.
  void start_pass();
  void visit(const PackedRows& rows, std::size_t first, std::span<const std::int32_t> order,
             int threads);
  bool end_pass(double tol);
  void start_measure();
  void measure(const PackedRows& rows, std::size_t first, int threads);
  void end_measure(double tol);

  bool done() const;
  std::vector<SvmResult> results() const;  // as they were measured last

  // W (n_columns x n_outputs) and b (n_outputs).
  void weights(double* W, double* b) const;

  // All that a group of outputs knows between two passes, for the same machines in another process.
  std::size_t n_groups() const { return groups_.size(); }
  std::vector<std::uint8_t> state(std::size_t group) const;
  void set_state(std::size_t group, std::span<const std::uint8_t> state);

  std::size_t n_rows() const { return C_.size(); }
  std::size_t n_columns() const { return places_.place.size(); }
  std::size_t n_outputs() const { return n_outputs_; }
  std::size_t n_features() const { return places_.size(); }  // with that of the bias
  float bias() const { return bias_; }
  double lag() const { return lag_; }

  class Group;  // outputs trained side by side

 private:
  friend class DualSvm;
  std::vector<double> C_, margin_;
  std::size_t n_outputs_;
  float bias_;
  double lag_;
  ColumnPlaces places_;
  std::vector<double> scale_of_one_;  // one output's scale is in the rows: its weights lack it
  std::vector<std::unique_ptr<Group>> groups_;
};

// The same with all rows in memory.
class DualSvm {
 public:
  DualSvm(const Csr& X, const IsPositive& is_positive, std::size_t n_outputs,
          std::span<const double> C, std::span<const double> margin, bool squared, float bias,
          std::span<const double> scale, bool single, int threads);

  // Runs one pass per row of orders (n_passes x n_rows, each number below n_rows) for every
  // output that is not done.
  void run(std::span<const std::int32_t> orders, double tol, int threads);

  bool done() const { return machines_.done(); }

  // P and D of every output, measured anew for those that are not done.
  std::vector<SvmResult> results(int threads);

  void weights(double* W, double* b) const { machines_.weights(W, b); }

  std::size_t n_rows() const { return machines_.n_rows(); }
  std::size_t n_columns() const { return machines_.n_columns(); }
  std::size_t n_outputs() const { return machines_.n_outputs(); }

 private:
  DualSvm(const Csr& X, ColumnPlaces places, const IsPositive& is_positive, std::size_t n_outputs,
          std::span<const double> C, std::span<const double> margin, bool squared, float bias,
          std::span<const double> scale, bool single, int threads);

  PackedRows rows_;
  SvmMachines machines_;
};

}  // namespace wordplane
