// From the scores of a model to probabilities and labels: the entry `calibration` of the metadata.
// Python side: evaluation/calibration.py, label_decisions.py and number_intervals.py
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "model/json.h"

namespace wordplane {

class Calibration {
 public:
  // Of a model with so many classes. Throws Refused, or Unsupported.
  Calibration(const Json& described, std::size_t n_classes);

  bool is_multilabel() const { return kind_ == Kind::labels; }
  bool is_number() const { return kind_ == Kind::number; }
  std::size_t n_classes() const { return n_classes_; }
  std::size_t n_scores() const {
    return is_number() || (n_classes_ == 2 && !is_multilabel()) ? 1 : n_classes_;
  }
  const std::vector<double>& thresholds() const { return thresholds_; }  // of labels
  const std::vector<double>& errors() const { return errors_; }          // of numbers, sorted

  // Writes n_classes probabilities. Throws std::invalid_argument at scores that are not finite, or
  // out of range.
  void probabilities(std::span<const double> z, double* P) const;

  // Writes the classes that are given, in ascending order, and returns how many they are.
  std::size_t labels(std::span<const double> z, std::size_t* classes) const;

 private:
  enum class Kind { softmax, platt, isotonic, labels, number };

  void read_labels(const Json& described);
  void read_number(const Json& described);
  void read_softmax(const Json& described, bool has_power);
  void read_platt(const Json& described);
  void read_isotonic(const Json& described);

  Kind kind_ = Kind::softmax;
  std::size_t n_classes_;
  double power_ = 1, temperature_ = 1;
  std::vector<double> thresholds_, a_, b_, errors_;
  std::vector<std::vector<double>> x_, p_;
};

}  // namespace wordplane
