#include "text/folding.h"

#include <algorithm>

#include "text/characters.h"

namespace wordplane {

namespace {

std::string_view padded_name(std::string_view name) {
  static constexpr char kNames[] = "<url>\0<mention>\0<number>\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
  const std::string_view all(kNames, sizeof(kNames));
  return all.substr(all.find(name), name.size());
}

void strip(std::string_view text, std::string& out) {
  out.clear();
  const char* stop = text.data() + text.size();
  for (const char* at = text.data(); at != stop;) {
    const char* run = at + ascii_run({at, stop});
    out.append(at, run);
    for (at = run; at != stop && !is_ascii(*at);) strip_accents(decode(at), out);
  }
}

bool begins_with(std::string_view text, std::string_view lower_case) {
  return text.size() >= lower_case.size() &&
         std::ranges::equal(text.substr(0, lower_case.size()), lower_case, {},
                            [](char c) { return c >= 'A' && c <= 'Z' ? c + 'a' - 'A' : +c; });
}

// The end of the web address that begins here, or `at` if none does.
const char* url_end(const char* at, const char* stop) {
  const std::string_view text(at, static_cast<std::size_t>(stop - at));
  std::size_t prefix = 0;
  for (const std::string_view one : {"http://", "https://", "ftp://", "www."})
    if (begins_with(text, one)) prefix = one.size();
  if (prefix == 0) return at;
  const char* end = at + prefix;
  const char* last = at;  // the end without punctuation marks
  while (end != stop) {
    const Char c = char_at(end, stop);
    if ((c.flags & (kWhite | kSpace)) || c.cp == '<' || c.cp == '>' || c.cp == '"') break;
    end = c.next;
    if ((c.flags & kToken) || !(c.flags & kPunctuation) || c.cp == '/' || c.cp == '_') last = end;
  }
  return last > at + prefix ? last : at;
}

const char* mention_end(const char* at, const char* stop) {
  const char* end = at + 1;
  while (char_at(end, stop).flags & kWord) end = char_at(end, stop).next;
  return end == at + 1 ? at : end;
}

bool is_separator(char32_t cp) {
  return cp == '.' || cp == ',' || cp == ':' || cp == '/' || cp == '-';
}

const char* number_end(const char* at, const char* stop) {
  const char* end = at;
  while (true) {
    Char c = char_at(end, stop);
    while (c.flags & kDigit) {
      end = c.next;
      c = char_at(end, stop);
    }
    if (c.flags & kToken) return at;
    const std::uint16_t after = end == stop ? 0 : char_at(c.next, stop).flags;
    if (is_separator(c.cp) && (after & kDigit)) {
      end = c.next;
      continue;
    }
    return joins_letters(c.cp) && (after & kToken) ? at : end;
  }
}

// Whether what begins after two characters is the rest of a word.
bool goes_on(const Char& before, const Char& last) {
  return (last.flags & kToken) || (joins_letters(last.cp) && (before.flags & kToken)) ||
         (is_separator(last.cp) && (before.flags & kDigit));
}

}  // namespace

void fold(std::string_view text, const Folding& folding, std::string& out) {
  if (!folding.accents) {
    if (folding.lowercase)
      lower(text, out);
    else
      out = text;
    return;
  }
  std::string lowered;
  if (folding.lowercase) lower(text, lowered);
  strip(folding.lowercase ? std::string_view(lowered) : text, out);
}

std::vector<Span> fold_origins(std::string_view text, const Folding& folding) {
  std::vector<Span> origins;
  std::string folded;
  const char* stop = text.data() + text.size();
  for (const char* at = text.data(); at != stop;) {
    const char* next = char_at(at, stop).next;
    const std::string_view letter(at, static_cast<std::size_t>(next - at));
    fold(letter, folding, folded);  // as long as it is among others
    const auto begin = static_cast<std::size_t>(at - text.data());
    origins.insert(origins.end(), folded.size(), {begin, begin + letter.size()});
    at = next;
  }
  return origins;
}

void find_named(std::string_view text, const Folding& folding, std::vector<Named>& found) {
  found.clear();
  const char* const start = text.data();
  const char* const stop = start + text.size();
  Char before, last;  // the two characters before `at`
  for (const char* at = start; at != stop;) {
    const Char c = char_at(at, stop);
    const char* end = at;
    std::string_view name;
    if (folding.urls && !(last.flags & kToken) && (end = url_end(at, stop)) != at)
      name = padded_name("<url>");
    else if (folding.mentions && c.cp == '@' && !(last.flags & kWord) &&
             (end = mention_end(at, stop)) != at)
      name = padded_name("<mention>");
    else if (folding.numbers && (c.flags & kDigit) && !goes_on(before, last) &&
             (end = number_end(at, stop)) != at)
      name = padded_name("<number>");
    if (name.empty())
      end = c.next;
    else
      found.push_back(
          {{static_cast<std::size_t>(at - start), static_cast<std::size_t>(end - start)}, name});
    before = last;
    last = char_at(previous(end), stop);
    if (!name.empty()) before = Char();
    at = end;
  }
}

void blank_named(const std::vector<Named>& found, std::string& text) {
  for (const Named& one : found)
    std::fill(text.begin() + static_cast<std::ptrdiff_t>(one.span.begin),
              text.begin() + static_cast<std::ptrdiff_t>(one.span.end), ' ');
}

}  // namespace wordplane
