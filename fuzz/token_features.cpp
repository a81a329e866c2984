// Features of single tokens: what is counted is what is found in place, whatever was read before.
#include "text/token_features.h"

#include <map>

#include "input.h"
#include "reference.h"

using namespace wordplane;

namespace {

using Counted = std::map<std::string, std::uint32_t>;

TokenFeatures features(Input& input) {
  TokenFeatures features;
  features.spaced = input.flag();
  features.folding.lowercase = input.flag();
  if (input.flag()) {
    features.min_chars = input.number(1, 4);
    features.max_chars = input.number(features.min_chars, 5);
  }
  for (int n = input.number(0, 2); n > 0; --n) features.prefixes.push_back(input.number(1, 4));
  for (int n = input.number(0, 2); n > 0; --n) features.suffixes.push_back(input.number(1, 4));
  features.shapes = input.flag();
  features.lengths = input.flag();
  if (input.flag()) features.known_words = input.words(2);
  if (input.flag()) features.triggers = {{"a", input.words(2)}, {"b", input.words(2)}};
  return features;
}

// Every feature found in place, and whether it stands on characters of the text.
Counted traced(const TokenFeatures& features, std::string_view text) {
  WordTable names;
  TokenFeatureReader reader(features, [&](std::string_view name) { return names.intern(name).id; });
  std::map<std::size_t, bool> edge;
  for (const auto& letter : reference::letters(text)) edge[letter.span.begin] = true;
  edge[text.size()] = true;
  Counted counted;
  for (const Occurrence& found : reader.trace(text)) {
    CHECK(found.span.begin <= found.span.end && edge[found.span.begin] && edge[found.span.end]);
    ++counted[std::string(names.word(static_cast<std::uint32_t>(found.column)))];
  }
  return counted;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  const TokenFeatures which = features(input);
  const Documents documents = Documents::of(input, 4);
  TokenFeatureCounter counter(which);
  counter.add(documents.texts(), 0, documents.size(), 1);
  counter.finish();
  const auto keep = std::make_unique<bool[]>(counter.n_features() + 1);
  for (std::size_t i = 0; i < counter.n_features(); ++i) keep[i] = i % 3 != 1;
  counter.select({keep.get(), counter.n_features()});
  const Vocabulary vocabulary = counter.vocabulary();
  std::vector<std::int32_t> indices(static_cast<std::size_t>(counter.indptr().back()));
  std::vector<float> values(indices.size());
  counter.fill(indices.data(), values.data(), 1);
  std::map<std::string, std::int64_t> df;
  for (std::size_t i = 0; i < documents.size(); ++i) {
    Counted expected = traced(which, documents[i]), found;
    for (const auto& [name, count] : expected) ++df[name];
    std::erase_if(expected, [&](const auto& feature) {
      return vocabulary.words().find(feature.first) == kNone;
    });
    for (std::int64_t at = counter.indptr()[i]; at < counter.indptr()[i + 1]; ++at) {
      const auto e = static_cast<std::size_t>(at);
      found[vocabulary.name(static_cast<std::size_t>(indices[e]))] =
          static_cast<std::uint32_t>(values[e]);
    }
    CHECK(found == expected);
  }
  CHECK(df.size() == counter.n_features());
  return 0;
}
