// The entries of a lexicon in texts: the longest first, from left to right.
#include "text/lexicon.h"

#include "input.h"
#include "reference.h"

using namespace wordplane;

namespace {

std::vector<LexiconMatch> matches(const std::map<reference::Ngram, std::int32_t>& entries,
                                  const reference::Tokens& tokens) {
  std::vector<LexiconMatch> matches;
  for (std::size_t i = 0; i < tokens.size();) {
    std::size_t longest = 0;
    std::int32_t entry = -1;
    reference::Ngram ngram;
    for (std::size_t n = 1; i + n <= tokens.size(); ++n) {
      ngram.push_back(tokens[i + n - 1].word);
      if (entries.contains(ngram)) longest = n, entry = entries.at(ngram);
    }
    if (longest > 0)
      matches.push_back({entry, {tokens[i].span.begin, tokens[i + longest - 1].span.end}});
    i += std::max<std::size_t>(longest, 1);
  }
  return matches;
}

reference::Ngram parts_of(const std::string& name) {
  reference::Ngram parts(1);
  for (const char c : name) {
    if (c == ' ')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  const Analysis analysis = input.analysis(static_cast<Tokens>(input.number(0, 4)), 3);
  const auto bits = input.ConsumeIntegral<std::uint32_t>();
  std::vector<std::string> names = input.words(4);
  const Documents documents = Documents::of(input, 3);
  if (documents.size() > 0)  // so that there is something to be found
    for (std::string& name : reference::some_names(analysis, documents[0], bits))
      names.push_back(std::move(name));
  try {
    const Vocabulary entries = Vocabulary::from_names(names, Parts::words);
    std::map<reference::Ngram, std::int32_t> entry_of;
    for (const std::string& name : names)
      entry_of.emplace(parts_of(name), static_cast<std::int32_t>(entry_of.size()));
    LexiconReader reader(analysis, entries);
    for (std::size_t i = 0; i < documents.size(); ++i) {
      const auto expected = matches(entry_of, reference::tokens(analysis, documents[i]));
      const auto& found = reader.read(documents[i]);
      CHECK(found.size() == expected.size());
      for (std::size_t m = 0; m < found.size(); ++m)
        CHECK(found[m].entry == expected[m].entry &&
              found[m].span.begin == expected[m].span.begin &&
              found[m].span.end == expected[m].span.end);
    }
    const std::vector<double> scores(names.size(), -1.0);
    std::vector<double> out(documents.size() * kLexiconFeatures);
    lexicon_features(analysis, entries, scores, documents.texts(), 0, documents.size(), out.data(),
                     1);
    for (std::size_t i = 0; i < documents.size(); ++i)
      CHECK(out[i * kLexiconFeatures + 6] == static_cast<double>(reader.read(documents[i]).size()));
  } catch (const std::invalid_argument&) {
  }
  return 0;
}
