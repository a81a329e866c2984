#include "model/json.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <version>

#include "model/refusal.h"
#include "text/unicode.h"

namespace wordplane {

namespace {

constexpr int kMostLevels = 100;
// A file of some kilobytes unpacks to millions; a label has about 13.
constexpr std::size_t kMostValues = 1 << 22;

bool is_json_digit(char c) { return c >= '0' && c <= '9'; }

// Whether a number is below 1 that is too far from 1 for a double, and not 0.
bool is_tiny(std::string_view digits) {
  const std::size_t e = std::min(digits.find_first_of("eE"), digits.size());
  const std::string_view mantissa = digits.substr(0, e);
  const auto point = static_cast<std::int64_t>(std::min(mantissa.find('.'), e));
  const auto first = static_cast<std::int64_t>(mantissa.find_first_of("123456789"));
  std::string_view power = digits.substr(std::min(e + 1, digits.size()));
  if (power.starts_with('+')) power.remove_prefix(1);
  std::int64_t exponent = 0;
  const auto read = std::from_chars(power.data(), power.data() + power.size(), exponent);
  if (read.ec == std::errc::result_out_of_range) return power.starts_with('-');
  return exponent < first - point;
}

double to_double(const std::string& digits, std::string_view what) {
  double value = 0;
#ifdef __cpp_lib_to_chars
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (result.ec == std::errc::result_out_of_range)
    value = is_tiny(digits) ? 0.0 : std::numeric_limits<double>::infinity();
#else
  value = std::strtod(digits.c_str(), nullptr);
#endif
  if (!std::isfinite(value)) refuse(std::string(what) + " cannot be read: a number is too large");
  return digits[0] == '-' ? -std::abs(value) : value;
}

class JsonParser {
 public:
  JsonParser(std::string_view text, std::string_view what) : text_(text), what_(what) {}

  Json parse() {
    at_ = valid_utf8_prefix(text_);
    require(at_ == text_.size());
    at_ = 0;
    Json value = parse_value(0);
    require(at_ == text_.size());
    return value;
  }

 private:
  void require(bool holds) const {
    if (!holds) stop("not JSON at byte " + std::to_string(at_));
  }
  [[noreturn]] void stop(const std::string& why) const {
    refuse(std::string(what_) + " cannot be read: " + why);
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
    if (level > kMostLevels) stop("values in more than 100 levels");
    if (++n_values_ > kMostValues) stop("too many values");
    skip_white();
    Json value;
    const char first = peek();
    if (first == '{') {
      value = parse_object(level);
    } else if (first == '[') {
      value = parse_list(level);
    } else if (first == '"') {
      value.kind = Json::Kind::string;
      value.set_text(parse_string());
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
    std::vector<Json> entries;
    do entries.push_back(parse_value(level + 1));
    while (skip(','));
    require(skip(']'));
    list.set_entries(std::move(entries));
    return list;
  }

  Json parse_object(int level) {
    Json object;
    object.kind = Json::Kind::object;
    skip('{');
    skip_white();
    if (skip('}')) return object;
    std::vector<Json> entries;
    std::vector<std::string> keys;
    do {
      skip_white();
      keys.push_back(parse_string());
      skip_white();
      require(skip(':'));
      entries.push_back(parse_value(level + 1));
    } while (skip(','));
    require(skip('}'));
    std::vector<std::string_view> sorted(keys.begin(), keys.end());
    std::ranges::sort(sorted);
    if (std::ranges::adjacent_find(sorted) != sorted.end()) stop("a key is there twice");
    object.set_entries(std::move(entries), std::move(keys));
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
    value.number = to_double(digits, what_);
    if (value.is(Json::Kind::integer)) {
      const char* const end = digits.data() + digits.size();
      value.is_exact = std::from_chars(digits.data(), end, value.whole).ec == std::errc();
      if (!value.is_exact) value.set_text(digits);
    }
    return value;
  }

  std::string parse_string() {
    require(skip('"'));
    std::string text;
    while (true) {
      const std::size_t begin = at_;
      while (at_ < text_.size() && is_plain(text_[at_])) ++at_;
      text += text_.substr(begin, at_ - begin);
      if (skip('"')) return text;
      require(skip('\\'));
      append_escaped(text);
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

  static bool is_plain(char c) {
    return static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\';
  }

  std::string_view text_, what_;
  std::size_t at_ = 0, n_values_ = 0;
};

}  // namespace

const Json::Nested& Json::nested() const {
  static const Nested kNone;
  return nested_ ? *nested_ : kNone;
}

void Json::set_text(std::string text) {
  if (!text.empty()) nested_ = std::make_unique<Nested>(Nested{std::move(text), {}, {}});
}

void Json::set_entries(std::vector<Json> entries, std::vector<std::string> keys) {
  nested_ = std::make_unique<Nested>(Nested{{}, std::move(entries), std::move(keys)});
}

const Json* Json::find(std::string_view key) const {
  const auto found = std::ranges::find(keys(), key);
  if (found == keys().end()) return nullptr;
  return &entries()[static_cast<std::size_t>(found - keys().begin())];
}

Json parse_json(std::string_view text, std::string_view what) {
  return JsonParser(text, what).parse();
}

}  // namespace wordplane
