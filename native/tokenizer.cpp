#include "tokenizer.h"

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include "unicode.h"

namespace wordplane {

namespace {

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
  std::uint8_t flags = 0;
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
  std::uint8_t before = 0;
  while (true) {
    while (at != stop && is_ascii(*at) && (kAsciiFlags[+*at] & kToken))
      before = kAsciiFlags[+*at++];
    const Char c = char_at(at, stop);
    if (c.flags & kToken) {
      before = c.flags;
      at = c.next;
      continue;
    }
    const std::uint8_t after = at == stop ? 0 : char_at(c.next, stop).flags;
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

bool is_white(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

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

WordReader::WordReader(const Analysis& analysis) : analysis_(analysis) {
  for (const std::string& word : analysis.stop_words) stop_words_.intern(word);
}

void WordReader::read(std::string_view text) {
  words_.clear();
  spans_.clear();
  counts_.clear();
  switch (analysis_.tokens) {
    case Tokens::words:
      read_words(text);
      break;
    case Tokens::pattern:
      read_pattern(text);
      break;
    case Tokens::counts:
      read_counts(text);
      break;
  }
  if (stop_words_.size() > 0) drop_stop_words();
  if (analysis_.boundaries) {
    words_.insert(words_.begin(), "<s>");
    words_.push_back("</s>");
    if (analysis_.tokens != Tokens::pattern) {
      spans_.insert(spans_.begin(), {0, 0});
      spans_.push_back({text.size(), text.size()});
    }
  }
}

void WordReader::read_words(std::string_view text) {
  find_words(text, spans_);
  if (!analysis_.lowercase) {
    for (const Span& span : spans_)
      words_.push_back(text.substr(span.begin, span.end - span.begin));
    return;
  }
  // Lower case is at most half as long again in UTF-8: the views into lowered_ stay valid.
  lowered_.clear();
  lowered_.reserve(text.size() + text.size() / 2 + 8);
  for (const Span& span : spans_) {
    lower(text.substr(span.begin, span.end - span.begin), lowered_word_);
    const std::size_t begin = lowered_.size();
    lowered_ += lowered_word_;
    words_.emplace_back(lowered_.data() + begin, lowered_word_.size());
  }
}

void WordReader::read_pattern(std::string_view text) {
  if (analysis_.lowercase) {
    lower(text, lowered_);
    text = lowered_;
  }
  const char* stop = text.data() + text.size();
  for (const char* at = text.data(); at != stop;) {
    const Char first = char_at(at, stop);
    if (!(first.flags & kWord)) {
      at = first.next;
      continue;
    }
    const char* end = first.next;
    for (Char c = char_at(end, stop); c.flags & kWord; c = char_at(end, stop)) end = c.next;
    if (end != first.next) words_.emplace_back(at, static_cast<std::size_t>(end - at));
    at = end;
  }
}

void WordReader::read_counts(std::string_view text) {
  std::uint64_t total = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    if (is_white(text[begin])) {
      ++begin;
      continue;
    }
    std::size_t end = begin;
    while (end < text.size() && !is_white(text[end])) ++end;
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
