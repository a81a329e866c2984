#include "tokenizer.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <stdexcept>

#include "unicode.h"

namespace wordplane {

namespace {

// Begins a raw token that is negated: no token of Tokens::words has it, nor shorter than NOT_.
constexpr char kNegated = '\x01';
constexpr std::string_view kNot = "NOT_";

constexpr char32_t kJoiner = 0x200D;  // zero width joiner: glues emoji and letters

// The longer of two that share a beginning stands first.
constexpr std::string_view kEmoticons[] = {
    ":'-(", ":'-)", ":'(", ":')", ":-)", ":-(", ":-D", ":-P", ":-p",  ":-/", ":-\\", ":-*", ":-|",
    ":-O",  ":-o",  ":)",  ":(",  ":D",  ":P",  ":p",  ":/",  ":\\",  ":*",  ":|",   ":O",  ":o",
    ";-)",  ";)",   "=)",  "=(",  "=D",  "=P",  "</3", "<3",  ">:-(", ">:(", "^_^",  "^^",  "-_-",
};

// A code point and where the next one begins; 0 at the end of the text.
struct Char {
  char32_t cp = 0;
  const char* next = nullptr;
  std::uint16_t flags = 0;
};

Char char_at(const char* at, const char* stop) {
  if (at == stop) return {0, stop, 0};
  if (is_ascii(*at)) return {static_cast<unsigned char>(*at), at + 1, kAsciiFlags[+*at]};
  Char c;
  c.next = at;
  c.cp = decode(c.next);
  c.flags = flags_of(c.cp);
  return c;
}

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

const char* word_end(const char* at, const char* stop) {
  std::uint16_t before = 0;
  while (true) {
    while (at != stop && is_ascii(*at) && (kAsciiFlags[+*at] & kToken))
      before = kAsciiFlags[+*at++];
    const Char c = char_at(at, stop);
    if (c.flags & kToken) {
      before = c.flags;
      at = c.next;
      continue;
    }
    const std::uint16_t after = at == stop ? 0 : char_at(c.next, stop).flags;
    const bool inside = (joins_letters(c.cp) && (after & kToken) && !(after & kMark)) ||
                        ((c.cp == '.' || c.cp == ',') && (before & kDigit) && (after & kDigit));
    if (!inside) return at;
    at = c.next;
  }
}

// The end of the emoticon that begins here, or `at` if none does.
const char* emoticon_end(const char* at, const char* stop) {
  const std::string_view rest(at, static_cast<std::size_t>(stop - at));
  for (const std::string_view emoticon : kEmoticons) {
    if (!rest.starts_with(emoticon)) continue;
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

// Lower-casing these looks at, or changes, what stands beside them.
bool needs_context_to_lower(char32_t cp) { return cp == 0x3A3 || cp == 0x130; }

constexpr std::uint64_t kHighBits = 0x8080808080808080;
constexpr std::uint64_t repeated(int byte) {
  return 0x0101010101010101u * static_cast<unsigned>(byte);
}

// The high bit of every byte from `low` to `high`; all bytes are ASCII.
std::uint64_t between(std::uint64_t bytes, int low, int high) {
  return (bytes + repeated(0x80 - low)) & ~(bytes + repeated(0x7F - high)) & kHighBits;
}

// Bit i of the result: byte i of eight ASCII bytes is a letter, a digit or an underscore.
std::uint64_t word_bits(std::uint64_t bytes) {
  static_assert(std::endian::native == std::endian::little);
  const std::uint64_t found = between(bytes | repeated(0x20), 'a', 'z') | between(bytes, '0', '9') |
                              between(bytes, '_', '_');
  return found * 0x0002040810204081u >> 56;  // gathers the high bits
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

}  // namespace

void find_words(std::string_view text, std::vector<Span>& spans) {
  spans.clear();
  const char* start = text.data();
  const char* stop = start + text.size();
  for (const char* at = start; at != stop;) {
    const Char c = char_at(at, stop);
    if (c.flags & kSpace) {
      at = c.next;
      continue;
    }
    const char* end;
    if (c.flags & kToken) {
      end = word_end(at, stop);
    } else {
      end = emoticon_end(at, stop);
      if (end == at) end = symbol_end(c, stop);
    }
    spans.push_back({static_cast<std::size_t>(at - start), static_cast<std::size_t>(end - start)});
    at = end;
  }
}

bool is_emoticon(std::string_view token) {
  const char* stop = token.data() + token.size();
  const Char first = char_at(token.data(), stop);
  const bool face = (first.cp >= 0x2600 && first.cp <= 0x27BF) || first.cp >= 0x1F000;
  return emoticon_end(token.data(), stop) == stop || (face && (first.flags & kPictograph));
}

void fold(const Analysis& analysis, std::string_view token, std::string& word) {
  if (!analysis.negations.empty() && token.starts_with(kNegated)) {
    std::string bare;
    fold(analysis, token.substr(1), bare);
    word = kNot;
    word += bare;
    return;
  }
  if (analysis.lowercase)
    lower(token, word);
  else
    word = token;
}

WordReader::WordReader(const Analysis& analysis) : analysis_(analysis) {
  for (const std::string& word : analysis_.stop_words) stop_words_.intern(word);
  for (const std::string& word : analysis_.negations) {
    if (word.starts_with('*'))
      negation_endings_.push_back(word.substr(1));
    else
      negations_.intern(word);
  }
}

void WordReader::read(std::string_view text) {
  read_raw(text);
  if (analysis_.lowercase || !analysis_.negations.empty()) fold_words();
  if (stop_words_.size() > 0) drop_stop_words();
}

void WordReader::read_raw(std::string_view text) {
  words_.clear();
  spans_.clear();
  counts_.clear();
  switch (analysis_.tokens) {
    case Tokens::words:
      find_words(text, spans_);
      for (const Span& span : spans_)
        words_.push_back(text.substr(span.begin, span.end - span.begin));
      break;
    case Tokens::pattern:
      find_pattern(text);
      break;
    case Tokens::counts:
      find_counts(text);
      break;
    case Tokens::white:
      find_white(text);
      break;
    case Tokens::chars:
      find_chars(text);
      break;
  }
  if (!analysis_.negations.empty()) mark_negated();
  if (analysis_.boundaries) {
    words_.insert(words_.begin(), "<s>");
    words_.push_back("</s>");
    if (has_spans()) {
      spans_.insert(spans_.begin(), {0, 0});
      spans_.push_back({text.size(), text.size()});
    }
  }
}

void WordReader::fold_words() {
  // Lower case is at most half as long again in UTF-8: the views into folded_ stay valid.
  std::size_t size = 0;
  for (const std::string_view word : words_) size += word.size() + kNot.size();
  folded_.clear();
  folded_.reserve(size + size / 2 + 8);
  for (std::string_view& word : words_) {
    fold(analysis_, word, folded_word_);
    const std::size_t begin = folded_.size();
    folded_ += folded_word_;
    word = std::string_view(folded_.data() + begin, folded_word_.size());
  }
}

void WordReader::mark_negated() {
  std::size_t size = 0;
  for (const std::string_view word : words_) size += 1 + word.size();
  marked_.clear();
  marked_.reserve(size);
  bool negated = false;
  for (std::string_view& word : words_) {
    const char* stop = word.data() + word.size();
    const Char first = char_at(word.data(), stop);
    if (!(first.flags & kToken)) {
      if ((first.flags & kPunctuation) && first.next == stop) negated = false;
      continue;
    }
    const bool mark = negated;
    lower(word, folded_word_);
    negated = negated || is_negation(folded_word_);
    if (!mark) continue;
    const std::size_t begin = marked_.size();
    marked_ += kNegated;
    marked_ += word;
    word = std::string_view(marked_.data() + begin, marked_.size() - begin);
  }
}

bool WordReader::is_negation(std::string_view word) const {
  return negations_.find(word) != kNone ||
         std::ranges::any_of(negation_endings_,
                             [&](const std::string& ending) { return word.ends_with(ending); });
}

void WordReader::find_pattern(std::string_view text) {
  if (find_pattern_in_ascii(text)) return;
  words_.clear();
  const char* stop = text.data() + text.size();
  for (const char* at = text.data(); at != stop;) {
    const Char first = char_at(at, stop);
    const char* end = first.next;
    Char c = first;
    for (; c.flags & kWord; c = char_at(end, stop)) {
      if (analysis_.lowercase && needs_context_to_lower(c.cp)) {
        lower(text, lowered_text_);
        return find_pattern(lowered_text_);
      }
      end = c.next;
    }
    if (end != first.next) words_.emplace_back(at, static_cast<std::size_t>(end - at));
    at = std::max(end, first.next);
  }
}

// Marks the word characters of 64 bytes as bits, then walks from edge to edge of the runs.
// False, with part of the words found, if the text is not ASCII.
bool WordReader::find_pattern_in_ascii(std::string_view text) {
  std::size_t begin = 0;
  std::uint64_t inside = 0;  // 1 if the last byte belongs to a word, which starts at `begin`
  for (std::size_t base = 0; base < text.size(); base += 64) {
    char padded[64] = {};
    const char* block = text.data() + base;
    if (text.size() - base < 64) {
      std::copy(block, text.data() + text.size(), padded);
      block = padded;
    }
    std::uint64_t word = 0;
    for (int i = 0; i < 64; i += 8) {
      std::uint64_t eight;
      std::memcpy(&eight, block + i, 8);
      if (eight & kHighBits) return false;
      word |= word_bits(eight) << i;
    }
    for (std::uint64_t edges = word ^ (word << 1 | inside); edges; edges &= edges - 1) {
      const std::size_t at = base + static_cast<std::size_t>(std::countr_zero(edges));
      if (inside) {
        if (at - begin > 1) words_.push_back(text.substr(begin, at - begin));
      } else {
        begin = at;
      }
      inside ^= 1;
    }
  }
  if (inside && text.size() - begin > 1) words_.push_back(text.substr(begin));
  return true;
}

void WordReader::find_white(std::string_view text) {
  const char* stop = text.data() + text.size();
  const char* begin = nullptr;
  for (const char* at = text.data(); at != stop;) {
    const Char c = char_at(at, stop);
    if (c.flags & kWhite) {
      if (begin) words_.emplace_back(begin, static_cast<std::size_t>(at - begin));
      begin = nullptr;
    } else if (!begin) {
      begin = at;
    }
    at = c.next;
  }
  if (begin) words_.emplace_back(begin, static_cast<std::size_t>(stop - begin));
}

// Two or more white characters in a row count as one blank. The case of a character depends on
// its neighbours, so the whole text is folded first.
void WordReader::find_chars(std::string_view text) {
  if (analysis_.lowercase) {
    lower(text, lowered_text_);
    text = lowered_text_;
  }
  const char* stop = text.data() + text.size();
  for (const char* at = text.data(); at != stop;) {
    const Char c = char_at(at, stop);
    const char* next = c.next;
    if (c.flags & kWhite)
      while (next != stop && char_at(next, stop).flags & kWhite) next = char_at(next, stop).next;
    words_.push_back(next == c.next ? std::string_view(at, static_cast<std::size_t>(next - at))
                                    : " ");
    at = next;
  }
}

// Lower-casing makes two characters of one that is U+0130, and no other.
void WordReader::locate_chars(std::string_view text) {
  const char* start = text.data();
  const char* stop = start + text.size();
  for (const char* at = start; at != stop;) {
    const Char c = char_at(at, stop);
    const char* next = c.next;
    if (c.flags & kWhite)
      while (next != stop && char_at(next, stop).flags & kWhite) next = char_at(next, stop).next;
    const Span span{static_cast<std::size_t>(at - start), static_cast<std::size_t>(next - start)};
    spans_.push_back(span);
    if (analysis_.lowercase && c.cp == 0x130) spans_.push_back(span);
    at = next;
  }
}

void WordReader::find_counts(std::string_view text) {
  std::uint64_t total = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    if (is_blank(text[begin])) {
      ++begin;
      continue;
    }
    std::size_t end = begin;
    while (end < text.size() && !is_blank(text[end])) ++end;
    const std::string_view item = text.substr(begin, end - begin);
    const std::size_t colon = item.rfind(':');
    std::uint32_t count = 0;
    bool valid = colon != std::string_view::npos && colon > 0;
    if (valid) {
      const char* stop = item.data() + item.size();
      const auto [rest, error] = std::from_chars(item.data() + colon + 1, stop, count);
      valid = error == std::errc() && rest == stop;
    }
    if (!valid)
      throw std::invalid_argument("'" + std::string(item.substr(0, 60)) +
                                  "' is not word:count with a whole count of 0 or more");
    total += count;
    if (total > 0xFFFFFFFF)
      throw std::invalid_argument("the counts sum to more than 4,294,967,295");
    if (count > 0) {
      words_.push_back(item.substr(0, colon));
      counts_.push_back(count);
      spans_.push_back({begin, end});
    }
    begin = end;
  }
}

void WordReader::drop_stop_words() {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < words_.size(); ++i) {
    if (stop_words_.find(words_[i]) != kNone) continue;
    words_[kept] = words_[i];
    if (!spans_.empty()) spans_[kept] = spans_[i];
    if (!counts_.empty()) counts_[kept] = counts_[i];
    ++kept;
  }
  words_.resize(kept);
  if (!spans_.empty()) spans_.resize(kept);
  if (!counts_.empty()) counts_.resize(kept);
}

}  // namespace wordplane
