#include "library/model.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "common/linear.h"
#include "text/lexicon.h"

namespace wordplane {

namespace {

constexpr double kMostValue = 1e30;
constexpr std::string_view kLexiconFeatureNames[kLexiconFeatures] = {
    "max", "min", "mean", "sum_positive", "sum_negative", "n_positive", "n_negative"};

Texts one_text(std::string_view text) { return Texts::from_valid({text}, nullptr); }

// The texts of all fields, with line breaks between them.
std::string join_fields(Document document) {
  std::string joined(document[0]);
  for (const std::string_view text : document.subspan(1)) joined.append("\n").append(text);
  return joined;
}

// Where a span of the joined texts lies: the field that it begins in, without what is beyond it.
std::pair<std::size_t, Span> in_field(Document document, Span span) {
  std::size_t field = 0, first = 0;
  while (field + 1 < document.size() && span.begin > first + document[field].size())
    first += document[field++].size() + 1;
  return {field, {span.begin - first, std::min(span.end - first, document[field].size())}};
}

// By feature of a lexicon: whether a score among others determines its value.
bool is_decisive(std::size_t feature, double score, double least, double most) {
  if (feature == 0) return score == most;
  if (feature == 1) return score == least;
  return feature == 2 || (feature % 2 == 1 ? score > 0 : score < 0);
}

double dot(std::span<const double> x, std::span<const double> y) {
  return std::inner_product(x.begin(), x.end(), y.begin(), 0.0);
}

}  // namespace

std::vector<double> Model::scores(Document document) const {
  std::vector<double> z(n_scores()), added(n_scores());
  for (std::size_t field = 0; field < parts_.scorers.size(); ++field) {
    auto& out = field == 0 ? z : added;
    parts_.scorers[field]->scores(one_text(document[field]), 0, 1, out.data(), 1);
    if (field > 0) std::ranges::transform(z, added, z.begin(), std::plus<>());
  }
  if (!parts_.analyzer.lexica.empty()) {
    const auto values = lexicon_values(join_fields(document));
    std::vector<std::int32_t> columns(values.size());
    std::iota(columns.begin(), columns.end(), 0);
    const std::int64_t rows[] = {0, static_cast<std::int64_t>(values.size())};
    const Csr row(rows[1], rows, columns, std::span<const float>(values), nullptr);
    const std::vector<double> zeros(n_scores());
    linear_scores(row, parts_.dense_weights.data(), zeros.data(), n_scores(), added.data(), 1);
    std::ranges::transform(z, added, z.begin(), std::plus<>());
  }
  if (parts_.chain)
    for (const std::size_t label : parts_.chain->order) {
      const double given = z[label] > 0 ? 1 : 0;
      for (std::size_t k = 0; k < z.size(); ++k)
        z[k] += given * parts_.chain->links[label * z.size() + k];
    }
  return z;
}

std::vector<float> Model::lexicon_values(std::string_view text) const {
  const Texts texts = one_text(text);
  std::vector<float> values;
  for (const auto& lexicon : parts_.analyzer.lexica) {
    double found[kLexiconFeatures];
    lexicon_features(parts_.analyzer.plain, lexicon->entries, lexicon->scores, texts, 0, 1, found,
                     1);
    for (const double x : found) {
      const std::size_t j = values.size();
      const double value = (x - parts_.center[j]) / parts_.scale[j];
      values.push_back(static_cast<float>(std::clamp(value, -kMostValue, kMostValue)));
    }
  }
  return values;
}

// The score that is explained is z @ direction: see wordplane_explanation.
Explained Model::explain(Document document, std::size_t k) const {
  auto z = scores(document);
  auto bias = parts_.bias;
  std::vector<double> direction(n_scores());
  if (calibration().is_multilabel()) {
    direction[k] = 1;
    z[k] -= calibration().thresholds()[k];
    bias[k] -= calibration().thresholds()[k];
  } else if (z.size() == 1) {
    direction[0] = k == 1 || calibration().is_number() ? 1 : -1;
  } else {
    std::ranges::fill(direction, -1 / static_cast<double>(z.size()));
    direction[k] += 1;
  }
  Explained explained{dot(z, direction), dot(bias, direction), {}};
  auto& features = explained.features;
  for (std::size_t field = 0; field < parts_.scorers.size(); ++field)
    add_field(document, field, direction, features);
  add_lexica(document, direction, features);
  if (parts_.chain)
    for (std::size_t label = 0; label < z.size(); ++label) {
      const std::span<const double> links(parts_.chain->links);
      const double value = dot(links.subspan(label * z.size(), z.size()), direction);
      const double score =
          z[label] +
          (calibration().is_multilabel() && label == k ? calibration().thresholds()[k] : 0);
      if (score > 0 && value != 0)
        features.push_back({"label:" + classes()[label], value, n_fields(), {0, 0}});
    }
  const auto key = [&](const ExplainedFeature& one) {
    const bool nowhere = one.field == n_fields();
    return std::tuple(-std::abs(one.value), nowhere ? 0 : one.field + 1, one.span.begin,
                      one.span.end);
  };
  std::ranges::stable_sort(features, {}, key);
  return explained;
}

void Model::add_field(Document document, std::size_t field, std::span<const double> direction,
                      std::vector<ExplainedFeature>& features) const {
  const Scorer& scorer = *parts_.scorers[field];
  const std::string prefix = field_name(field).empty() ? "" : field_name(field) + ":";
  for (const Contribution& one : scorer.contributions(one_text(document[field]), 0, direction)) {
    const std::string name =
        one.name.empty() ? scorer.name(static_cast<std::size_t>(one.column)) : one.name;
    features.push_back({prefix + name, one.value, field, one.span});
  }
}

void Model::add_lexica(Document document, std::span<const double> direction,
                       std::vector<ExplainedFeature>& features) const {
  const auto& lexica = parts_.analyzer.lexica;
  if (lexica.empty()) return;
  const std::string text = join_fields(document);
  const auto values = lexicon_values(text);
  const std::span<const double> weights(parts_.dense_weights);
  for (std::size_t j = 0; j < values.size(); ++j) {
    const Lexicon& lexicon = *lexica[j / kLexiconFeatures];
    const std::size_t feature = j % kLexiconFeatures;
    const std::string name =
        "lexicon:" + lexicon.name + ":" + std::string(kLexiconFeatureNames[feature]);
    const double added = static_cast<double>(values[j]) *
                         dot(weights.subspan(j * n_scores(), n_scores()), direction);
    LexiconReader reader(parts_.analyzer.plain, lexicon.entries);
    std::vector<Span> spans;
    const auto& matches = reader.read(text);
    const auto score_of = [&](const LexiconMatch& match) {
      return lexicon.scores[static_cast<std::size_t>(match.entry)];
    };
    if (!matches.empty()) {
      const auto [least, most] = std::ranges::minmax(matches, {}, score_of);
      for (const LexiconMatch& match : matches)
        if (is_decisive(feature, score_of(match), score_of(least), score_of(most)))
          spans.push_back(match.span);
    }
    if (spans.empty()) features.push_back({name, added, n_fields(), {0, 0}});
    for (const Span span : spans) {
      const auto [field, own] = in_field(document, span);
      features.push_back({name, added / static_cast<double>(spans.size()), field, own});
    }
  }
}

}  // namespace wordplane
