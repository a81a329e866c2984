#include "text/analysis.h"

#include <stdexcept>
#include <string_view>

namespace wordplane {

namespace {

constexpr std::string_view kRegex = "regex:";

Tokens tokens_named(const std::string& name) {
  if (name == "words") return Tokens::words;
  if (name == "spaced") return Tokens::spaced;
  if (name == "pattern") return Tokens::pattern;
  if (name == "counts") return Tokens::counts;
  if (name == "whitespace") return Tokens::white;
  if (name.starts_with(kRegex)) return Tokens::regex;
  if (name == "chars") return Tokens::chars;
  throw std::invalid_argument(
      "tokens is '" + name +
      "', expected words, spaced, pattern, counts, whitespace, chars or regex:...");
}

}  // namespace

Analysis make_analysis(const std::string& tokens, const Folding& folding, bool boundaries,
                       std::pair<int, int> ngrams, std::vector<std::string> stop_words,
                       std::vector<std::string> negations, std::shared_ptr<const Stems> stems) {
  const auto [min_n, max_n] = ngrams;
  if (min_n < 1 || max_n < min_n)
    throw std::invalid_argument("n-grams from " + std::to_string(min_n) + " to " +
                                std::to_string(max_n) + ", expected 1 <= from <= to");
  if (max_n > 65535) throw std::invalid_argument("n-grams of more than 65,535 words");
  const Tokens kind = tokens_named(tokens);
  if (boundaries && (kind == Tokens::counts || kind == Tokens::chars))
    throw std::invalid_argument("boundaries are put around words, not counts or characters");
  if (!stop_words.empty() && kind == Tokens::chars)
    throw std::invalid_argument("stop words are words, not characters");
  if (stems && kind == Tokens::chars)
    throw std::invalid_argument("words have stems, characters have none");
  if (folding.has_names() && kind == Tokens::counts)
    throw std::invalid_argument("items word:count are not replaced by names");
  if (!negations.empty() && kind != Tokens::words && kind != Tokens::spaced)
    throw std::invalid_argument("only words can be negated");
  std::shared_ptr<const Pattern> pattern;
  if (kind == Tokens::regex)
    pattern = std::make_shared<const Pattern>(tokens.substr(kRegex.size()));
  return {kind,  folding, boundaries, min_n, max_n, std::move(stop_words), std::move(negations),
          stems, pattern};
}

}  // namespace wordplane
