// What a model file says about how its texts are read: the entry `analyzer` of its metadata.
// Python side: text/analyzer_spec.py and the specifications beside it.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "features/weighting.h"
#include "model/json.h"
#include "text/token_features.h"
#include "text/tokenizer.h"
#include "text/vocabulary.h"

namespace wordplane {

// Features that count: words, chars (across words) or tokens (of single ones).
struct AnalyzerPart {
  std::string kind;
  std::variant<Analysis, TokenFeatures> features;
  std::size_t longest;  // n-gram
};

struct Lexicon {
  std::string name;
  Vocabulary entries;
  std::vector<double> scores;
};

struct Analyzer {
  std::vector<AnalyzerPart> parts;                     // of the text, or of each field
  Analysis plain;                                      // single words, as lexica have them
  std::vector<std::pair<std::string, double>> fields;  // with their weights
  std::vector<std::shared_ptr<const Lexicon>> lexica;
  std::uint32_t n_hashed = 0;  // columns of each part; 0: parts have vocabularies
  Tf tf = Tf::count;
  Norm norm = Norm::none;
  bool has_idf = false;
  std::map<std::string, double> weights;  // of groups, where they are not 1
};

// Throws Refused if an entry is wrong or two do not go together, Unsupported if the model has
// features that this library does not know, and what the core throws at a bad pattern.
Analyzer read_analyzer(const Json& described);

}  // namespace wordplane
