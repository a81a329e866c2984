// Where the words of a text stand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "text/unicode.h"

namespace wordplane {

struct Span {
  std::size_t begin, end;  // bytes of the document
};

// The tokens of Tokens::words, in the original text:
//   word      letters, marks and numbers; one ' ’ - _ (or an invisible joiner) between two of
//             them belongs to the word, and so does . or , between two digits; a letter of a
//             script without spaces between words (Han, Kana, Thai ...) is a word of its own,
//             with its marks
//   emoticon  one of a known list, unless a word character or / follows
//   symbol    any other visible character with its combining marks; emoji whole, with skin
//             tone and joined parts, flags as pairs
class WordFinder {
 public:
  // `spaced`: words are taken to have spaces between them in every script.
  explicit WordFinder(bool spaced = false) : alone_(spaced ? 0 : kUnspaced) {}

  void find(std::string_view text, std::vector<Span>& spans);

 private:
  // Most of a text is ASCII: its bytes are looked at 64 at a time.
  void mark(std::string_view text);
  // The first bit from `from` on that is 0: there is one behind the text.
  static std::size_t unset(const std::vector<std::uint64_t>& bits, std::size_t from);

  std::uint16_t alone_;  // the flag of letters that are words of their own
  // By byte of the text, whether it is inside a word of ASCII, and whether it is a space of ASCII.
  std::vector<std::uint64_t> inside_, space_;
};

// Whether a character between two letters belongs to their word.
bool joins_letters(char32_t cp);

// Whether a token that is no word is a known emoticon or an emoji.
bool is_emoticon(std::string_view token);

}  // namespace wordplane
