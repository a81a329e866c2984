// Texts that are the same, or nearly.
#include "search/duplicates.h"

#include <set>

#include "input.h"
#include "reference.h"

using namespace wordplane;

namespace {

using Words = std::vector<std::string>;

Words words_of(std::string_view text) {
  Words words;
  for (const auto& token : reference::tokens(Analysis{}, text)) words.push_back(token.word);
  return words;
}

std::set<Words> runs_of(const Words& words) {
  std::set<Words> runs;
  const std::size_t length = std::min<std::size_t>(3, words.size());
  for (std::size_t i = 0; length > 0 && i + length <= words.size(); ++i)
    runs.emplace(words.begin() + static_cast<std::ptrdiff_t>(i),
                 words.begin() + static_cast<std::ptrdiff_t>(i + length));
  return runs;
}

double share(const std::set<Words>& a, const std::set<Words>& b) {
  std::size_t both = 0;
  for (const Words& run : a) both += b.contains(run);
  const std::size_t all = a.size() + b.size() - both;
  return all == 0 ? 1.0 : static_cast<double>(both) / static_cast<double>(all);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  const double threshold = input.number(0, 10) / 10.0;
  const Documents documents = Documents::of(input, 8);
  const Duplicates found = find_duplicates(documents.texts(), threshold, 1);
  const std::size_t n = documents.size();
  CHECK(found.same.size() == n && found.similar.size() == n);
  std::map<Words, std::size_t> first_of;
  std::vector<std::set<Words>> runs;
  for (std::size_t i = 0; i < n; ++i) {
    const Words words = words_of(documents[i]);
    runs.push_back(runs_of(words));
    CHECK(static_cast<std::size_t>(found.same[i]) == first_of.try_emplace(words, i).first->second);
  }
  // Groups are linked by shares that reach the threshold; which of those are found is not certain.
  for (std::size_t i = 0; i < n; ++i) {
    const auto group = static_cast<std::size_t>(found.similar[i]);
    CHECK(group <= i && static_cast<std::size_t>(found.similar[group]) == group);
    if (group == i) continue;
    bool linked = false;
    for (std::size_t j = 0; j < n; ++j)
      linked = linked || (j != i && static_cast<std::size_t>(found.similar[j]) == group &&
                          share(runs[i], runs[j]) >= threshold);
    CHECK(linked);
  }
  return 0;
}
