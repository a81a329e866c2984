// Slow, obvious versions of what the core does fast: one character at a time, ordered maps, no
// tables but those of Unicode. tests/reference.py says the same in Python.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "text/tokenizer.h"
#include "text/unicode.h"

namespace wordplane::reference {

// A character and where it stands in a text.
struct Letter {
  char32_t cp;
  Span span;
  bool is(std::uint16_t flags) const { return flags_of(cp) & flags; }
};
using Letters = std::vector<Letter>;

struct Token {
  std::string word;
  Span span;
  std::uint32_t count = 1;
};
using Tokens = std::vector<Token>;
using Ngram = std::vector<std::string>;
using Counts = std::map<Ngram, std::uint64_t>;

inline bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[i + k]); };
    const std::size_t n = byte(0) < 0x80 ? 1 : byte(0) < 0xE0 ? 2 : byte(0) < 0xF0 ? 3 : 4;
    if (i + n > text.size()) return false;
    char32_t cp = n == 1 ? byte(0) : byte(0) & (0xFF >> (n + 1));
    for (std::size_t k = 1; k < n; ++k) cp = cp << 6 | (byte(k) & 0x3F);
    if (cp > 0x10FFFF || (cp >= 0xD800 && cp < 0xE000)) return false;
    std::string again;
    encode(cp, again);
    if (again != text.substr(i, n)) return false;
    i += n;
  }
  return true;
}

inline Letters letters(std::string_view text) {
  Letters letters;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = begin + 1;
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) ++end;
    const char* at = text.data() + begin;
    letters.push_back({decode(at), {begin, end}});
    begin = end;
  }
  return letters;
}

inline std::string text_of(const Letters& letters, std::size_t begin, std::size_t end) {
  std::string text;
  for (std::size_t i = begin; i < end; ++i) encode(letters[i].cp, text);
  return text;
}

// In lower case, each where its original stands. A capital sigma after a cased letter and before
// none is a final one.
inline Letters folded(const Letters& raw) {
  Letters folded;
  for (std::size_t i = 0; i < raw.size(); ++i) {
    const auto [cp, span] = raw[i];
    const auto plain = [](const Letter& letter) { return !letter.is(kIgnorable); };
    const auto before =
        std::find_if(raw.rend() - static_cast<std::ptrdiff_t>(i), raw.rend(), plain);
    const auto after =
        std::find_if(raw.begin() + static_cast<std::ptrdiff_t>(i) + 1, raw.end(), plain);
    if (cp == 0x3A3) {
      const bool ends =
          before != raw.rend() && before->is(kCased) && !(after != raw.end() && after->is(kCased));
      folded.push_back({ends ? U'\u03C2' : U'\u03C3', span});
    } else if (cp == 0x130) {
      folded.push_back({U'i', span});
      folded.push_back({0x307, span});
    } else {
      folded.push_back({cp + static_cast<char32_t>(record_of(cp).lower), span});
    }
  }
  return folded;
}

inline std::string lower(std::string_view text) {
  const Letters all = folded(letters(text));
  return text_of(all, 0, all.size());
}

// The words, emoticons and symbols of a text, as WordFinder describes them.
class Finder {
 public:
  Finder(const Letters& letters, bool spaced) : letters_(letters), spaced_(spaced) {}

  std::vector<Span> find() const {
    std::vector<Span> spans;
    for (std::size_t i = 0; i < letters_.size();) {
      if (is(i, kSpace)) {
        ++i;
        continue;
      }
      const std::size_t end = is(i, kToken) ? word_end(i) : symbol_end(i);
      spans.push_back({letters_[i].span.begin, letters_[end - 1].span.end});
      i = end;
    }
    return spans;
  }

 private:
  char32_t at(std::size_t i) const { return i < letters_.size() ? letters_[i].cp : 0; }
  bool is(std::size_t i, std::uint16_t flags) const {
    return i < letters_.size() && letters_[i].is(flags);
  }
  bool alone(std::size_t i) const { return !spaced_ && is(i, kUnspaced); }

  std::size_t word_end(std::size_t i) const {
    if (alone(i++)) {
      while (is(i, kMark)) ++i;
      return i;
    }
    for (; i < letters_.size() && !alone(i); ++i) {
      const bool joins =
          std::u32string_view(U"'-_\u2019\u2010\u2011\u00AD\u200C\u200D").find(at(i)) !=
              std::u32string_view::npos &&
          is(i + 1, kToken) && !is(i + 1, kMark) && !alone(i + 1);
      const bool decimal = (at(i) == '.' || at(i) == ',') && is(i - 1, kDigit) && is(i + 1, kDigit);
      if (!is(i, kToken) && !joins && !decimal) break;
    }
    return i;
  }

  std::size_t symbol_end(std::size_t i) const {
    static const std::u32string_view kEmoticons[] = {
        U":'-(", U":'-)", U":'(", U":')", U":-)", U":-(", U":-D", U":-P",  U":-p", U":-/",
        U":-\\", U":-*",  U":-|", U":-O", U":-o", U":)",  U":(",  U":D",   U":P",  U":p",
        U":/",   U":\\",  U":*",  U":|",  U":O",  U":o",  U";-)", U";)",   U"=)",  U"=(",
        U"=D",   U"=P",   U"</3", U"<3",  U"^_^", U"^^",  U"-_-", U">:-(", U">:("};
    std::size_t longest = 0;
    for (const std::u32string_view emoticon : kEmoticons) {
      bool fits = true;
      for (std::size_t k = 0; k < emoticon.size(); ++k) fits = fits && at(i + k) == emoticon[k];
      const std::size_t next = i + emoticon.size();
      if (fits && at(next) != '/' && !is(next, kToken))
        longest = std::max(longest, emoticon.size());
    }
    if (longest > 0) return i + longest;
    const auto regional = [&](std::size_t k) { return at(k) >= 0x1F1E6 && at(k) <= 0x1F1FF; };
    const bool picture = is(i, kPictograph);
    i += regional(i) && regional(i + 1) ? 2 : 1;
    while (i < letters_.size()) {
      const char32_t cp = at(i);
      const bool modifies = (cp >= 0x1F3FB && cp <= 0x1F3FF) || (cp >= 0xE0020 && cp <= 0xE007F);
      if (is(i, kMark) || (picture && modifies))
        ++i;
      else if (picture && cp == 0x200D && is(i + 1, kPictograph))
        i += 2;
      else
        break;
    }
    return i;
  }

  const Letters& letters_;
  bool spaced_;
};

// What stands between letters that are not `inside`, of `shortest` letters or more.
template <class Inside>
Tokens runs(const Letters& letters, std::size_t shortest, Inside&& inside) {
  Tokens tokens;
  for (std::size_t i = 0, begin = 0; i <= letters.size(); ++i) {
    if (i < letters.size() && inside(letters[i])) continue;
    if (i >= begin + shortest)
      tokens.push_back(
          {text_of(letters, begin, i), {letters[begin].span.begin, letters[i - 1].span.end}});
    begin = i + 1;
  }
  return tokens;
}

inline Tokens characters(const Letters& letters) {
  Tokens tokens;
  for (std::size_t i = 0; i < letters.size();) {
    std::size_t end = i + 1;
    if (letters[i].is(kWhite))
      while (end < letters.size() && letters[end].is(kWhite)) ++end;
    tokens.push_back({end == i + 1 ? text_of(letters, i, end) : " ",
                      {letters[i].span.begin, letters[end - 1].span.end}});
    i = end;
  }
  return tokens;
}

// Throws std::invalid_argument on what is not word:count.
inline Tokens counted(std::string_view text) {
  Tokens tokens;
  std::uint64_t total = 0;
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; };
  for (std::size_t begin = 0, end; begin < text.size(); begin = end + 1) {
    for (end = begin; end < text.size() && !blank(text[end]);) ++end;
    if (end == begin) continue;
    const std::string item(text.substr(begin, end - begin));
    const std::size_t colon = item.rfind(':');
    if (colon == item.npos || colon == 0 || colon + 1 == item.size())
      throw std::invalid_argument(item);
    std::uint64_t count = 0;
    for (std::size_t i = colon + 1; i < item.size(); ++i) {
      if (item[i] < '0' || item[i] > '9') throw std::invalid_argument(item);
      count = std::min<std::uint64_t>(10 * count + static_cast<std::uint64_t>(item[i] - '0'),
                                      1ull << 40);
    }
    total += count;
    if (total > 0xFFFFFFFF) throw std::invalid_argument(item);
    if (count > 0)
      tokens.push_back({item.substr(0, colon), {begin, end}, static_cast<std::uint32_t>(count)});
  }
  return tokens;
}

// Marks words behind a negation up to the next punctuation mark.
inline void negate(Tokens& tokens, const Analysis& analysis) {
  bool negated = false;
  for (Token& token : tokens) {
    const Letters all = letters(token.word);
    if (!all[0].is(kToken)) {
      if (all.size() == 1 && all[0].is(kPunctuation)) negated = false;
      continue;
    }
    const std::string word = lower(token.word);
    if (negated && std::ranges::count(analysis.stop_words, token.word) == 0)
      token.word = "NOT_" + token.word;
    for (const std::string& negation : analysis.negations)
      negated =
          negated || word == negation || (negation[0] == '*' && word.ends_with(negation.substr(1)));
  }
}

inline Tokens tokens(const Analysis& analysis, std::string_view text) {
  using Kind = wordplane::Tokens;
  const Letters raw = letters(text);
  const Letters all = analysis.folding.lowercase ? folded(raw) : raw;
  Tokens tokens;
  switch (analysis.tokens) {
    case Kind::words:
    case Kind::spaced:
      for (const Span& span : Finder(raw, analysis.tokens == Kind::spaced).find())
        tokens.push_back({std::string(text.substr(span.begin, span.end - span.begin)), span});
      break;
    case Kind::pattern:
      tokens = runs(all, 2, [](const Letter& letter) { return letter.is(kWord); });
      break;
    case Kind::white:
      tokens = runs(all, 1, [](const Letter& letter) { return !letter.is(kWhite); });
      break;
    case Kind::chars:
      tokens = characters(all);
      break;
    case Kind::counts:
      tokens = counted(text);
      break;
    case Kind::regex:  // tests/text/test_token_spec_patterns.py compares it with Python's
      break;
  }
  const bool in_place = analysis.tokens == Kind::words || analysis.tokens == Kind::spaced ||
                        analysis.tokens == Kind::counts;
  if (in_place && analysis.folding.lowercase)
    for (Token& token : tokens) token.word = lower(token.word);
  if (!analysis.negations.empty()) negate(tokens, analysis);
  if (analysis.boundaries) {
    tokens.insert(tokens.begin(), {"<s>", {0, 0}});
    tokens.push_back({"</s>", {text.size(), text.size()}});
  }
  std::erase_if(tokens, [&](const Token& token) {
    return std::ranges::count(analysis.stop_words, token.word) > 0;
  });
  return tokens;
}

inline Counts ngrams(const Analysis& analysis, std::string_view text) {
  const Tokens all = tokens(analysis, text);
  Counts counts;
  for (std::size_t n = static_cast<std::size_t>(analysis.min_n);
       n <= static_cast<std::size_t>(analysis.max_n); ++n)
    for (std::size_t i = 0; i + n <= all.size(); ++i) {
      Ngram ngram;
      for (std::size_t k = 0; k < n; ++k) ngram.push_back(all[i + k].word);
      counts[ngram] += all[i].count;
    }
  return counts;
}

// The name of a feature.
inline std::string name(const Ngram& ngram, bool chars) {
  std::string name = ngram[0];
  for (std::size_t i = 1; i < ngram.size(); ++i) name += (chars ? "" : " ") + ngram[i];
  return name;
}

// The names of some n-grams of a text, those of bits that are set; none if it cannot be read.
inline std::vector<std::string> some_names(const Analysis& analysis, std::string_view text,
                                           std::uint32_t bits) {
  std::vector<std::string> names;
  try {
    for (const auto& [ngram, count] : ngrams(analysis, text)) {
      if (bits & 1) names.push_back(name(ngram, analysis.tokens == wordplane::Tokens::chars));
      bits >>= 1;
    }
  } catch (const std::invalid_argument&) {
  }
  return names;
}

}  // namespace wordplane::reference
