#include "text/lexicon.h"

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "common/parallel.h"

namespace wordplane {

LexiconReader::LexiconReader(const Analysis& analysis, const Vocabulary& entries)
    : entries_(entries), words_(analysis) {
  if (analysis.tokens == Tokens::chars)
    throw std::invalid_argument("a lexicon is looked up in words, not in characters");
}

const std::vector<LexiconMatch>& LexiconReader::read(std::string_view text) {
  matches_.clear();
  words_.read(text);
  words_.locate(text);
  const auto& words = words_.words();
  const auto n_words = static_cast<std::uint32_t>(entries_.n_words());
  for (std::size_t i = 0; i < words.size();) {
    std::size_t longest = 0;
    std::int32_t entry = -1;
    std::uint32_t node = entries_.words().find(words[i]);
    for (std::size_t n = 1; node != kNone; ++n) {
      if (entries_.column(node) >= 0) longest = n, entry = entries_.column(node);
      if (i + n == words.size()) break;
      const std::uint32_t last = entries_.words().find(words[i + n]);
      const std::uint32_t ngram =
          last == kNone ? kNone : entries_.ngrams().find(PairTable::key_of(node, last)).id;
      node = ngram == kNone ? kNone : n_words + ngram;
    }
    if (longest > 0)
      matches_.push_back({entry, {words_.spans()[i].begin, words_.spans()[i + longest - 1].end}});
    i += std::max<std::size_t>(longest, 1);
  }
  return matches_;
}

void lexicon_features(const Analysis& analysis, const Vocabulary& entries,
                      std::span<const double> scores, const Texts& texts, std::size_t begin,
                      std::size_t end, double* out, int threads) {
  constexpr std::size_t kDocsPerJob = 64;
  if (end > texts.size() || begin > end) throw std::out_of_range("documents out of range");
  const std::size_t n_docs = end - begin;
  std::vector<std::unique_ptr<LexiconReader>> readers(
      static_cast<std::size_t>(std::max(threads, 1)));
  parallel_for((n_docs + kDocsPerJob - 1) / kDocsPerJob, threads, [&](std::size_t job, int worker) {
    auto& reader = readers[static_cast<std::size_t>(worker)];
    if (!reader) reader = std::make_unique<LexiconReader>(analysis, entries);
    for (std::size_t i = job * kDocsPerJob; i < std::min((job + 1) * kDocsPerJob, n_docs); ++i) {
      double* row = out + i * kLexiconFeatures;
      std::fill_n(row, kLexiconFeatures, 0.0);
      const auto& matches =
          naming_row(begin + i, [&]() -> decltype(auto) { return reader->read(texts[begin + i]); });
      double sum = 0;
      for (std::size_t m = 0; m < matches.size(); ++m) {
        const double score = scores[static_cast<std::size_t>(matches[m].entry)];
        row[0] = m == 0 ? score : std::max(row[0], score);
        row[1] = m == 0 ? score : std::min(row[1], score);
        sum += score;
        row[score > 0 ? 3 : 4] += score;
        row[5] += score > 0;
        row[6] += score < 0;
      }
      if (!matches.empty()) row[2] = sum / static_cast<double>(matches.size());
    }
  });
}

}  // namespace wordplane
