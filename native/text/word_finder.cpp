#include "text/word_finder.h"

#include <algorithm>

#include "text/characters.h"

namespace wordplane {

constexpr char32_t kJoiner = 0x200D;  // zero width joiner: glues emoji and letters

bool joins_letters(char32_t cp) {
  switch (cp) {
    case '\'':
    case '-':
    case '_':
    case 0x2019:  // right single quotation mark
    case 0x2010:
    case 0x2011:  // hyphen, non-breaking hyphen
    case 0xAD:    // soft hyphen
    case 0x200C:
    case kJoiner:  // zero width (non-)joiner
      return true;
    default:
      return false;
  }
}

namespace {

// The longer of two that share a beginning stands first.
constexpr std::string_view kEmoticons[] = {
    ":'-(", ":'-)", ":'(", ":')", ":-)", ":-(", ":-D", ":-P", ":-p",  ":-/", ":-\\", ":-*", ":-|",
    ":-O",  ":-o",  ":)",  ":(",  ":D",  ":P",  ":p",  ":/",  ":\\",  ":*",  ":|",   ":O",  ":o",
    ";-)",  ";)",   "=)",  "=(",  "=D",  "=P",  "</3", "<3",  ">:-(", ">:(", "^_^",  "^^",  "-_-",
};

// The end of the word that begins here; letters with a flag of `alone` are words of their own.
const char* word_end(const char* at, const char* stop, std::uint16_t alone) {
  if (const Char c = char_at(at, stop); c.flags & alone) {
    at = c.next;
    while (char_at(at, stop).flags & kMark) at = char_at(at, stop).next;
    return at;
  }
  std::uint16_t before = 0;
  while (true) {
    while (at != stop && is_ascii(*at) && (kAsciiFlags[+*at] & kToken))
      before = kAsciiFlags[+*at++];
    const Char c = char_at(at, stop);
    if (c.flags & alone) return at;
    if (c.flags & kToken) {
      before = c.flags;
      at = c.next;
      continue;
    }
    const std::uint16_t after = at == stop ? 0 : char_at(c.next, stop).flags;
    const bool inside = (joins_letters(c.cp) && (after & kToken) && !(after & (kMark | alone))) ||
                        ((c.cp == '.' || c.cp == ',') && (before & kDigit) && (after & kDigit));
    if (!inside) return at;
    at = c.next;
  }
}

bool begins_emoticon(char c) {
  return c == ':' || c == ';' || c == '=' || c == '<' || c == '>' || c == '^' || c == '-';
}

// The end of the emoticon that begins here, or `at` if none does.
const char* emoticon_end(const char* at, const char* stop) {
  if (!begins_emoticon(*at)) return at;
  const std::string_view rest(at, static_cast<std::size_t>(stop - at));
  for (const std::string_view emoticon : kEmoticons) {
    if (emoticon[0] != *at || !rest.starts_with(emoticon)) continue;
    const char* end = at + emoticon.size();
    const Char after = char_at(end, stop);
    if (after.cp != '/' && !(after.flags & kToken)) return end;
  }
  return at;
}

bool is_regional(char32_t cp) { return cp >= 0x1F1E6 && cp <= 0x1F1FF; }
bool is_skin_tone(char32_t cp) { return cp >= 0x1F3FB && cp <= 0x1F3FF; }
bool is_tag(char32_t cp) { return cp >= 0xE0020 && cp <= 0xE007F; }

const char* symbol_end(const Char& symbol, const char* stop) {
  const char* at = symbol.next;
  const bool picture = symbol.flags & kPictograph;
  if (is_regional(symbol.cp)) {
    const Char second = char_at(at, stop);
    if (is_regional(second.cp)) at = second.next;
  }
  while (at != stop) {
    const Char c = char_at(at, stop);
    if ((c.flags & kMark) || (picture && (is_skin_tone(c.cp) || is_tag(c.cp)))) {
      at = c.next;
    } else if (picture && c.cp == kJoiner) {
      const Char joined = char_at(c.next, stop);
      if (!(joined.flags & kPictograph)) break;
      at = joined.next;
    } else {
      break;
    }
  }
  return at;
}

}  // namespace

void WordFinder::find(std::string_view text, std::vector<Span>& spans) {
  spans.clear();
  mark(text);
  const char* const start = text.data();
  const char* const stop = start + text.size();
  for (const char* at = start + unset(space_, 0); at < stop;) {
    const auto here = static_cast<std::size_t>(at - start);
    const char* end;
    if (inside_[here / 64] >> here % 64 & 1) {
      end = start + unset(inside_, here);
      // It may go on beyond ASCII, at once or after a mark.
      if (end != stop && !(is_ascii(*end) && (end + 1 == stop || is_ascii(end[1]))))
        end = word_end(at, stop, alone_);
    } else {
      const Char c = char_at(at, stop);
      if (c.flags & kSpace) {
        at = c.next;
        continue;
      }
      if (c.flags & kToken) {
        end = word_end(at, stop, alone_);
      } else if (end = emoticon_end(at, stop); end == at) {
        end = symbol_end(c, stop);
      } else {  // its last letter is in no word: what follows is not inside one
        const auto next = static_cast<std::size_t>(end - start);
        inside_[next / 64] &= ~(std::uint64_t{1} << next % 64);
      }
    }
    spans.push_back({here, static_cast<std::size_t>(end - start)});
    at = start + unset(space_, static_cast<std::size_t>(end - start));
  }
}

void WordFinder::mark(std::string_view text) {
  const std::size_t n_blocks = text.size() / 64 + 1;
  inside_.resize(n_blocks);
  space_.resize(n_blocks);
  char rest[64];  // the last block: what is behind the text is neither inside a word nor space
  std::fill_n(
      std::copy(text.end() - static_cast<std::ptrdiff_t>(text.size() % 64), text.end(), rest),
      64 - text.size() % 64, '.');
  for (std::size_t b = 0; b < n_blocks; ++b) {
    const char* block = b + 1 < n_blocks ? text.data() + 64 * b : rest;
    inside_[b] = bits_where(block, is_ascii_token);
    space_[b] = bits_where(block, is_ascii_space);
  }
  // A mark between two letters or digits may belong to the word.
  std::uint64_t last = 0;  // 1 if there is one at the end of the block before
  for (std::size_t b = 0; b < n_blocks; ++b) {
    const std::uint64_t tokens = inside_[b];
    const std::uint64_t before = tokens << 1 | last;
    const std::uint64_t after = tokens >> 1 | (b + 1 < n_blocks ? inside_[b + 1] << 63 : 0);
    for (std::uint64_t left = before & after & ~(tokens | space_[b]); left; left &= left - 1) {
      const int i = std::countr_zero(left);
      const char* c = text.data() + 64 * b + i;
      if (joins_letters(static_cast<unsigned char>(*c)) ||
          ((*c == '.' || *c == ',') && (kAsciiFlags[+c[-1]] & kAsciiFlags[+c[1]] & kDigit)))
        inside_[b] |= std::uint64_t{1} << i;
    }
    last = tokens >> 63;
  }
}

std::size_t WordFinder::unset(const std::vector<std::uint64_t>& bits, std::size_t from) {
  std::size_t b = from / 64;
  std::uint64_t left = ~bits[b] >> from % 64 << from % 64;
  while (left == 0) left = ~bits[++b];
  return 64 * b + static_cast<std::size_t>(std::countr_zero(left));
}

bool is_emoticon(std::string_view token) {
  const char* stop = token.data() + token.size();
  const Char first = char_at(token.data(), stop);
  const bool face = (first.cp >= 0x2600 && first.cp <= 0x27BF) || first.cp >= 0x1F000;
  return emoticon_end(token.data(), stop) == stop || (face && (first.flags & kPictograph));
}

}  // namespace wordplane
