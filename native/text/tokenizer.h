// From a document to its words.
#pragma once

#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "text/word_finder.h"
#include "text/word_table.h"

namespace wordplane {

// How a text is cut into words.
enum class Tokens {
  words,    // words, numbers, emoticons, emoji, each other mark by itself (WordFinder)
  spaced,   // the same, but scripts without spaces are not cut into characters
  pattern,  // scikit-learn's default, `(?u)\b\w\w+\b`
  counts,   // items `word:count` between blanks
  white,    // what stands between white space
  chars,    // every character; n-grams of them are joined without a space
};

// How a text becomes features: a plain value, written to the model file.
struct Analysis {
  Tokens tokens = Tokens::words;
  bool lowercase = true;
  bool boundaries = false;  // put <s> before and </s> after the words
  int min_n = 1, max_n = 1;
  std::vector<std::string> stop_words;
  // After one of these words, in lower case, words are marked with NOT_ up to the next
  // punctuation mark; *n't stands for every word that ends so. Only for words and spaced.
  std::vector<std::string> negations;
};

// Reads documents one after another; scratch memory is kept between them.
class WordReader {
 public:
  explicit WordReader(const Analysis& analysis);

  // Cuts `text` into words(). Throws std::invalid_argument on a malformed `word:count`.
  void read(std::string_view text);

  // Good until the next read; 16 bytes from the start of each can be read.
  const std::vector<std::string_view>& words() const { return words_; }
  // Where each word stands in the text; boundaries are empty spans. Only for words, spaced and
  // counts, and for chars after locate_chars(text).
  const std::vector<Span>& spans() const { return spans_; }
  bool has_spans() const {
    return analysis_.tokens == Tokens::words || analysis_.tokens == Tokens::spaced ||
           analysis_.tokens == Tokens::counts;
  }
  void locate_chars(std::string_view text);
  // The same for pattern and white, without negations.
  void locate_runs(std::string_view text);
  // How often each word counts: empty means once.
  const std::vector<std::uint32_t>& counts() const { return counts_; }
  std::size_t n_tokens() const {
    return std::accumulate(counts_.begin(), counts_.end(),
                           counts_.empty() ? words_.size() : std::size_t{0});
  }

 private:
  void find_pattern(std::string_view text);
  void find_counts(std::string_view text);
  void find_white(std::string_view text);
  void find_chars(std::string_view text);
  void fold_words();
  void drop_stop_words();
  void mark_negated();
  bool is_negation(std::string_view word) const;

  Analysis analysis_;
  WordFinder finder_;
  WordTable stop_words_, negations_;
  std::vector<std::string> negation_endings_;
  std::vector<std::string_view> runs_, words_;
  std::vector<Span> spans_;
  std::vector<std::uint32_t> counts_;
  std::string text_, folded_, folded_word_, marked_;
};

}  // namespace wordplane
