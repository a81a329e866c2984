// An analysis from its parameters, checked.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "text/tokenizer.h"

namespace wordplane {

// tokens: words, spaced, pattern, counts, whitespace, chars or regex:PATTERN. Throws
// std::invalid_argument if a parameter is wrong, or two do not go together.
Analysis make_analysis(const std::string& tokens, const Folding& folding, bool boundaries,
                       std::pair<int, int> ngrams, std::vector<std::string> stop_words,
                       std::vector<std::string> negations, std::shared_ptr<const Stems> stems);

}  // namespace wordplane
