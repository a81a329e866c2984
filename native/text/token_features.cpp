#include "text/token_features.h"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <utility>

#include "text/unicode.h"

namespace wordplane {

namespace {

constexpr std::size_t kMaxCached = 1 << 20;  // tokens, so that a stream needs bounded memory
constexpr std::size_t kLongestCached = 64;   // bytes
constexpr std::size_t kPiece = 1 << 12;      // bytes of a token that are folded at once

// Where a character begins, at a byte or after it.
std::size_t next_character(std::string_view text, std::size_t at) {
  while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) ++at;
  return at;
}

std::u32string folded_code_points(std::string_view word, bool lowercase) {
  std::u32string result;
  const char* stop = word.data() + word.size();
  for (const char* at = word.data(); at != stop;) {
    const char32_t cp = decode(at);
    result += lowercase ? cp + static_cast<char32_t>(record_of(cp).lower) : cp;
  }
  return result;
}

bool is_token_char(char32_t cp) { return flags_of(cp) & kToken; }

// What decides the shape of a word.
struct Letters {
  int n = 0, digits = 0, letters = 0, cased = 0, upper = 0;
  bool first_is_upper = false, elongated = false;

  explicit Letters(std::string_view word) {
    char32_t before = 0;
    int run = 0;
    const char* stop = word.data() + word.size();
    for (const char* at = word.data(); at != stop;) {
      const char32_t cp = decode(at);
      const Record& record = record_of(cp);
      if (record.flags & kMark) continue;
      ++n;
      const bool letter = (record.flags & kToken) && !(record.flags & kDigit);
      if (record.flags & kDigit) ++digits;
      if (letter) ++letters;
      if (record.flags & kCased || is_upper(cp)) {
        if (cased++ == 0) first_is_upper = is_upper(cp);
        if (is_upper(cp)) ++upper;
      }
      const char32_t folded = cp + static_cast<char32_t>(record.lower);
      run = letter && folded == before ? run + 1 : 1;
      elongated = elongated || (letter && run >= 3);
      before = folded;
    }
  }
};

}  // namespace

TokenFeatureReader::TokenFeatureReader(const TokenFeatures& features, Columns columns)
    : features_(features),
      columns_(std::move(columns)),
      reads_words_(!features.prefixes.empty() || !features.suffixes.empty() || features.shapes ||
                   features.lengths || !features.known_words.empty()),
      finder_(features.spaced) {
  for (const std::string& word : features_.known_words) known_words_.intern(word);
  std::unordered_map<std::string, std::size_t> number_of;
  for (const TriggerList& list : features_.triggers) {
    for (const std::string& word : list.words) {
      const auto [at, is_new] = number_of.try_emplace(word, triggers_.size());
      if (is_new) {
        triggers_.push_back({folded_code_points(word, features_.folding.lowercase), word, {}});
        if (!word.empty()) triggers_by_first_[triggers_.back().word[0]].push_back(at->second);
      }
      triggers_[at->second].lists.push_back(list.name);
    }
  }
}

const std::vector<Count>& TokenFeatureReader::read(std::string_view text) {
  touch_columns(text);
  if (features_.n_groups() > 1) sort_touched();  // so that a group follows another
  return take_touched();
}

const std::vector<Count>& TokenFeatureReader::count(std::string_view text) {
  touch_columns(text);
  return take_touched();
}

void TokenFeatureReader::touch_columns(std::string_view text) {
  each_token(text,
             [&](Cache& cache, Span token, auto find) { add_token(cache, text, token, find); });
  find_in_text(text, [&](std::string_view name, Span) { add(columns_.of(name)); });
}

const std::vector<Count>& TokenFeatureReader::take_touched() {
  counts_.clear();
  for (const std::uint32_t column : touched_) {
    counts_.push_back({static_cast<std::int32_t>(column), sums_[column]});
    sums_[column] = 0;
  }
  touched_.clear();
  return counts_;
}

std::vector<Occurrence> TokenFeatureReader::trace(std::string_view text) {
  std::vector<Occurrence> occurrences;
  const Found found = [&](std::string_view name, Span span) {
    const std::uint32_t column = columns_.of(name);
    if (column != kNone)
      occurrences.push_back({static_cast<std::int32_t>(column), 1, span, std::string(name)});
  };
  each_token(text, [&](Cache&, Span token, auto find) { (this->*find)(text, token, found); });
  find_in_text(text, found);
  return occurrences;
}

// Calls each(cache, token, find) for what stands between white space and for all words, as far
// as their features are asked for. Leaves the words in words_.
template <class Each>
void TokenFeatureReader::each_token(std::string_view text, Each&& each) {
  if (features_.max_chars > 0) {
    std::string_view visible = text;
    if (features_.folding.has_names()) {
      find_named(text, features_.folding, named_);
      visible_ = text;
      blank_named(named_, visible_);
      visible = visible_;
    }
    const char* start = visible.data();
    const char* stop = start + visible.size();
    const char* begin = start;
    for (const char* at = start;;) {
      const char* next = at;
      if (at == stop || (flags_of(decode(next)) & kWhite)) {
        if (at != begin)
          each(chunk_cache_,
               Span{static_cast<std::size_t>(begin - start), static_cast<std::size_t>(at - start)},
               &TokenFeatureReader::find_in_chunk);
        if (at == stop) break;
        begin = next;
      }
      at = next;
    }
  }
  words_.clear();
  if (!reads_words_) return;
  finder_.find(text, words_);
  for (const Span& word : words_) each(word_cache_, word, &TokenFeatureReader::find_in_word);
}

// Long texts touch so many columns that looking through one bit each is quicker than sorting.
void TokenFeatureReader::sort_touched() {
  const std::size_t n_words = sums_.size() / 64 + 1;
  if (touched_.size() < n_words / 16) {
    std::ranges::sort(touched_);
    return;
  }
  bits_.resize(n_words);
  for (const std::uint32_t column : touched_) bits_[column / 64] |= std::uint64_t{1} << column % 64;
  touched_.clear();
  for (std::size_t i = 0; i < n_words; ++i) {
    for (std::uint64_t left = bits_[i]; left; left &= left - 1)
      touched_.push_back(static_cast<std::uint32_t>(64 * i) +
                         static_cast<std::uint32_t>(std::countr_zero(left)));
    bits_[i] = 0;
  }
}

void TokenFeatureReader::add(std::uint32_t column) {
  if (column == kNone) return;
  if (column >= sums_.size()) sums_.resize(std::max<std::size_t>(column + 1, 2 * sums_.size()));
  if (sums_[column]++ == 0) touched_.push_back(column);
}

void TokenFeatureReader::add_token(Cache& cache, std::string_view text, Span token,
                                   void (TokenFeatureReader::*find)(std::string_view, Span,
                                                                    const Found&)) {
  if (token.end - token.begin > kLongestCached) {
    (this->*find)(text, token, [&](std::string_view name, Span) { add(columns_.of(name)); });
    return;
  }
  if (cache.tokens.size() > kMaxCached) cache = Cache();
  const std::size_t known = cache.tokens.size();
  const std::uint32_t id =
      cache.tokens.intern(text.substr(token.begin, token.end - token.begin)).id;
  if (cache.tokens.size() > known) {
    names_.clear();
    name_ends_.clear();
    (this->*find)(text, token, [&](std::string_view name, Span) {
      if (columns_.expect) columns_.expect(name);
      names_ += name;
      name_ends_.push_back(names_.size());
    });
    std::size_t begin = 0;
    for (const std::size_t end : name_ends_) {
      const std::uint32_t column = columns_.of(std::string_view(names_).substr(begin, end - begin));
      if (column != kNone) cache.columns.push_back(column);
      begin = end;
    }
    cache.ends.push_back(cache.columns.size());
  }
  for (std::size_t i = id == 0 ? 0 : cache.ends[id - 1]; i < cache.ends[id]; ++i)
    add(cache.columns[i]);
}

// Begins to fold a token, of which no character is kept yet.
void TokenFeatureReader::start_folding(std::string_view text, Span token) {
  const std::string_view raw = text.substr(token.begin, token.end - token.begin);
  if (features_.folding.lowercase)
    lower(raw, lowered_);
  else
    lowered_ = raw;
  at_raw_ = token.begin;
  at_lowered_ = 0;
  folded_.clear();
}

// Goes on to a byte of the text, keeping the characters or not. Lower-casing makes two of one that
// is U+0130, and no other; without its accent a character may become none or several.
void TokenFeatureReader::fold_until(std::string_view text, std::size_t end, bool keep) {
  const char* low = lowered_.data() + at_lowered_;
  for (const char* at = text.data() + at_raw_; at != text.data() + end;) {
    const char* begin = at;
    const char32_t cp = decode(at);
    const Span span{static_cast<std::size_t>(begin - text.data()),
                    static_cast<std::size_t>(at - text.data())};
    for (int n = features_.folding.lowercase && cp == 0x130 ? 2 : 1; n > 0; --n) {
      const char* first = low;
      const char32_t folded = decode(low);
      if (!keep) continue;
      const std::size_t known = folded_.text.size();
      if (features_.folding.accents)
        strip_accents(folded, folded_.text);
      else
        folded_.text.append(first, static_cast<std::size_t>(low - first));
      for (const char* c = folded_.text.data() + known;
           c != folded_.text.data() + folded_.text.size();) {
        decode(c);
        folded_.add_character(span, static_cast<std::size_t>(c - folded_.text.data()));
      }
    }
  }
  at_raw_ = end;
  at_lowered_ = static_cast<std::size_t>(low - lowered_.data());
}

// The first characters of a token, or the last: n of them or more, or all that there are.
void TokenFeatureReader::fold_end(std::string_view text, Span token, std::size_t n, bool last) {
  const std::size_t size = token.end - token.begin;
  for (std::size_t bytes = kPiece;; bytes *= 2) {
    const bool whole = bytes >= size;
    const std::size_t begin =
        last && !whole ? next_character(text, token.end - bytes) : token.begin;
    start_folding(text, token);
    fold_until(text, begin, false);
    fold_until(text, last || whole ? token.end : next_character(text, token.begin + bytes), true);
    if (whole || folded_.size() >= n) return;
  }
}

// Reports n characters of the folded token, from number `begin` on.
void TokenFeatureReader::name_part(std::string_view group, std::size_t begin, std::size_t n,
                                   const Found& found) {
  name_ = group;
  name_.append(folded_.text, folded_.at[begin], folded_.at[begin + n] - folded_.at[begin]);
  found(name_, {folded_.raw[begin].begin, folded_.raw[begin + n - 1].end});
}

// A blank before and after, which stand nowhere in the text. A long chunk is folded piece by piece:
// what is kept of its characters is many times as large as they are.
void TokenFeatureReader::find_in_chunk(std::string_view text, Span chunk, const Found& found) {
  const auto shortest = static_cast<std::size_t>(features_.min_chars);
  const auto longest = static_cast<std::size_t>(features_.max_chars);
  start_folding(text, chunk);
  folded_.add_blank({chunk.begin, chunk.begin});
  bool is_empty = true;  // as it is if all of it are accents that are left out
  while (at_raw_ < chunk.end) {
    const bool is_last = chunk.end - at_raw_ <= kPiece;
    fold_until(text, is_last ? chunk.end : next_character(text, at_raw_ + kPiece), true);
    is_empty = is_empty && folded_.size() == 1;
    if (is_last || folded_.size() < 2 * longest) continue;
    const std::size_t n_done = folded_.size() - longest;
    for (std::size_t i = 0; i < n_done; ++i)
      for (std::size_t n = shortest; n <= longest; ++n) name_part("char:", i, n, found);
    folded_.drop(n_done);
  }
  if (is_empty) return;
  folded_.add_blank({chunk.end, chunk.end});
  const std::size_t length = folded_.size();
  for (std::size_t n = shortest; n <= longest; ++n) {
    if (length <= n) {
      name_part("char:", 0, length, found);
      break;
    }
    for (std::size_t i = 0; i + n <= length; ++i) name_part("char:", i, n, found);
  }
}

void TokenFeatureReader::find_in_word(std::string_view text, Span span, const Found& found) {
  const std::string_view word = text.substr(span.begin, span.end - span.begin);
  const char* at = word.data();
  if (!(flags_of(decode(at)) & kToken)) {
    if (features_.shapes && is_emoticon(word)) found("shape:EMOTICON", span);
    return;
  }
  if (features_.shapes || features_.lengths || !features_.known_words.empty())
    find_shapes(word, span, found);
  const auto fold_for = [&](const std::vector<int>& lengths, bool last) {
    if (!lengths.empty())
      fold_end(text, span, static_cast<std::size_t>(std::ranges::max(lengths)) + 1, last);
  };
  fold_for(features_.prefixes, false);
  for (const int length : features_.prefixes)
    if (const auto n = static_cast<std::size_t>(length); n < folded_.size())
      name_part("prefix:", 0, n, found);
  fold_for(features_.suffixes, true);
  for (const int length : features_.suffixes)
    if (const auto n = static_cast<std::size_t>(length); n < folded_.size())
      name_part("suffix:", folded_.size() - n, n, found);
}

void TokenFeatureReader::find_shapes(std::string_view word, Span span, const Found& found) {
  const Letters of(word);
  if (features_.shapes) {
    if (of.digits > 0 && of.letters == 0)
      found("shape:DIGITS", span);
    else if (of.digits > 0 || (of.upper > 1 && of.upper < of.cased) ||
             (of.upper == 1 && !of.first_is_upper))
      found("shape:MIXED", span);
    else if (of.upper > 1)
      found("shape:ALLCAPS", span);
    else if (of.upper == 1)
      found("shape:CAPITALISED", span);
    if (of.elongated) found("shape:ELONGATED", span);
  }
  if (features_.lengths)
    found(of.n == 1   ? "length:1"
          : of.n <= 3 ? "length:2-3"
          : of.n <= 6 ? "length:4-6"
          : of.n <= 9 ? "length:7-9"
                      : "length:10+",
          span);
  if (!features_.known_words.empty() && of.digits == 0) {
    lower(word, name_);
    if (known_words_.find(name_) == kNone) found("shape:MISSPELT", span);
  }
}

void TokenFeatureReader::find_in_text(std::string_view text, const Found& found) {
  if (features_.shapes) {
    int n_words = 0, n_capitalised = 0;
    for (const Span& span : words_) {
      const Letters of(text.substr(span.begin, span.end - span.begin));
      n_words += of.cased > 0;
      n_capitalised += of.first_is_upper;
      if (n_capitalised < n_words) break;
    }
    if (n_words > 1 && n_capitalised == n_words)
      found("shape:ALL_WORDS_CAPITALISED", {0, text.size()});
  }
  if (!triggers_.empty()) find_triggers(text, found);
}

// A trigger that begins or ends with a letter or digit does so where a word does.
void TokenFeatureReader::find_triggers(std::string_view text, const Found& found) {
  const char* start = text.data();
  const char* stop = start + text.size();
  const auto folded = [&](char32_t cp) {
    return features_.folding.lowercase ? cp + static_cast<char32_t>(record_of(cp).lower) : cp;
  };
  char32_t before = 0;
  for (const char* at = start; at != stop;) {
    const char* begin = at;
    const char32_t first = decode(at);
    const auto candidates = triggers_by_first_.find(folded(first));
    if (candidates != triggers_by_first_.end() &&
        !(is_token_char(first) && before != 0 && is_token_char(before))) {
      for (const std::size_t number : candidates->second) {
        const Trigger& trigger = triggers_[number];
        const char* end = at;
        char32_t last = first;
        bool same = true;
        for (std::size_t i = 1; i < trigger.word.size() && same; ++i) {
          same = end != stop && folded(last = decode(end)) == trigger.word[i];
        }
        const char* after = end;
        if (!same || (end != stop && is_token_char(last) && is_token_char(decode(after)))) continue;
        const Span span{static_cast<std::size_t>(begin - start),
                        static_cast<std::size_t>(end - start)};
        found("trigger:" + trigger.name, span);
        for (const std::string& list : trigger.lists) found("trigger:any:" + list, span);
      }
    }
    before = first;
  }
}

}  // namespace wordplane
