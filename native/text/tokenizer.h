// From a document to its words.
#pragma once

#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/folding.h"
#include "text/pattern.h"
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
  regex,    // what a pattern matches
};

// Words, and what each becomes.
class Stems {
 public:
  // Throws std::invalid_argument if a word is there twice or a stem is empty.
  explicit Stems(const std::vector<std::pair<std::string, std::string>>& pairs);

  // The stem of a word, or the word itself; 16 bytes from its start can be read.
  std::string_view of(std::string_view word) const {
    const std::uint32_t id = words_.find(word);
    if (id == kNone) return word;
    const std::size_t begin = id == 0 ? 0 : ends_[id - 1];
    return {bytes_.data() + begin, ends_[id] - begin};
  }

 private:
  WordTable words_;
  std::string bytes_;  // of the stems
  std::vector<std::size_t> ends_;
};

// How a text becomes features: a plain value, written to the model file.
struct Analysis {
  Tokens tokens = Tokens::words;
  Folding folding;
  bool boundaries = false;  // put <s> before and </s> after the words
  int min_n = 1, max_n = 1;
  std::vector<std::string> stop_words;
  // After one of these words, in lower case, words are marked with NOT_ up to the next
  // punctuation mark; *n't stands for every word that ends so. Only for words and spaced.
  std::vector<std::string> negations;
  std::shared_ptr<const Stems> stems;      // none: words stay whole
  std::shared_ptr<const Pattern> pattern;  // for regex
};

// Reads documents one after another; scratch memory is kept between them.
class WordReader {
 public:
  explicit WordReader(const Analysis& analysis);

  // Cuts `text` into words(). Throws std::invalid_argument on a malformed `word:count`.
  void read(std::string_view text);

  // Good until the next read; 16 bytes from the start of each can be read.
  const std::vector<std::string_view>& words() const { return words_; }
  // Where each word stands in the text; boundaries are empty spans. After locate(text).
  const std::vector<Span>& spans() const { return spans_; }
  void locate(std::string_view text);
  // How often each word counts: empty means once.
  const std::vector<std::uint32_t>& counts() const { return counts_; }
  std::size_t n_tokens() const {
    return std::accumulate(counts_.begin(), counts_.end(),
                           counts_.empty() ? words_.size() : std::size_t{0});
  }

 private:
  // Whether words are found in the text as it is, so that their places are known, and folded then;
  // or in the folded text.
  bool is_in_place() const {
    return analysis_.tokens == Tokens::words || analysis_.tokens == Tokens::spaced ||
           analysis_.tokens == Tokens::counts;
  }
  // Whether places in the folded text are noted while words come and go.
  bool notes_places() const {
    return analysis_.boundaries || analysis_.folding.has_names() || analysis_.stems != nullptr;
  }
  void find_words(std::string_view text);
  void find_pattern(std::string_view text);
  void find_counts(std::string_view text);
  void find_white(std::string_view text);
  void find_chars(std::string_view text);
  void insert_named();
  void add_boundaries(std::size_t size);
  void fold_words();
  void mark_negated();
  bool is_negation(std::string_view word) const;
  bool is_stop_word(std::string_view word) const {
    return stop_words_.size() > 0 && stop_words_.find(word) != kNone;
  }
  void stem_words();
  template <class Keep>
  void keep_words(Keep&& keep);
  std::string_view stem_of(std::string_view word) const {
    return analysis_.stems ? analysis_.stems->of(word) : word;
  }

  Analysis analysis_;
  WordFinder finder_;
  std::optional<PatternFinder> pattern_;
  WordTable stop_words_, negations_;
  std::vector<std::string> negation_endings_;
  std::vector<std::string_view> runs_, words_;
  std::vector<Span> spans_;  // in text_
  std::vector<std::uint32_t> counts_;
  std::vector<Named> named_;
  std::string text_, folded_, folded_word_, marked_;
};

}  // namespace wordplane
