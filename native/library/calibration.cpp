#include "library/calibration.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>

#include "common/probabilities.h"
#include "model/refusal.h"

namespace wordplane {

namespace {

constexpr std::size_t kMostPoints = 1'000'000, kMostErrors = 1000;
constexpr double kMostScore = 1e100;

void require_calibration(bool holds) { refuse_unless(holds, "the calibration is not as expected"); }

// The entries of an object that has no others.
std::vector<const Json*> only(const Json& object, std::initializer_list<std::string_view> names) {
  require_calibration(object.is_object() && object.keys().size() == names.size());
  std::vector<const Json*> found;
  for (const std::string_view name : names) {
    found.push_back(object.find(name));
    require_calibration(found.back() != nullptr);
  }
  return found;
}

std::vector<double> read_numbers(const Json& list) {
  require_calibration(list.is_list() && list.entries().size() <= kMostPoints);
  std::vector<double> numbers;
  for (const Json& value : list.entries()) {
    require_calibration(value.is_number());
    numbers.push_back(value.number);
  }
  return numbers;
}

std::vector<double> read_numbers(const Json& list, std::size_t n) {
  auto numbers = read_numbers(list);
  require_calibration(numbers.size() == n && n > 0);
  return numbers;
}

double read_positive(const Json& value) {
  require_calibration(value.is_number() && value.number > 0);
  return value.number;
}

}  // namespace

Calibration::Calibration(const Json& described, std::size_t n_classes) : n_classes_(n_classes) {
  std::string kind;
  if (!described.is(Json::Kind::null)) {
    const Json* const name = described.find("kind");
    require_calibration(name && name->is_text());
    kind = name->text();
  }
  refuse_unless((kind == "number") == (n_classes == 0), "classes of numbers, or none of labels");
  refuse_unless(kind == "labels" || kind == "number" || n_classes > 1, "one class only");
  if (kind.empty() && described.is(Json::Kind::null)) return;
  if (kind == "number") {
    read_number(described);
    return;
  }
  const Json* const n = described.find("n_classes");
  require_calibration(n && n->is(Json::Kind::integer) && n->is_exact &&
                      n->whole == static_cast<std::int64_t>(n_classes));
  refuse_unsupported(kind == "logarithms", "scores that are logarithms");
  if (kind == "labels")
    read_labels(described);
  else if (kind == "temperature" || kind == "power")
    read_softmax(described, kind == "power");
  else if (kind == "platt")
    read_platt(described);
  else if (kind == "isotonic")
    read_isotonic(described);
  else
    require_calibration(false);
}

void Calibration::read_labels(const Json& described) {
  kind_ = Kind::labels;
  const auto entries = only(described, {"kind", "n_classes", "thresholds", "a", "b"});
  thresholds_ = read_numbers(*entries[2], n_classes_);
  a_ = read_numbers(*entries[3], n_classes_);
  b_ = read_numbers(*entries[4], n_classes_);
}

void Calibration::read_number(const Json& described) {
  kind_ = Kind::number;
  errors_ = read_numbers(*only(described, {"kind", "errors"})[1]);
  require_calibration(errors_.size() <= kMostErrors && std::ranges::is_sorted(errors_));
}

void Calibration::read_softmax(const Json& described, bool has_power) {
  if (has_power) {
    power_ = read_positive(*only(described, {"kind", "n_classes", "temperature", "power"})[3]);
    require_calibration(power_ <= 1);
  } else {
    only(described, {"kind", "n_classes", "temperature"});
  }
  temperature_ = read_positive(*described.find("temperature"));
}

void Calibration::read_platt(const Json& described) {
  kind_ = Kind::platt;
  const auto entries = only(described, {"kind", "n_classes", "a", "b"});
  a_ = read_numbers(*entries[2], n_scores());
  b_ = read_numbers(*entries[3], n_scores());
}

void Calibration::read_isotonic(const Json& described) {
  kind_ = Kind::isotonic;
  const auto entries = only(described, {"kind", "n_classes", "x", "p"});
  for (const Json* const lines : {entries[2], entries[3]})
    require_calibration(lines->is_list() && lines->entries().size() == n_scores());
  for (std::size_t k = 0; k < n_scores(); ++k) {
    x_.push_back(read_numbers(entries[2]->entries()[k]));
    require_calibration(!x_[k].empty());
    p_.push_back(read_numbers(entries[3]->entries()[k], x_[k].size()));
    const auto not_above = std::ranges::adjacent_find(x_[k], std::greater_equal<>());
    require_calibration(not_above == x_[k].end() && std::ranges::is_sorted(p_[k]) &&
                        p_[k].front() >= 0 && p_[k].back() <= 1);
  }
}

void Calibration::probabilities(std::span<const double> z, double* P) const {
  if (is_number()) return;
  if (kind_ == Kind::labels) return sigmoids(z, a_, b_, P);
  if (kind_ == Kind::softmax) return power_softmax(z, z.size(), power_, temperature_, P);
  if (!std::ranges::all_of(z, [](double score) { return std::abs(score) <= kMostScore; }))
    throw std::invalid_argument("a score is not a number, or above 1e100");
  if (kind_ == Kind::platt) return platt(z, a_, b_, P);
  std::vector<Line> lines;
  for (std::size_t k = 0; k < x_.size(); ++k) lines.push_back({x_[k], p_[k]});
  isotonic(z, lines, P);
}

std::size_t Calibration::labels(std::span<const double> z, std::size_t* classes) const {
  if (is_number()) return 0;
  if (is_multilabel()) {
    std::size_t n = 0;
    for (std::size_t k = 0; k < n_classes_; ++k)
      if (z[k] > thresholds_[k]) classes[n++] = k;
    return n;
  }
  const auto best = static_cast<std::size_t>(std::ranges::max_element(z) - z.begin());
  *classes = z.size() > 1 ? best : z[0] > 0;
  return 1;
}

}  // namespace wordplane
