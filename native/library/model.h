// A model that was read from a file: scores, probabilities, labels, explanations.
// Python side: model/file.py, model/text_model.py and model/explanation.py
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "features/scorer.h"
#include "library/analyzer.h"
#include "library/calibration.h"

namespace wordplane {

// The texts of the fields, or one text; valid UTF-8.
using Document = std::span<const std::string_view>;

// Multi-label: what the labels that are decided before others add to their scores.
struct LabelChain {
  std::vector<std::size_t> order;
  std::vector<double> links;  // n x n: what label j adds to label k
};

// What is read from a file, checked.
struct ModelParts {
  Analyzer analyzer;
  std::vector<std::string> classes;
  Calibration calibration;
  std::vector<std::unique_ptr<Scorer>> scorers;  // of the text, or of each field
  std::vector<double> center, scale;             // of the features of lexica
  std::vector<double> dense_weights;             // of those, n x outputs
  std::vector<double> bias;
  std::optional<LabelChain> chain;
};

// What an occurrence of a feature adds to the score that is explained.
struct ExplainedFeature {
  std::string name;
  double value;
  std::size_t field;  // as many as there are fields: nowhere
  Span span;
};

struct Explained {
  double score, bias;
  std::vector<ExplainedFeature> features;  // strongest first
};

class Model {
 public:
  explicit Model(ModelParts parts) : parts_(std::move(parts)) {}

  const std::vector<std::string>& classes() const { return parts_.classes; }
  const Calibration& calibration() const { return parts_.calibration; }
  std::size_t n_scores() const { return parts_.bias.size(); }
  std::size_t n_fields() const { return std::max<std::size_t>(parts_.analyzer.fields.size(), 1); }
  const std::string& field_name(std::size_t field) const {
    return parts_.analyzer.fields.empty() ? no_name_ : parts_.analyzer.fields[field].first;
  }

  // As many as n_scores. Throws std::invalid_argument on a malformed `word:count`.
  std::vector<double> scores(Document document) const;

  Explained explain(Document document, std::size_t k) const;

 private:
  // The values of the features of lexica in the texts of all fields.
  std::vector<float> lexicon_values(std::string_view text) const;
  void add_field(Document document, std::size_t field, std::span<const double> direction,
                 std::vector<ExplainedFeature>& features) const;
  void add_lexica(Document document, std::span<const double> direction,
                  std::vector<ExplainedFeature>& features) const;

  ModelParts parts_;
  std::string no_name_;
};

// The model in the content of a file. Throws Refused, Unsupported, or std::invalid_argument where
// the core refuses something.
Model read_model(std::string_view content);

}  // namespace wordplane
