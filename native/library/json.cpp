#include "library/json.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <version>

#include "library/refusal.h"
#include "text/unicode.h"

namespace wordplane {

namespace {

constexpr int kMostLevels = 100;
constexpr std::size_t kMostValues = 1 << 20;  // a file of some kilobytes unpacks to millions

bool is_json_digit(char c) { return c >= '0' && c <= '9'; }

double to_double(const std::string& digits) {
  double value = 0;
#ifdef __cpp_lib_to_chars
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (result.ec == std::errc::result_out_of_range) {
    const bool is_tiny = digits.find("e-") != std::string::npos ||
                         digits.find("E-") != std::string::npos ||
                         digits.find_first_not_of("-0.") > digits.find('.');
    refuse_unless(is_tiny, "a number in the metadata is out of range");
    return digits[0] == '-' ? -0.0 : 0.0;
  }
#else
  value = std::strtod(digits.c_str(), nullptr);
#endif
  refuse_unless(std::isfinite(value), "a number in the metadata is out of range");
  return value;
}

class JsonParser {
 public:
  explicit JsonParser(std::string_view text) : text_(text) {}

  Json parse() {
    require(valid_utf8_prefix(text_) == text_.size());
    Json value = parse_value(0);
    require(at_ == text_.size());
    return value;
  }

 private:
  static void require(bool holds) {
    refuse_unless(holds, "the metadata cannot be read: it is not JSON");
  }

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool skip(char c) {
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void skip_white() {
    while (at_ < text_.size() && std::string_view(" \t\n\r").find(text_[at_]) != text_.npos) ++at_;
  }
  bool skip_word(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  // A value and the white space around it.
  Json parse_value(int level) {
    require(level <= kMostLevels);
    refuse_unless(++n_values_ <= kMostValues, "the metadata have too many values");
    skip_white();
    Json value;
    const char first = peek();
    if (first == '{') {
      value = parse_object(level);
    } else if (first == '[') {
      value = parse_list(level);
    } else if (first == '"') {
      value.kind = Json::Kind::string;
      value.text = parse_string();
    } else if (first == '-' || is_json_digit(first)) {
      value = parse_number();
    } else if (first == 't' || first == 'f') {
      value.kind = Json::Kind::boolean;
      value.truth = first == 't';
      require(skip_word(value.truth ? "true" : "false"));
    } else {
      require(skip_word("null"));
    }
    skip_white();
    return value;
  }

  Json parse_list(int level) {
    Json list;
    list.kind = Json::Kind::array;
    skip('[');
    skip_white();
    if (skip(']')) return list;
    do list.entries.push_back(parse_value(level + 1));
    while (skip(','));
    require(skip(']'));
    return list;
  }

  Json parse_object(int level) {
    Json object;
    object.kind = Json::Kind::object;
    skip('{');
    skip_white();
    if (skip('}')) return object;
    do {
      skip_white();
      object.keys.push_back(parse_string());
      skip_white();
      require(skip(':'));
      object.entries.push_back(parse_value(level + 1));
    } while (skip(','));
    require(skip('}'));
    std::vector<std::string_view> sorted(object.keys.begin(), object.keys.end());
    std::ranges::sort(sorted);
    refuse_unless(std::ranges::adjacent_find(sorted) == sorted.end(),
                  "the metadata have the same key twice");
    return object;
  }

  Json parse_number() {
    const std::size_t begin = at_;
    const auto skip_digits = [&] {
      const std::size_t first = at_;
      while (is_json_digit(peek())) ++at_;
      require(at_ > first);
    };
    skip('-');
    if (!skip('0')) skip_digits();
    Json value;
    value.kind = Json::Kind::integer;
    if (skip('.')) {
      value.kind = Json::Kind::real;
      skip_digits();
    }
    if (skip('e') || skip('E')) {
      value.kind = Json::Kind::real;
      if (!skip('-')) skip('+');
      skip_digits();
    }
    const std::string digits(text_.substr(begin, at_ - begin));
    value.number = to_double(digits);
    if (value.is(Json::Kind::integer)) {
      const char* const end = digits.data() + digits.size();
      value.is_exact = std::from_chars(digits.data(), end, value.whole).ec == std::errc();
    }
    return value;
  }

  std::string parse_string() {
    require(skip('"'));
    std::string text;
    while (true) {
      require(at_ < text_.size());
      const char c = text_[at_++];
      if (c == '"') return text;
      require(static_cast<unsigned char>(c) >= 0x20);
      if (c == '\\')
        append_escaped(text);
      else
        text += c;
    }
  }

  void append_escaped(std::string& text) {
    constexpr std::string_view kNames = "\"\\/bfnrt", kMeant = "\"\\/\b\f\n\r\t";
    const char name = peek();
    ++at_;
    if (const std::size_t found = kNames.find(name); found != kNames.npos) {
      text += kMeant[found];
      return;
    }
    require(name == 'u');
    char32_t cp = parse_unit();
    if (cp >= 0xD800 && cp < 0xE000) {
      require(cp < 0xDC00 && skip_word("\\u"));
      const char32_t low = parse_unit();
      require(low >= 0xDC00 && low < 0xE000);
      cp = 0x10000 + ((cp - 0xD800) << 10) + (low - 0xDC00);
    }
    encode(cp, text);
  }

  char32_t parse_unit() {
    char32_t unit = 0;
    for (int i = 0; i < 4; ++i) {
      const char c = peek();
      ++at_;
      const bool is_letter = (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
      require(is_json_digit(c) || is_letter);
      unit = unit << 4 | static_cast<char32_t>(is_letter ? (c | 0x20) - 'a' + 10 : c - '0');
    }
    return unit;
  }

  std::string_view text_;
  std::size_t at_ = 0, n_values_ = 0;
};

}  // namespace

const Json* Json::find(std::string_view key) const {
  const auto found = std::ranges::find(keys, key);
  return found == keys.end() ? nullptr : &entries[static_cast<std::size_t>(found - keys.begin())];
}

Json parse_json(std::string_view text) { return JsonParser(text).parse(); }

}  // namespace wordplane
