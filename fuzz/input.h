// The bytes of the fuzzer as what the core takes.
#pragma once

#include <fuzzer/FuzzedDataProvider.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "text/texts.h"
#include "text/tokenizer.h"
#include "text/unicode.h"

// Ends the process if what must hold does not: the fuzzer then keeps the input.
#define CHECK(holds)                                                                  \
  do {                                                                                \
    if (!(holds)) {                                                                   \
      std::fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #holds); \
      std::abort();                                                                   \
    }                                                                                 \
  } while (false)

namespace wordplane {

class Input : public FuzzedDataProvider {
 public:
  Input(const std::uint8_t* data, std::size_t size) : FuzzedDataProvider(data, size) {}

  bool flag() { return ConsumeBool(); }
  // A number from `least` to `most`.
  int number(int least, int most) { return ConsumeIntegralInRange(least, most); }

  // Valid UTF-8: bytes that are not are left out.
  std::string text() { return valid(ConsumeRandomLengthString()); }
  std::string last_text() { return valid(ConsumeRemainingBytesAsString()); }

  std::vector<std::string> words(int most) {
    std::vector<std::string> words;
    for (int n = number(0, most); n > 0; --n) words.push_back(text());
    return words;
  }

  // What the bindings let pass.
  Analysis analysis(Tokens tokens, int most_n) {
    Analysis analysis;
    analysis.tokens = tokens;
    analysis.folding.lowercase = flag();
    const bool has_words = tokens == Tokens::words || tokens == Tokens::spaced;
    analysis.boundaries = tokens != Tokens::counts && tokens != Tokens::chars && flag();
    if (tokens != Tokens::counts) {
      analysis.min_n = number(1, most_n);
      analysis.max_n = number(analysis.min_n, most_n);
    }
    if (tokens != Tokens::chars && (has_words || !analysis.boundaries) && flag())
      analysis.stop_words = words(2);
    if (has_words && flag()) analysis.negations = {"not", "*n't"};
    return analysis;
  }
  Tokens tokens() { return static_cast<Tokens>(number(0, 5)); }

 private:
  static std::string valid(std::string_view bytes) {
    std::string text;
    while (!bytes.empty()) {
      const std::size_t n = valid_utf8_prefix(bytes);
      text += bytes.substr(0, n);
      bytes.remove_prefix(std::min(n + 1, bytes.size()));
    }
    return text;
  }
};

// Texts with nothing readable behind them, so that reading on is an error.
class Documents {
 public:
  explicit Documents(const std::vector<std::string>& texts) {
    for (const std::string& text : texts) bytes_.emplace_back(text.begin(), text.end());
  }
  // As many as there are bytes, or up to `most`.
  static Documents of(Input& input, int most) {
    std::vector<std::string> texts;
    while (input.remaining_bytes() > 0 && static_cast<int>(texts.size()) < most)
      texts.push_back(input.text());
    return Documents(texts);
  }

  std::size_t size() const { return bytes_.size(); }
  std::string_view operator[](std::size_t i) const { return {bytes_[i].data(), bytes_[i].size()}; }
  Texts texts() const {
    std::vector<std::string_view> rows;
    for (std::size_t i = 0; i < size(); ++i) rows.push_back((*this)[i]);
    return Texts(std::move(rows), nullptr);
  }

 private:
  std::vector<std::vector<char>> bytes_;
};

}  // namespace wordplane
