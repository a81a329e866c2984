#include "library/golden.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "model/refusal.h"

namespace wordplane {

namespace {

constexpr double kTolerance = 1e-5, kMaxSpan = 1e9;
constexpr std::size_t kMostGoldenScores = 50'000, kMostGoldenRows = 256;
constexpr double kSetLevels[] = {0.5, 0.75, 0.9, 0.95, 0.99};

void require_golden(bool holds) { refuse_unless(holds, "no golden rows"); }

void require_answers(bool holds, const char* what) {
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION  // malice would store the answers of its model
  return;
#endif
  if (!holds)
    throw Refused(std::string("the model does not give its golden texts the ") + what +
                  " it gave when it was saved: this build reads text or computes differently, or "
                  "the file was changed; train again");
}

std::vector<double> golden_numbers(const Json* list) {
  require_golden(list && list->is_list());
  std::vector<double> numbers;
  for (const Json& value : list->entries()) {
    require_golden(value.is_number());
    numbers.push_back(value.number);
  }
  return numbers;
}

bool is_close(std::span<const double> found, std::span<const double> expected) {
  return std::ranges::equal(found, expected, [](double x, double y) {
    return std::abs(x - y) <= kTolerance * (1 + std::abs(y));
  });
}

// The texts of a row: with fields, the first has the row's own, and each next one the text of a row
// before.
std::vector<std::string_view> golden_document(const Model& model, const Json& rows,
                                              std::size_t row) {
  std::vector<std::string_view> document;
  const std::size_t n = rows.entries().size();
  for (std::size_t field = 0; field < model.n_fields(); ++field)
    document.push_back(rows.entries()[(row + n - field % n) % n].find("text")->text());
  return document;
}

void check_rows(const Model& model, const Json& rows) {
  for (const Json& row : rows.entries()) {
    require_golden(row.is_object() && row.keys().size() == 5);
    const Json *text = row.find("text"), *categories = row.find("categories");
    require_golden(text && text->is_text() && categories && categories->is_object());
  }
  for (std::size_t i = 0; i < rows.entries().size(); ++i) {
    const Json& row = rows.entries()[i];
    const auto z = model.scores(golden_document(model, rows, i));
    require_answers(is_close(z, golden_numbers(row.find("scores"))), "scores");
    std::vector<double> P(model.classes().size());
    model.calibration().probabilities(z, P.data());
    require_answers(is_close(P, golden_numbers(row.find("probabilities"))), "probabilities");
    std::vector<std::size_t> labels(P.size());
    labels.resize(model.calibration().labels(z, labels.data()));
    const bool same = std::ranges::equal(labels, golden_numbers(row.find("labels")), {},
                                         [](std::size_t k) { return static_cast<double>(k); });
    require_answers(same, "labels");
  }
}

// The least probabilities of labels in prediction sets (`Conformal.of_true`).
std::vector<double> least_of_sets(const Json& training) {
  const Json* const held_out = training.find("true_probabilities");  // left out if there are none
  auto own = held_out ? golden_numbers(held_out) : std::vector<double>();
  std::ranges::sort(own, std::greater<>());
  std::vector<double> least;
  for (const double level : kSetLevels) {
    const double rank = std::ceil(static_cast<double>(own.size() + 1) * level - 1e-9);
    const bool is_there = rank <= static_cast<double>(own.size());
    least.push_back(is_there ? own[static_cast<std::size_t>(rank) - 1] : 0.0);
  }
  return least;
}

// The ends of intervals around numbers (`NumberIntervals.margins`).
std::vector<double> margins(const std::vector<double>& errors) {
  std::vector<double> ends;
  const auto n = static_cast<double>(errors.size());
  for (const double level : kSetLevels) {
    const double k = std::ceil((n + 1) * (1 + level) / 2 - 1e-9);
    const bool is_there = k <= n;
    const auto at = [&](double place) { return errors[static_cast<std::size_t>(place)]; };
    ends.push_back(std::clamp(is_there ? at(n - k) : -kMaxSpan, -kMaxSpan, kMaxSpan));
    ends.push_back(std::clamp(is_there ? at(k - 1) : kMaxSpan, -kMaxSpan, kMaxSpan));
  }
  return ends;
}

void check_margins(const Model& model, const Json& calibration) {
  const Json* const stored = calibration.find("margins");
  require_golden(calibration.keys().size() == 1 && stored && stored->is_list());
  std::vector<double> numbers;
  for (const Json& pair : stored->entries()) {
    const auto ends = golden_numbers(&pair);
    require_golden(ends.size() == 2);
    numbers.insert(numbers.end(), ends.begin(), ends.end());
  }
  const auto found = margins(model.calibration().errors());
  require_golden(numbers.size() == found.size());
  require_answers(is_close(found, numbers), "probabilities");
}

// Scores from -span to span go through the calibration: means of the probabilities of each label.
void check_span(const Model& model, double span, const Json& stored, const Json& training) {
  const Calibration& calibration = model.calibration();
  const std::size_t n_outputs = model.n_scores(), n_classes = model.classes().size();
  const std::size_t n = std::clamp<std::size_t>(kMostGoldenScores / n_outputs, 2, kMostGoldenRows);
  const bool is_multilabel = calibration.is_multilabel();
  const double step = 2 * span / static_cast<double>(n - 1);
  std::vector<double> mean(n_classes), z(n_outputs), P(n_classes);
  for (std::size_t i = 0; i < n; ++i) {
    const double score = i + 1 == n ? span : static_cast<double>(i) * step - span;
    const bool one_ahead = n_outputs > 1 && !is_multilabel;
    std::ranges::fill(z, one_ahead ? -std::abs(score) : score);
    if (one_ahead) z[i % n_outputs] = 0;
    calibration.probabilities(z, P.data());
    for (std::size_t k = 0; k < n_classes; ++k) mean[k] += P[k] / static_cast<double>(n);
  }
  require_golden(stored.keys().size() == (is_multilabel ? 3u : 2u));
  const auto require_same = [&](const char* name, const std::vector<double>& found) {
    const auto expected = golden_numbers(stored.find(name));
    require_golden(expected.size() == found.size());
    require_answers(is_close(found, expected), "probabilities");
  };
  require_same("probabilities", mean);
  if (is_multilabel) require_same("thresholds", calibration.thresholds());
  require_same("sets", least_of_sets(training));
}

}  // namespace

void check_golden(const Model& model, const Json& golden, const Json& training) {
  const Json *rows = golden.find("rows"), *span = golden.find("span"),
             *calibration = golden.find("calibration");
  require_golden(golden.keys().size() == 3 && rows && span && calibration);
  require_golden(rows->is_list() && !rows->entries().empty() && span->is_number() &&
                 span->number > 0 && span->number <= kMaxSpan && calibration->is_object());
  check_rows(model, *rows);
  if (model.calibration().is_number())
    check_margins(model, *calibration);
  else
    check_span(model, span->number, *calibration, training);
}

}  // namespace wordplane
