#include "text/tokenizer.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <stdexcept>
#include <utility>

#include "text/characters.h"

namespace wordplane {

namespace {

constexpr std::string_view kNot = "NOT_";

constexpr std::size_t kPadding = 128;  // blanks behind a text; find_runs looks at them

// Marks the bytes of 64 that are inside words as bits, notes the edges of their runs, and takes
// what stands between two edges as a word, if is_word(run). `inside_ascii` looks at bytes of ASCII,
// `inside` at the flags of other characters. `runs` is memory to work in: it only grows, so that
// it is not cleared for every text.
template <class InsideAscii, class Inside, class IsWord>
void find_runs(std::string_view text, InsideAscii&& inside_ascii, Inside&& inside, IsWord&& is_word,
               std::vector<std::string_view>& runs, std::vector<std::string_view>& words) {
  std::size_t n_words = 0;
  std::size_t edges[64 + 2];  // the first may be from a block before
  std::size_t n_edges = 0;
  std::uint64_t last = 0;   // 1 if the byte before is inside
  std::uint64_t spill = 0;  // what a character of the block before has in this one
  for (std::size_t base = 0; base < text.size() + last; base += 64) {
    const char* block = text.data() + base;
    std::uint64_t word = spill | bits_where(block, inside_ascii);
    spill = 0;
    const auto is_lead = [](unsigned char c) { return c >= 0xC0; };  // of a character beyond ASCII
    for (std::uint64_t left = bits_where(block, is_lead); left; left &= left - 1) {
      const int i = std::countr_zero(left);
      const char* at = block + i;
      if (!inside(flags_of(decode(at)))) continue;
      const std::uint64_t bytes = (std::uint64_t{1} << (at - block - i)) - 1;
      word |= bytes << i;
      if (i > 60) spill = bytes >> (64 - i);
    }
    for (std::uint64_t left = word ^ (word << 1 | last); left; left &= left - 1)
      edges[n_edges++] = base + static_cast<std::size_t>(std::countr_zero(left));
    last = word >> 63;
    if (runs.size() < n_words + 33) runs.resize(2 * n_words + 256);
    for (std::size_t e = 0; e + 1 < n_edges; e += 2) {
      runs[n_words] = {text.data() + edges[e], edges[e + 1] - edges[e]};
      n_words += is_word(runs[n_words]);
    }
    edges[0] = edges[n_edges - (n_edges > 0)];
    n_edges %= 2;
  }
  words.assign(runs.begin(), runs.begin() + static_cast<std::ptrdiff_t>(n_words));
}

// A word of our own with readable bytes behind it.
std::string_view padded(std::string_view word) {
  static constexpr char kWords[] = " \0<s>\0</s>\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
  const std::string_view all(kWords, sizeof(kWords));
  return all.substr(all.find(word), word.size());
}

// The end of the character that begins here; two or more that are white are one blank.
const char* unit_end(const char* at, const char* stop) {
  const Char c = char_at(at, stop);
  const char* next = c.next;
  if (c.flags & kWhite)
    while (next != stop && char_at(next, stop).flags & kWhite) next = char_at(next, stop).next;
  return next;
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

}  // namespace

Stems::Stems(const std::vector<std::pair<std::string, std::string>>& pairs) {
  for (const auto& [word, stem] : pairs) {
    if (stem.empty()) throw std::invalid_argument("the stem of '" + word + "' is empty");
    words_.intern(word);
    bytes_ += stem;
    ends_.push_back(bytes_.size());
    if (words_.size() != ends_.size())
      throw std::invalid_argument("'" + word + "' is twice among the words with stems");
  }
  bytes_.append(kPadding, '\0');
}

WordReader::WordReader(const Analysis& analysis)
    : analysis_(analysis), finder_(analysis.tokens == Tokens::spaced) {
  for (const std::string& word : analysis_.stop_words) stop_words_.intern(word);
  for (const std::string& word : analysis_.negations) {
    if (word.starts_with('*'))
      negation_endings_.push_back(word.substr(1));
    else
      negations_.intern(word);
  }
  if (analysis_.tokens == Tokens::regex) pattern_.emplace(*analysis_.pattern);
}

void WordReader::read(std::string_view text) {
  words_.clear();
  spans_.clear();
  counts_.clear();
  // Words that are found in place are folded when they have been found: folding may move them.
  if (is_in_place())
    text_ = text;
  else
    fold(text, analysis_.folding, text_);
  if (analysis_.folding.has_names()) {
    find_named(text_, analysis_.folding, named_);
    blank_named(named_, text_);
  }
  text_.append(kPadding, ' ');
  find_words(std::string_view(text_).substr(0, text_.size() - kPadding));
  if (!is_in_place() && analysis_.tokens != Tokens::chars && notes_places()) {
    for (const std::string_view word : words_) {
      const auto begin = static_cast<std::size_t>(word.data() - text_.data());
      spans_.push_back({begin, begin + word.size()});
    }
  }
  if (analysis_.folding.has_names()) insert_named();
  if (analysis_.boundaries) add_boundaries(text_.size() - kPadding);
  if (is_in_place() && (analysis_.folding.lowercase || analysis_.folding.accents)) fold_words();
  if (!analysis_.negations.empty()) mark_negated();
  if (stop_words_.size() > 0)
    keep_words([&](std::string_view word) { return !is_stop_word(word); });
  if (analysis_.stems) stem_words();
}

void WordReader::find_words(std::string_view text) {
  switch (analysis_.tokens) {
    case Tokens::words:
    case Tokens::spaced:
      finder_.find(text, spans_);
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
    case Tokens::regex:
      pattern_->find(text, words_);
      break;
    case Tokens::chars:
      find_chars(text);
      break;
  }
}

// Puts <url> and the like where they belong among the words.
void WordReader::insert_named() {
  if (named_.empty() || analysis_.tokens == Tokens::chars) return;
  const auto words = std::exchange(words_, {});
  const auto spans = std::exchange(spans_, {});
  std::size_t next = 0;
  const auto insert_before = [&](std::size_t place) {
    for (; next < named_.size() && named_[next].span.begin < place; ++next) {
      words_.push_back(named_[next].name);
      spans_.push_back(named_[next].span);
    }
  };
  for (std::size_t i = 0; i < words.size(); ++i) {
    insert_before(spans[i].begin);
    words_.push_back(words[i]);
    spans_.push_back(spans[i]);
  }
  insert_before(text_.size());
}

void WordReader::add_boundaries(std::size_t size) {
  words_.insert(words_.begin(), padded("<s>"));
  words_.push_back(padded("</s>"));
  spans_.insert(spans_.begin(), {0, 0});
  spans_.push_back({size, size});
}

// ASCII words are folded where they stand, others beside.
void WordReader::fold_words() {
  const auto is_plain = [](std::string_view bytes) {
    char all = 0;
    for (const char c : bytes) all |= c;
    return is_ascii(all);
  };
  if (!is_plain(text_)) {
    // The views into folded_ must stay valid. Lower case is at most half as long again in UTF-8,
    // and what is left of a character without accents at most 11 times as long.
    std::size_t size = 0;
    for (const std::string_view word : words_)
      if (!is_plain(word)) size += word.size();
    folded_.clear();
    folded_.reserve((analysis_.folding.accents ? 12 : 2) * size + kPadding);
    for (std::string_view& word : words_) {
      if (is_plain(word)) continue;
      fold(word, analysis_.folding, folded_word_);
      const std::size_t begin = folded_.size();
      folded_ += folded_word_;
      word = std::string_view(folded_.data() + begin, folded_word_.size());
    }
    folded_.append(kPadding, '\0');
    if (analysis_.folding.accents)  // a mark by itself leaves nothing
      keep_words([](std::string_view word) { return !word.empty(); });
  }
  if (!analysis_.folding.lowercase) return;
  for (char& c : text_) c = static_cast<char>(c + (c >= 'A' && c <= 'Z' ? 'a' - 'A' : 0));
}

void WordReader::mark_negated() {
  std::size_t size = kPadding;
  for (const std::string_view word : words_) size += kNot.size() + stem_of(word).size();
  marked_.clear();
  marked_.reserve(size);
  bool negated = false;
  for (std::size_t i = analysis_.boundaries; i < words_.size() - analysis_.boundaries; ++i) {
    std::string_view& word = words_[i];
    const char* stop = word.data() + word.size();
    const Char first = char_at(word.data(), stop);
    if (!(first.flags & kToken)) {
      if ((first.flags & kPunctuation) && first.next == stop) negated = false;
      continue;
    }
    const bool mark = negated;
    lower(word, folded_word_);
    negated = negated || is_negation(folded_word_);
    if (!mark || is_stop_word(word)) continue;
    const std::size_t begin = marked_.size();
    marked_ += kNot;
    marked_ += stem_of(word);
    word = std::string_view(marked_.data() + begin, marked_.size() - begin);
  }
  marked_.append(kPadding, '\0');
}

// Words that are marked have been stemmed.
void WordReader::stem_words() {
  for (std::string_view& word : words_) {
    const bool is_marked = !analysis_.negations.empty() && word.data() >= marked_.data() &&
                           word.data() < marked_.data() + marked_.size();
    if (!is_marked) word = analysis_.stems->of(word);
  }
}

bool WordReader::is_negation(std::string_view word) const {
  return negations_.find(word) != kNone ||
         std::ranges::any_of(negation_endings_,
                             [&](const std::string& ending) { return word.ends_with(ending); });
}

void WordReader::find_pattern(std::string_view text) {
  const auto two_or_more = [](std::string_view run) {
    const auto lead = static_cast<unsigned char>(run[0]);
    return run.size() > (lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4);
  };
  const auto is_word = [](std::uint16_t flags) { return flags & kWord; };
  find_runs(text, is_ascii_word, is_word, two_or_more, runs_, words_);
}

void WordReader::find_white(std::string_view text) {
  const auto is_visible = [](std::uint16_t flags) { return !(flags & kWhite); };
  const auto any = [](std::string_view) { return true; };
  find_runs(text, is_ascii_visible, is_visible, any, runs_, words_);
}

void WordReader::find_chars(std::string_view text) {
  const char* stop = text.data() + text.size();
  for (const char* at = text.data(); at != stop;) {
    const char* next = unit_end(at, stop);
    const std::string_view unit(at, static_cast<std::size_t>(next - at));
    words_.push_back(next == char_at(at, stop).next ? unit : padded(" "));
    at = next;
  }
}

// Folding may change the length of a character: places in text_ are those of the characters that
// its bytes come from, whole even if only a part of one is in a word (U+0130 becomes two).
void WordReader::locate(std::string_view text) {
  if (is_in_place()) return;
  const std::vector<Span> origins = fold_origins(text, analysis_.folding);
  if (analysis_.tokens == Tokens::chars) {  // in the order of find_chars
    const char* const start = text_.data();
    const char* const stop = start + text_.size() - kPadding;
    for (const char* at = start; at != stop;) {
      const char* next = unit_end(at, stop);
      spans_.push_back(
          {static_cast<std::size_t>(at - start), static_cast<std::size_t>(next - start)});
      at = next;
    }
  } else if (!notes_places()) {
    for (const std::string_view word : words_) {
      const auto begin = static_cast<std::size_t>(word.data() - text_.data());
      spans_.push_back({begin, begin + word.size()});
    }
  }
  for (Span& span : spans_) {
    if (span.begin == span.end)  // a boundary
      span = span.begin == 0 ? Span{0, 0} : Span{text.size(), text.size()};
    else
      span = {origins[span.begin].begin, origins[span.end - 1].end};
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

template <class Keep>
void WordReader::keep_words(Keep&& keep) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < words_.size(); ++i) {
    if (!keep(words_[i])) continue;
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
