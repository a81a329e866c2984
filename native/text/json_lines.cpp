#include "text/json_lines.h"

#include <algorithm>
#include <cstddef>

namespace wordplane {
namespace {

constexpr std::size_t kLongestNumber = 100;
constexpr std::size_t kMostMembers = 64;  // each name is compared with those before it

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Reads one line. Each method moves over what it names, or returns false if something else is
// there. The line ends with "\n", which no method moves over, so that the next character can always
// be looked at.
class Line {
 public:
  explicit Line(const char* begin) : at_(begin) {}

  const char* at() const { return at_; }

  bool skip(char c) {
    if (*at_ != c) return false;
    ++at_;
    return true;
  }

  void skip_spaces() {
    while (*at_ == ' ' || *at_ == '\t' || *at_ == '\r') ++at_;
  }

  bool skip_string() {
    if (!skip('"')) return false;
    while (*at_ != '"') {
      if (*at_ == '\n' || *at_ == '\0') return false;
      if (*at_ != '\\') {
        ++at_;
      } else if (!skip_escape()) {
        return false;
      }
    }
    ++at_;
    return true;
  }

  bool skip_value() {
    if (*at_ == '"') return skip_string();
    if (*at_ == '[') return skip_array();
    return skip_scalar();
  }

 private:
  bool skip_word(std::string_view word) {
    return std::ranges::all_of(word, [&](char c) { return skip(c); });
  }

  // Strings, numbers, true, false and null.
  bool skip_scalar() {
    switch (*at_) {
      case '"':
        return skip_string();
      case 't':
        return skip_word("true");
      case 'f':
        return skip_word("false");
      case 'n':
        return skip_word("null");
      default:
        return skip_number();
    }
  }

  bool skip_array() {
    ++at_;
    skip_spaces();
    if (skip(']')) return true;
    while (true) {
      if (!skip_scalar()) return false;
      skip_spaces();
      if (skip(']')) return true;
      if (!skip(',')) return false;
      skip_spaces();
    }
  }

  bool skip_digits() {
    if (!is_digit(*at_)) return false;
    while (is_digit(*at_)) ++at_;
    return true;
  }

  bool skip_number() {
    const char* begin = at_;
    skip('-');
    if (!skip('0') && !skip_digits()) return false;
    if (skip('.') && !skip_digits()) return false;
    if (*at_ == 'e' || *at_ == 'E') {
      ++at_;
      if (*at_ == '+' || *at_ == '-') ++at_;
      if (!skip_digits()) return false;
    }
    return static_cast<std::size_t>(at_ - begin) <= kLongestNumber;
  }

  // The code unit of \uXXXX, or -1.
  int skip_unit() {
    if (!skip('\\') || !skip('u')) return -1;
    int unit = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
      const char lower = static_cast<char>(*at_ | 0x20);
      if (is_digit(*at_)) {
        unit = 16 * unit + (*at_ - '0');
      } else if (lower >= 'a' && lower <= 'f') {
        unit = 16 * unit + (lower - 'a' + 10);
      } else {
        return -1;
      }
    }
    return unit;
  }

  bool skip_escape() {
    if (at_[1] != 'u') {  // not past the end: this is the backslash
      ++at_;
      if (std::string_view("\"\\/bfnrt").find(*at_) == std::string_view::npos) return false;
      ++at_;
      return true;
    }
    const int unit = skip_unit();
    if (unit < 0xD800 || unit > 0xDFFF) return unit >= 0;
    if (unit > 0xDBFF) return false;
    const int second = skip_unit();
    return second >= 0xDC00 && second <= 0xDFFF;
  }

  const char* at_;
};

// The members of the object in one line.
class Members {
 public:
  // Moves to the end of the line; false if it does not hold such an object.
  bool read(Line& line) {
    names_.clear();
    values_.clear();
    line.skip_spaces();
    if (!line.skip('{')) return false;
    line.skip_spaces();
    if (!line.skip('}')) {
      do {
        line.skip_spaces();
        if (!read_member(line)) return false;
      } while (line.skip(','));
      if (!line.skip('}')) return false;
    }
    line.skip_spaces();
    return *line.at() == '\n';
  }

  // The JSON text of the value, null if there is none. `place` is where it is looked for first:
  // most lines have their names in the same order.
  std::string_view value(std::string_view name, std::size_t& place) const {
    if (place >= names_.size() || names_[place] != name)
      place = static_cast<std::size_t>(std::ranges::find(names_, name) - names_.begin());
    return place < names_.size() ? values_[place] : "null";
  }

 private:
  bool read_member(Line& line) {
    const char* begin = line.at();
    if (!line.skip_string()) return false;
    const std::string_view name(begin + 1, static_cast<std::size_t>(line.at() - begin) - 2);
    if (names_.size() == kMostMembers || name.find('\\') != std::string_view::npos) return false;
    if (std::ranges::find(names_, name) != names_.end()) return false;
    line.skip_spaces();
    if (!line.skip(':')) return false;
    line.skip_spaces();
    begin = line.at();
    if (!line.skip_value()) return false;
    names_.push_back(name);
    values_.emplace_back(begin, static_cast<std::size_t>(line.at() - begin));
    line.skip_spaces();
    return true;
  }

  std::vector<std::string_view> names_;
  std::vector<std::string_view> values_;
};

}  // namespace

std::optional<std::vector<std::string>> json_columns(std::string_view data,
                                                     const std::vector<std::string>& names) {
  if (!data.ends_with('\n')) return std::nullopt;
  std::vector<std::string> columns(names.size());
  std::vector<std::size_t> places(names.size());
  Members members;
  const char* end = data.data() + data.size();
  for (const char* at = data.data(); at != end;) {
    Line line(at);
    if (!members.read(line)) return std::nullopt;
    for (std::size_t k = 0; k < names.size(); ++k) {
      if (at != data.data()) columns[k] += ',';
      columns[k] += members.value(names[k], places[k]);
    }
    at = line.at() + 1;
  }
  return columns;
}

}  // namespace wordplane
