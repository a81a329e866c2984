// Regular expressions of tokens, against a matcher that goes back and tries again.
#include "text/pattern.h"

#include <functional>
#include <optional>

#include "input.h"
#include "reference.h"
#include "text/pattern_parser.h"

using namespace wordplane;

namespace {

constexpr int kMostSteps = 20'000;  // going back may take exponential time

// A random pattern, written down. Most are not refused.
std::string pattern_of(Input& input, int depth) {
  static const char* const kAtoms[] = {"a",   "b",   "é",        "[ab]", "[^a]",       "[b-é]",
                                       "\\w", "\\S", "[\\d\\W]", ".",    "\\x61",      "\\b",
                                       "\\B", "-",   "[]a-]",    " ",    "\\u00e9\\.", "{"};
  const auto atom = [&] {
    if (depth > 0 && input.number(0, 2) == 0) return "(?:" + pattern_of(input, depth - 1) + ")";
    return std::string(kAtoms[input.number(0, std::size(kAtoms) - 1)]);
  };
  static const char* const kRepeats[] = {"",   "",   "",   "+",   "*",     "?",
                                         "+?", "*?", "??", "{2}", "{1,3}", "{,2}?"};
  std::string pattern;
  for (int n = input.number(1, 3); n > 0; --n) {
    pattern += atom();
    pattern += kRepeats[input.number(0, std::size(kRepeats) - 1)];
    if (n > 1 && input.number(0, 3) == 0) pattern += '|';
  }
  return pattern;
}

class Matcher {
 public:
  explicit Matcher(std::string_view text) : text_(text), letters_(reference::letters(text)) {}

  // The matches, or nothing if it took too long.
  bool find(const PatternTree& tree, std::vector<std::string_view>& matches) {
    for (std::size_t i = 0; i < letters_.size();) {
      std::size_t end = i;
      match(tree, i, [&](std::size_t at) {
        end = at;
        return true;
      });
      if (n_steps_ > kMostSteps) return false;
      if (end > i) {
        const std::size_t begin = letters_[i].span.begin;
        matches.push_back(text_.substr(begin, letters_[end - 1].span.end - begin));
      }
      i = std::max(end, i + 1);
    }
    return true;
  }

 private:
  using Rest = std::function<bool(std::size_t)>;

  bool is_word(std::size_t i) const { return i < letters_.size() && letters_[i].is(kWord); }

  bool match(const PatternTree& tree, std::size_t i, const Rest& rest) {
    if (++n_steps_ > kMostSteps) return false;
    switch (tree.kind) {
      case PatternTree::chars:
        return i < letters_.size() && tree.set.contains(letters_[i].cp) && rest(i + 1);
      case PatternTree::boundary:
      case PatternTree::no_boundary: {
        const bool between = (i > 0 && is_word(i - 1)) != is_word(i);
        return between == (tree.kind == PatternTree::boundary) && rest(i);
      }
      case PatternTree::sequence:
        return match_from(tree, 0, i, rest);
      case PatternTree::choice:
        return std::ranges::any_of(tree.parts,
                                   [&](const PatternTree& part) { return match(part, i, rest); });
      case PatternTree::repeat:
        return match_repeated(tree, 0, i, rest);
    }
    return false;
  }

  bool match_from(const PatternTree& tree, std::size_t part, std::size_t i, const Rest& rest) {
    if (part == tree.parts.size()) return rest(i);
    return match(tree.parts[part], i,
                 [&](std::size_t at) { return match_from(tree, part + 1, at, rest); });
  }

  bool match_repeated(const PatternTree& tree, int n, std::size_t i, const Rest& rest) {
    const auto again = [&] {
      return (tree.most < 0 || n < tree.most) && match(tree.parts[0], i, [&](std::size_t at) {
               return match_repeated(tree, n + 1, at, rest);
             });
    };
    if (n < tree.least) return again();
    return tree.lazy ? rest(i) || again() : again() || rest(i);
  }

  std::string_view text_;
  reference::Letters letters_;
  int n_steps_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  const std::string written = input.number(0, 3) == 0 ? input.text() : pattern_of(input, 2);
  std::optional<Pattern> pattern;
  PatternTree tree;
  try {
    pattern.emplace(written);
    tree = parse_pattern(written);
  } catch (const std::invalid_argument&) {
    return 0;
  }
  PatternFinder finder(*pattern);  // is used again, and must remember nothing
  const Documents documents = Documents::of(input, 3);
  for (std::size_t i = 0; i < documents.size(); ++i) {
    std::vector<std::string_view> found, expected;
    finder.find(documents[i], found);
    if (!Matcher(documents[i]).find(tree, expected)) continue;
    CHECK(found.size() == expected.size());
    for (std::size_t k = 0; k < found.size(); ++k) {
      CHECK(found[k].data() == expected[k].data());
      CHECK(found[k].size() == expected[k].size());
    }
  }
  return 0;
}
