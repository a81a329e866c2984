// Text in, scores out: equal to the sum over counted features, and to the sum of contributions.
#include "features/scorer.h"

#include <cmath>

#include "input.h"
#include "reference.h"

using namespace wordplane;

namespace {

GroupWeights weighting(Input& input) {
  GroupWeights weights;
  weights.tf = static_cast<Tf>(input.number(0, 4));
  weights.norm = static_cast<Norm>(input.number(0, 2));
  if (input.flag()) weights.idf = {0.5, 0, 2};
  if (weights.tf == Tf::relative) weights.tokens = Analysis{};
  weights.weights = {1.0, 0.5};
  return weights;
}

// Two groups of columns; their idf is repeated.
void set_columns(GroupWeights& weights, std::size_t n_first, std::size_t n_second) {
  const auto middle = static_cast<std::int32_t>(n_first);
  weights.starts = {0, middle, middle + static_cast<std::int32_t>(n_second)};
  if (!weights.idf.empty()) {
    const std::vector<double> few = weights.idf;
    weights.idf.resize(n_first + n_second);
    for (std::size_t j = 0; j < weights.idf.size(); ++j) weights.idf[j] = few[j % few.size()];
  }
}

bool close(double a, double b) { return std::abs(a - b) <= 1e-6 * (1 + std::abs(a) + std::abs(b)); }

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  const Analysis analysis = input.analysis(input.tokens(), 3);
  TokenFeatures token_features;
  token_features.min_chars = token_features.max_chars = 2;
  token_features.shapes = true;
  const bool chars = analysis.tokens == Tokens::chars;
  const auto n_outputs = static_cast<std::size_t>(input.number(1, 3));
  const auto bits = input.ConsumeIntegral<std::uint32_t>();
  GroupWeights weights = weighting(input);  // before the texts, which take what is left
  const Documents documents = Documents::of(input, 3);
  std::vector<std::string> names = {"a", "b c"};
  if (documents.size() > 0)  // so that there is something to be counted
    names = reference::some_names(analysis, documents[0], bits);
  std::shared_ptr<const Vocabulary> words, whole;
  try {
    words = std::make_shared<Vocabulary>(
        Vocabulary::from_names(names, chars ? Parts::chars : Parts::words));
    whole = std::make_shared<Vocabulary>(Vocabulary::from_names(
        {"char: a", "shape:ALLCAPS", "char:bc", "shape:EMOTICON"}, Parts::whole));
  } catch (const std::invalid_argument&) {
    return 0;
  }
  const std::size_t n_features = words->n_features() + whole->n_features();
  set_columns(weights, words->n_features(), whole->n_features());
  std::vector<float> W(n_features * n_outputs);
  for (std::size_t e = 0; e < W.size(); ++e) W[e] = float(e % 7) - 3;
  const std::vector<double> b(n_outputs, 0.25);
  const Texts texts = documents.texts();
  const Scorer scorer({{analysis, words}, {token_features, whole}}, weights, W, b);
  std::vector<double> scores(texts.size() * n_outputs);
  try {
    scorer.scores(texts, 0, texts.size(), scores.data(), 1);
  } catch (const std::invalid_argument&) {
    CHECK(analysis.tokens == Tokens::counts);
    return 0;
  }
  const std::vector<double> direction(n_outputs, 1.0);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    // The counts that a reference finds, weighted here.
    std::vector<std::int32_t> columns;
    std::vector<double> values;
    std::map<std::string, std::uint64_t> count_of;
    for (const auto& [ngram, count] : reference::ngrams(analysis, texts[i]))
      count_of[reference::name(ngram, chars)] = count;
    for (std::size_t j = 0; j < words->n_features(); ++j)
      if (const auto found = count_of.find(words->name(j)); found != count_of.end()) {
        columns.push_back(static_cast<std::int32_t>(j));
        values.push_back(static_cast<double>(found->second));
      }
    const auto reader = Block{token_features, whole}.reader();
    for (const Count& count : reader->read(texts[i])) {
      columns.push_back(static_cast<std::int32_t>(words->n_features()) + count.column);
      values.push_back(count.count);
    }
    const auto n_tokens = static_cast<double>(reference::tokens(Analysis{}, texts[i]).size());
    weights.weigh(std::span<const std::int32_t>(columns), values.data(), n_tokens);
    double sum = 0;
    for (std::size_t k = 0; k < n_outputs; ++k) {
      double z = b[k];
      for (std::size_t e = 0; e < columns.size(); ++e)
        z += values[e] * double(W[static_cast<std::size_t>(columns[e]) * n_outputs + k]);
      CHECK(close(scores[i * n_outputs + k], z));
      sum += z - b[k];
    }
    double added = 0;
    for (const Contribution& contribution : scorer.contributions(texts, i, direction)) {
      CHECK(contribution.span.end <= texts[i].size());
      scorer.name(static_cast<std::size_t>(contribution.column));
      added += contribution.value;
    }
    CHECK(close(added, sum));
  }
  return 0;
}
