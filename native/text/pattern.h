// Regular expressions for tokens: what re.findall of Python finds, in linear time.
//
// A pattern becomes a graph. A node is a set of characters with the node that follows, a fork into
// a first and a second choice, an assertion (\b, \B), or the end of the pattern. Whatever the
// text, finding all matches takes two passes:
//
//   from its end:    at every place, which nodes can still lead to the end of the pattern
//   from its start:  where the first node can, a match begins; follow it, at a fork the first
//                    choice that can. There is never a reason to go back.
//
// Which nodes can depends on those one character later and on the character, so such sets are
// numbered, and what follows what is remembered: a character then costs one look into a table.
// A pattern may have as many such sets as the text has characters. So a long text is read in
// blocks, and what is kept of the others are the nodes that can at their ends.
//
// Reference: Frisch and Cardelli (2004), Greedy regular expression matching.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace wordplane {

// A set of characters: ranges of code points, and flags of unicode.h that are there or not.
struct CharSet {
  struct Range {
    char32_t first, last;
    bool operator==(const Range&) const = default;
  };
  std::vector<Range> ranges;
  std::uint16_t flags = 0;                   // any of these
  std::vector<std::uint16_t> without_flags;  // or not this one: \W \D \S
  bool negated = false;

  bool operator==(const CharSet&) const = default;
  bool contains(char32_t cp) const;
};

struct PatternNode {
  enum Kind : std::uint8_t { chars, fork, boundary, no_boundary, end } kind;
  std::uint32_t set = 0;               // of chars
  std::uint32_t next = 0, second = 0;  // `second` of a fork
};

class Pattern {
 public:
  // Throws std::invalid_argument, which says what is not supported: back references, lookaround,
  // groups that capture, flags, anchors, repeats of what may be empty, an empty match.
  explicit Pattern(const std::string& pattern);

 private:
  friend class PatternFinder;

  std::vector<CharSet> sets_;
  std::vector<PatternNode> nodes_;
  std::vector<std::uint32_t> order_;  // nodes after those that they reach without a character
  std::uint32_t first_ = 0;
};

// Finds matches in one text after another; what it has learned of the pattern is kept.
class PatternFinder {
 public:
  explicit PatternFinder(const Pattern& pattern);

  // The matches, which are not empty and do not overlap.
  void find(std::string_view text, std::vector<std::string_view>& matches);

 private:
  using Marks = std::vector<std::uint64_t>;  // a bit per node
  using State = std::uint32_t;               // the number of such a set

  void forget();
  void read_block(std::string_view text, std::size_t begin, std::size_t end);
  Marks marks_of(State state) const;
  std::uint32_t class_of(char32_t cp);
  bool is_word(std::uint32_t char_class) const;
  State state_before(State after, std::uint32_t char_class, bool word_before);
  State number(const Marks& marks);
  bool leads_on(State state, std::uint32_t node) const {
    return marks_[state * n_words_ + node / 64] >> node % 64 & 1;
  }

  const Pattern& pattern_;
  std::size_t n_words_;                 // of a set of marks
  std::vector<std::uint64_t> classes_;  // the sets that have the character, and \w
  std::unordered_map<std::uint64_t, std::uint32_t> class_numbers_;
  std::unordered_map<char32_t, std::uint32_t> class_of_char_;
  std::vector<std::int32_t> class_of_ascii_;  // -1: not yet known
  std::vector<std::uint64_t> marks_;          // of all states
  std::map<Marks, State> state_numbers_;
  std::vector<std::vector<State>> before_;  // by state: 2 * class + whether \w is before
  std::size_t table_bytes_ = 0;             // that the last three take, about
  std::vector<State> states_;               // by byte of a block and at its end
  std::vector<Marks> ends_;                 // at the ends of blocks
};

}  // namespace wordplane
