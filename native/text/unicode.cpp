#include "text/unicode.h"

#include <algorithm>
#include <iterator>

namespace wordplane {

namespace {

struct Stripped {
  char32_t cp;
  std::uint16_t begin, size;  // in kStrippedText
};

}  // namespace

#include "unicode_tables.inc"

namespace {

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

constexpr char32_t kCapitalSigma = 0x3A3, kSmallSigma = 0x3C3, kFinalSigma = 0x3C2;
constexpr char32_t kCapitalIWithDot = 0x130, kDotAbove = 0x307;

// Whether the capital sigma in text[begin, end) closes a word: a cased character
// stands before it and none after it, case-ignorable ones not counted.
bool is_final_sigma(std::string_view text, const char* begin, const char* end) {
  const char* at = begin;
  std::uint16_t flags = 0;
  while (at != text.data()) {
    at = previous(at);
    const char* c = at;
    flags = flags_of(decode(c));
    if (!(flags & kIgnorable)) break;
  }
  if (!(flags & kCased)) return false;
  const char* stop = text.data() + text.size();
  for (at = end; at != stop;) {
    flags = flags_of(decode(at));
    if (!(flags & kIgnorable)) return !(flags & kCased);
  }
  return true;
}

}  // namespace

std::size_t valid_utf8_prefix(std::string_view text) {
  const std::size_t n = text.size();
  const char* s = text.data();
  std::size_t i = 0;
  while (i < n) {
    i += ascii_run(text.substr(i));
    if (i == n) break;
    const auto lead = static_cast<unsigned char>(s[i]);
    const int length = lead >= 0xC2 && lead < 0xE0   ? 2
                       : lead >= 0xE0 && lead < 0xF0 ? 3
                       : lead >= 0xF0 && lead < 0xF5 ? 4
                                                     : 0;
    if (length == 0 || i + length > n) return i;
    for (int k = 1; k < length; ++k)
      if (!is_continuation(s[i + k])) return i;
    const auto second = static_cast<unsigned char>(s[i + 1]);
    if ((lead == 0xE0 && second < 0xA0) ||   // overlong
        (lead == 0xED && second >= 0xA0) ||  // surrogate
        (lead == 0xF0 && second < 0x90) ||   // overlong
        (lead == 0xF4 && second >= 0x90))    // past U+10FFFF
      return i;
    i += length;
  }
  return n;
}

void lower(std::string_view text, std::string& out) {
  // Most texts are ASCII: a loop that the compiler can vectorize.
  out.resize(text.size());
  const char* from = text.data();
  char* to = out.data();
  unsigned char all = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(from[i]);
    all |= c;
    to[i] = static_cast<char>(c | (static_cast<unsigned char>(c - 'A') < 26 ? 0x20 : 0));
  }
  if (all < 0x80) return;

  out.clear();
  const char* at = text.data();
  const char* stop = at + text.size();
  while (at != stop) {
    const char* run = at + ascii_run({at, stop});
    const std::size_t old = out.size();
    out.append(at, run);
    for (std::size_t i = old; i < out.size(); ++i) {
      const char c = out[i];
      out[i] = static_cast<char>(c + (c >= 'A' && c <= 'Z' ? 'a' - 'A' : 0));
    }
    for (at = run; at != stop && !is_ascii(*at);) {
      const char* begin = at;
      const char32_t cp = decode(at);
      if (cp == kCapitalSigma) {
        encode(is_final_sigma(text, begin, at) ? kFinalSigma : kSmallSigma, out);
      } else if (cp == kCapitalIWithDot) {
        encode('i', out);
        encode(kDotAbove, out);
      } else {
        encode(static_cast<char32_t>(static_cast<std::int32_t>(cp) + record_of(cp).lower), out);
      }
    }
  }
}

void strip_accents(char32_t cp, std::string& out) {
  if (cp < 0x80) {
    out += static_cast<char>(cp);
    return;
  }
  // A Hangul syllable is computed from its two or three letters (Unicode, section 3.12).
  if (constexpr char32_t first = 0xAC00, last = 0xD7A3; cp >= first && cp <= last) {
    constexpr char32_t n_vowels = 21, n_finals = 28;
    const char32_t number = cp - first;
    encode(0x1100 + number / (n_vowels * n_finals), out);
    encode(0x1161 + number / n_finals % n_vowels, out);
    if (number % n_finals > 0) encode(0x11A7 + number % n_finals, out);
    return;
  }
  const auto* found = std::ranges::lower_bound(kStripped, cp, {}, &Stripped::cp);
  if (found == std::end(kStripped) || found->cp != cp) {
    encode(cp, out);
    return;
  }
  for (int i = 0; i < found->size; ++i) encode(kStrippedText[found->begin + i], out);
}

}  // namespace wordplane
