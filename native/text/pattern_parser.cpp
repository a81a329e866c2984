#include "text/pattern_parser.h"

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "text/unicode.h"

namespace wordplane {

namespace {

constexpr std::size_t kLongest = 1000;  // bytes of a pattern: groups are not nested deeper
constexpr int kMostRepeats = 1000;
constexpr char32_t kLastChar = 0x10FFFF;

class Parser {
 public:
  explicit Parser(const std::string& pattern) : at_(pattern.data()), stop_(at_ + pattern.size()) {}

  PatternTree parse() {
    if (stop_ - at_ > static_cast<std::ptrdiff_t>(kLongest)) fail("it is longer than 1,000 bytes");
    take("(?u)");  // which is the default
    PatternTree tree = choice();
    if (at_ != stop_) fail("a ) closes no group");
    return tree;
  }

 private:
  [[noreturn]] static void fail(const std::string& why) { throw std::invalid_argument(why); }

  bool done() const { return at_ == stop_; }
  char32_t peek() const {
    const char* at = at_;
    return done() ? 0 : decode(at);
  }
  bool take(std::string_view text) {
    if (!std::string_view(at_, stop_).starts_with(text)) return false;
    at_ += text.size();
    return true;
  }
  char32_t next() {
    if (done()) fail("it ends too early");
    return decode(at_);
  }

  PatternTree choice() {
    PatternTree tree;
    tree.kind = PatternTree::choice;
    do tree.parts.push_back(sequence());
    while (take("|"));
    return tree.parts.size() == 1 ? std::move(tree.parts[0]) : tree;
  }

  PatternTree sequence() {
    PatternTree tree;
    while (!done() && peek() != '|' && peek() != ')') {
      if (int least, most; peek() == '{' && braces(least, most)) fail("there is nothing to repeat");
      PatternTree one = atom();
      repeat(one);
      tree.parts.push_back(std::move(one));
    }
    return tree;
  }

  PatternTree atom() {
    PatternTree tree;
    tree.kind = PatternTree::chars;
    const char32_t c = next();
    switch (c) {
      case '(':
        if (!take("?:")) {
          if (take("?=") || take("?!") || take("?<=") || take("?<!"))
            fail("lookahead and lookbehind are not supported");
          if (peek() == '?') fail("of the groups with (?, only (?:...) is supported");
          fail("a group that captures is not supported: write (?:...)");
        }
        tree = choice();
        if (!take(")")) fail("a ( is not closed");
        return tree;
      case '[':
        tree.set = char_class();
        return tree;
      case '.':
        tree.set.ranges = {{'\n', '\n'}};
        tree.set.negated = true;
        return tree;
      case '^':
      case '$':
        fail("^ and $ are not supported: a token may begin anywhere");
      case '*':
      case '+':
      case '?':
        fail("there is nothing to repeat");
      case '\\':
        if (take("b")) {
          tree.kind = PatternTree::boundary;
          return tree;
        }
        if (take("B")) {
          tree.kind = PatternTree::no_boundary;
          return tree;
        }
        if (!add_shorthand(tree.set)) add_range(tree.set, escape(), std::nullopt);
        return tree;
      default:
        add_range(tree.set, c, std::nullopt);
        return tree;
    }
  }

  // What follows an atom: * + ? {2} {2,} {,3} {2,3}, each with a ? for as few as possible.
  void repeat(PatternTree& one) {
    int least = 0, most = -1;
    if (take("?")) {
      most = 1;
    } else if (take("+")) {
      least = 1;
    } else if (!take("*") && !braces(least, most)) {
      return;
    }
    if (take("+")) fail("possessive repeats are not supported");
    PatternTree tree;
    tree.kind = PatternTree::repeat;
    tree.lazy = take("?");
    tree.least = least;
    tree.most = most;
    if (peek() == '*' || peek() == '+' || peek() == '?' || (peek() == '{' && braces(least, most)))
      fail("a repeat is repeated: put it into (?:...)");
    if (one.may_be_empty()) fail("something that may be empty is repeated");
    tree.parts.push_back(std::move(one));
    one = std::move(tree);
  }

  // As in Python, a brace that does not begin a repeat stands for itself.
  bool braces(int& least, int& most) {
    const char* before = at_;
    if (!take("{") || peek() == '}') {
      at_ = before;
      return false;
    }
    const auto digits = [&](int otherwise) {
      if (done() || *at_ < '0' || *at_ > '9') return otherwise;
      int n = 0;
      for (; !done() && *at_ >= '0' && *at_ <= '9'; ++at_)
        n = std::min(10 * n + (*at_ - '0'), kMostRepeats + 1);
      return n;
    };
    const char* first = at_;
    const int low = digits(0);
    const bool has_low = at_ != first;
    int high = low;
    if (take(",")) {
      high = digits(-1);
    } else if (!has_low) {
      at_ = before;
      return false;
    }
    if (!take("}")) {
      at_ = before;
      return false;
    }
    if (low > kMostRepeats || high > kMostRepeats) fail("a repeat of more than 1,000");
    if (high >= 0 && high < low) fail("a repeat whose least number is above its most");
    least = low;
    most = high;
    return true;
  }

  CharSet char_class() {
    CharSet set;
    set.negated = take("^");
    bool first = true;
    while (first || !take("]")) {
      if (done()) fail("a [ is not closed");
      first = false;
      std::optional<char32_t> low;
      if (const char32_t c = next(); c != '\\')
        low = c;
      else if (!add_shorthand(set))
        low = take("b") ? U'\b' : escape();
      const bool is_range = peek() == '-' && at_ + 1 != stop_ && at_[1] != ']';
      if (!is_range) {
        if (low) add_range(set, *low, std::nullopt);
        continue;
      }
      take("-");
      char32_t high = next();
      if (high == '\\') {
        CharSet shorthand;
        if (add_shorthand(shorthand)) fail("a range in [] that ends in a class");
        high = take("b") ? U'\b' : escape();
      }
      if (!low || high < *low) fail("a range in [] from a larger to a smaller character");
      add_range(set, *low, high);
    }
    return set;
  }

  static void add_range(CharSet& set, char32_t first, std::optional<char32_t> last) {
    set.ranges.push_back({first, last.value_or(first)});
  }

  // \w \d \s and their complements.
  bool add_shorthand(CharSet& set) {
    if (take("w"))
      set.flags |= kWord;
    else if (take("d"))
      set.flags |= kDigit;
    else if (take("s"))
      set.flags |= kWhite;
    else if (take("W"))
      set.without_flags.push_back(kWord);
    else if (take("D"))
      set.without_flags.push_back(kDigit);
    else if (take("S"))
      set.without_flags.push_back(kWhite);
    else
      return false;
    return true;
  }

  char32_t escape() {
    const char32_t c = next();
    switch (c) {
      case 'a':
        return '\a';
      case 'f':
        return '\f';
      case 'n':
        return '\n';
      case 'r':
        return '\r';
      case 't':
        return '\t';
      case 'v':
        return '\v';
      case 'x':
        return hexadecimal(2);
      case 'u':
        return hexadecimal(4);
      case 'U':
        return hexadecimal(8);
      default:
        break;
    }
    if (c >= '0' && c <= '9') fail("back references and octal escapes are not supported");
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
      const std::string letter(1, static_cast<char>(c));
      fail("the escape \\" + letter + " is not supported");
    }
    return c;
  }

  char32_t hexadecimal(int n_digits) {
    char32_t value = 0;
    for (int i = 0; i < n_digits; ++i) {
      const char32_t c = next();
      const char32_t lower = c | 0x20;
      if (c >= '0' && c <= '9')
        value = 16 * value + (c - '0');
      else if (lower >= 'a' && lower <= 'f')
        value = 16 * value + (lower - 'a' + 10);
      else
        fail("an escape with too few hexadecimal digits");
    }
    if (value > kLastChar) fail("an escape beyond the last character");
    return value;
  }

  const char* at_;
  const char* stop_;
};

}  // namespace

bool CharSet::contains(char32_t cp) const {
  const std::uint16_t found = flags_of(cp);
  const bool listed =
      (found & flags) ||
      std::ranges::any_of(without_flags, [&](std::uint16_t flag) { return !(found & flag); }) ||
      std::ranges::any_of(ranges, [&](const Range& r) { return r.first <= cp && cp <= r.last; });
  return listed != negated;
}

bool PatternTree::may_be_empty() const {
  const auto empty = [](const PatternTree& part) { return part.may_be_empty(); };
  switch (kind) {
    case chars:
      return false;
    case boundary:
    case no_boundary:
      return true;
    case sequence:
      return std::ranges::all_of(parts, empty);
    case choice:
      return std::ranges::any_of(parts, empty);
    case repeat:
      return least == 0;
  }
  return true;
}

PatternTree parse_pattern(const std::string& pattern) {
  PatternTree tree = Parser(pattern).parse();
  if (tree.may_be_empty()) throw std::invalid_argument("it can match nothing: no token is empty");
  return tree;
}

}  // namespace wordplane
