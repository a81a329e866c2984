// A payload under a right digest, as malice would write it: refused with a reason, or a model that
// gives every text finite scores, and contributions that sum to them.
#include <cmath>
#include <cstring>

#include "input.h"
#include "library/wordplane.h"
#include "model/sha256.h"

namespace {

std::string sealed(std::string_view payload) {
  std::string body;
  for (int shift = 0; shift < 64; shift += 8)
    body += static_cast<char>(std::uint64_t{payload.size()} >> shift);
  body += payload;
  const auto digest = wordplane::sha256(body);
  std::string content = "WORDPLN\x05";
  content.append(reinterpret_cast<const char*>(digest.data()), digest.size());
  return content + body;
}

void use(const wordplane_model* model) {
  constexpr char kText[] = "a great, dull film\0 NOT fun :) \xC3\x89";
  const std::vector<wordplane_text> document(wordplane_n_fields(model), {kText, sizeof(kText) - 1});
  const std::size_t n_classes = wordplane_n_classes(model);
  std::vector<double> scores(wordplane_n_scores(model)), P(n_classes + 1);
  std::vector<std::size_t> labels(n_classes + 1);
  if (wordplane_scores(model, document.data(), document.size(), scores.data(), nullptr)) return;
  for (const double score : scores) CHECK(!std::isnan(score));
  if (wordplane_probabilities(model, scores.data(), P.data(), nullptr)) return;
  for (std::size_t k = 0; k < n_classes; ++k) CHECK(P[k] >= 0 && P[k] <= 1 + 1e-9);
  CHECK(wordplane_labels(model, scores.data(), labels.data()) <= n_classes);
  wordplane_explanation* explanation;
  wordplane_status status =
      wordplane_explain(model, document.data(), document.size(), 0, &explanation, nullptr);
  CHECK(status == WORDPLANE_OK);
  double sum = explanation->bias, size = 1;
  for (std::size_t i = 0; i < explanation->n_contributions; ++i) {
    const wordplane_contribution& one = explanation->contributions[i];
    CHECK(std::strlen(one.feature) <= one.feature_size && one.start <= one.end);
    CHECK(one.end < sizeof(kText) && one.field <= document.size());
    sum += one.value;
    size += std::abs(one.value);
  }
  CHECK(!std::isfinite(size) || std::abs(sum - explanation->score) <= 1e-6 * size);
  wordplane_free_explanation(explanation);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string content = sealed({reinterpret_cast<const char*>(data), size});
  wordplane_model* model;
  wordplane_error error;
  const wordplane_status status = wordplane_load(content.data(), content.size(), &model, &error);
  CHECK((status == WORDPLANE_OK) == (model != nullptr));
  CHECK(status == WORDPLANE_OK || std::strlen(error.text) > 0);
  if (model) use(model);
  wordplane_free(model);
  return 0;
}
