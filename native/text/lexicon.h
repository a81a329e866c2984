// Entries of a lexicon in texts.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "text/texts.h"
#include "text/tokenizer.h"
#include "text/vocabulary.h"

namespace wordplane {

struct LexiconMatch {
  std::int32_t entry;
  Span span;  // bytes of the text
};

class LexiconReader {
 public:
  // Throws std::invalid_argument unless the places of words are known.
  LexiconReader(const Analysis& analysis, const Vocabulary& entries);

  // The entries from left to right. The longest that begins at a word is taken, and the next
  // may begin after its end: in "not bad", the entry "not bad" hides "bad".
  const std::vector<LexiconMatch>& read(std::string_view text);

 private:
  const Vocabulary& entries_;
  WordReader words_;
  std::vector<LexiconMatch> matches_;
};

inline constexpr std::size_t kLexiconFeatures = 7;

// Of the scores found in each of the documents begin .. end-1: max, min, mean, sum of those above
// and below 0, number of those above and below 0; all 0 if there are none.
void lexicon_features(const Analysis& analysis, const Vocabulary& entries,
                      std::span<const double> scores, const Texts& texts, std::size_t begin,
                      std::size_t end, double* out, int threads);

}  // namespace wordplane
