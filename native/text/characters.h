// The characters of a text, one by one or 64 bytes at a time.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "text/unicode.h"

namespace wordplane {

// A code point and where the next one begins; 0 at the end of the text.
struct Char {
  char32_t cp = 0;
  const char* next = nullptr;
  std::uint16_t flags = 0;
};

inline Char char_at(const char* at, const char* stop) {
  if (at == stop) return {0, stop, 0};
  if (is_ascii(*at)) return {static_cast<unsigned char>(*at), at + 1, kAsciiFlags[+*at]};
  Char c;
  c.next = at;
  c.cp = decode(c.next);
  c.flags = flags_of(c.cp);
  return c;
}

// Bytes of ASCII; without branches, so that the compiler takes many at once.
inline bool is_between(unsigned char c, unsigned char low, unsigned char high) {
  return static_cast<unsigned char>(c - low) <= high - low;
}
inline bool is_ascii_token(unsigned char c) {  // a letter or a digit
  return is_between(c | 0x20, 'a', 'z') | is_between(c, '0', '9');
}
inline bool is_ascii_word(unsigned char c) { return is_ascii_token(c) | (c == '_'); }
inline bool is_ascii_visible(unsigned char c) {  // no white space
  return (c < 0x80) & !is_between(c, '\t', '\r') & !is_between(c, 0x1C, ' ');
}
inline bool is_ascii_space(unsigned char c) { return (c <= ' ') | (c == 0x7F); }

// Bit i of the result: whether byte i of 64 is of a kind.
template <class Kind>
std::uint64_t bits_where(const char* block, Kind&& is_kind) {
  static_assert(std::endian::native == std::endian::little);
  unsigned char found[64];
  for (int i = 0; i < 64; ++i) found[i] = is_kind(static_cast<unsigned char>(block[i]));
  std::uint64_t bits = 0;
  for (int i = 0; i < 64; i += 8) {
    std::uint64_t eight;
    std::memcpy(&eight, found + i, 8);
    bits |= (eight * 0x0102040810204080u >> 56) << i;  // the lowest bit of every byte
  }
  return bits;
}

}  // namespace wordplane
