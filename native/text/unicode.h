// What the core knows of Unicode: UTF-8, character classes and lower case.
// The tables are written by generate_unicode.py from the interpreter that builds
// the package, so a word character here is a word character of Python's `re`.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <numeric>
#include <span>
#include <string>
#include <string_view>

namespace wordplane {

enum Flag : std::uint16_t {
  kWord = 1 << 0,        // `\w` of Python's re
  kSpace = 1 << 1,       // separators, control and format characters
  kToken = 1 << 2,       // letters, marks, numbers: what words are made of
  kMark = 1 << 3,        // combining marks
  kDigit = 1 << 4,       // decimal digits
  kCased = 1 << 5,       // cased and not case-ignorable
  kIgnorable = 1 << 6,   // case-ignorable
  kPictograph = 1 << 7,  // emoji and other pictures
  kWhite = 1 << 8,       // white space: Python's str.isspace()
  kPunctuation = 1 << 9,
  kUnspaced = 1 << 10,  // letters of scripts that have no spaces between words
};

struct Record {
  std::uint16_t flags;
  std::int32_t lower;  // distance to the lower-case code point
};

// The tables, in unicode.cpp: the flags of ASCII, and the record of any other code point in two
// stages.
extern const char kUnicodeVersion[];
extern const std::uint16_t kAsciiFlags[128];
extern const Record kRecords[];
extern const std::uint16_t kRecordOf[], kBlockOf[];

inline const Record& record_of(char32_t cp) {
  return kRecords[kRecordOf[std::uint32_t{kBlockOf[cp >> 7]} * 128 + (cp & 127)]];
}

inline std::uint16_t flags_of(char32_t cp) { return record_of(cp).flags; }

// Whether lower-casing changes it.
inline bool is_upper(char32_t cp) { return record_of(cp).lower != 0 || cp == 0x130; }

inline bool is_ascii(char c) { return static_cast<signed char>(c) >= 0; }

// The code point at `at`, which is moved past it. The text is valid UTF-8.
inline char32_t decode(const char*& at) {
  const auto b = [&](int i) { return static_cast<unsigned char>(at[i]); };
  char32_t cp = b(0);
  if (cp < 0x80) {
    at += 1;
  } else if (cp < 0xE0) {
    cp = (cp & 0x1F) << 6 | (b(1) & 0x3F);
    at += 2;
  } else if (cp < 0xF0) {
    cp = (cp & 0x0F) << 12 | (b(1) & 0x3F) << 6 | (b(2) & 0x3F);
    at += 3;
  } else {
    cp = (cp & 0x07) << 18 | (b(1) & 0x3F) << 12 | (b(2) & 0x3F) << 6 | (b(3) & 0x3F);
    at += 4;
  }
  return cp;
}

// The start of the code point that ends before `at`.
inline const char* previous(const char* at) {
  do --at;
  while ((static_cast<unsigned char>(*at) & 0xC0) == 0x80);
  return at;
}

// Writes a code point at `out`, which has room for four bytes, and returns where it ends.
inline char* encode(char32_t cp, char* out) {
  const auto put = [&](char32_t byte) { *out++ = static_cast<char>(byte); };
  if (cp < 0x80) {
    put(cp);
  } else if (cp < 0x800) {
    put(0xC0 | cp >> 6);
    put(0x80 | (cp & 0x3F));
  } else if (cp < 0x10000) {
    put(0xE0 | cp >> 12);
    put(0x80 | (cp >> 6 & 0x3F));
    put(0x80 | (cp & 0x3F));
  } else {
    put(0xF0 | cp >> 18);
    put(0x80 | (cp >> 12 & 0x3F));
    put(0x80 | (cp >> 6 & 0x3F));
    put(0x80 | (cp & 0x3F));
  }
  return out;
}
inline void encode(char32_t cp, std::string& out) {
  char bytes[4];
  out.append(bytes, encode(cp, bytes));
}

// The same for many code points; those of ASCII, which most are, in blocks.
template <class Char>
char* encode(std::span<const Char> cps, char* out) {
  constexpr std::size_t kBlock = 16;
  for (std::size_t i = 0; i < cps.size();) {
    const Char* block = cps.data() + i;
    if (i + kBlock <= cps.size() &&
        std::accumulate(block, block + kBlock, Char{0}, std::bit_or<Char>()) < 0x80) {
      for (std::size_t k = 0; k < kBlock; ++k) out[k] = static_cast<char>(block[k]);
      i += kBlock;
      out += kBlock;
    } else {
      out = encode(static_cast<char32_t>(cps[i++]), out);
    }
  }
  return out;
}

// How many of the first bytes are ASCII.
inline std::size_t ascii_run(std::string_view text) {
  constexpr std::size_t kBlock = 32;
  std::size_t i = 0;
  for (std::uint64_t eights[4]; i + kBlock <= text.size(); i += kBlock) {
    std::memcpy(eights, text.data() + i, kBlock);
    if ((eights[0] | eights[1] | eights[2] | eights[3]) & 0x8080808080808080u) break;
  }
  while (i < text.size() && is_ascii(text[i])) ++i;
  return i;
}

// The length of the longest valid prefix; text.size() if all of it is valid UTF-8.
std::size_t valid_utf8_prefix(std::string_view text);

// Python's str.lower(): `out` is replaced by the lower case of `text`.
void lower(std::string_view text, std::string& out);

// Appends a code point without its accents: its compatibility decomposition without combining
// marks, which may be nothing.
void strip_accents(char32_t cp, std::string& out);

}  // namespace wordplane
