#include "text/pattern.h"

#include <algorithm>
#include <stdexcept>

#include "text/pattern_parser.h"
#include "text/unicode.h"

namespace wordplane {

namespace {

constexpr std::size_t kMostNodes = 500;       // each may cost time at every character
constexpr std::size_t kMostSets = 63;         // one bit each, and one for \w
constexpr std::size_t kBlock = 16384;         // bytes of a text
constexpr std::size_t kMostBytes = 16 << 20;  // of tables that are kept from block to block
constexpr std::size_t kMostChars = 10000;
constexpr std::uint64_t kWordBit = std::uint64_t{1} << 63;
constexpr std::uint32_t kNoState = 0xFFFFFFFF;
constexpr std::uint32_t kTextEnd = 0;  // the class of what is behind the text

// Makes nodes of a tree, from its end.
class Builder {
 public:
  Builder(std::vector<CharSet>& sets, std::vector<PatternNode>& nodes)
      : sets_(sets), nodes_(nodes) {}

  // The first node of `tree`, after which `next` comes.
  std::uint32_t build(const PatternTree& tree, std::uint32_t next) {
    switch (tree.kind) {
      case PatternTree::chars:
        return add({PatternNode::chars, set_number(tree.set), next});
      case PatternTree::boundary:
        return add({PatternNode::boundary, 0, next});
      case PatternTree::no_boundary:
        return add({PatternNode::no_boundary, 0, next});
      case PatternTree::sequence:
        for (std::size_t i = tree.parts.size(); i-- > 0;) next = build(tree.parts[i], next);
        return next;
      case PatternTree::choice: {
        std::uint32_t first = build(tree.parts.back(), next);
        for (std::size_t i = tree.parts.size() - 1; i-- > 0;)
          first = add({PatternNode::fork, 0, build(tree.parts[i], next), first});
        return first;
      }
      case PatternTree::repeat:
        break;
    }
    const PatternTree& body = tree.parts[0];
    const auto either = [&](std::uint32_t again) {
      return tree.lazy ? PatternNode{PatternNode::fork, 0, next, again}
                       : PatternNode{PatternNode::fork, 0, again, next};
    };
    std::uint32_t first = next;
    if (tree.most < 0) {
      first = add({PatternNode::fork});
      const std::uint32_t again = build(body, first);
      nodes_[first] = either(again);
    } else {
      for (int i = tree.least; i < tree.most; ++i) {
        const std::uint32_t again = build(body, first);
        first = add(either(again));
      }
    }
    for (int i = 0; i < tree.least; ++i) first = build(body, first);
    return first;
  }

  std::uint32_t add(PatternNode node) {
    if (nodes_.size() == kMostNodes) throw std::invalid_argument("it is too large");
    nodes_.push_back(node);
    return static_cast<std::uint32_t>(nodes_.size() - 1);
  }

 private:
  std::uint32_t set_number(const CharSet& set) {
    const auto found = std::ranges::find(sets_, set);
    if (found != sets_.end()) return static_cast<std::uint32_t>(found - sets_.begin());
    if (sets_.size() == kMostSets)
      throw std::invalid_argument("it has more than 63 different sets of characters");
    sets_.push_back(set);
    return static_cast<std::uint32_t>(sets_.size() - 1);
  }

  std::vector<CharSet>& sets_;
  std::vector<PatternNode>& nodes_;
};

// Adds `node` to `order` after all that it reaches without a character. No such way is a circle,
// since nothing that may be empty is repeated.
void add_in_order(const std::vector<PatternNode>& nodes, std::uint32_t node,
                  std::vector<bool>& seen, std::vector<std::uint32_t>& order) {
  if (seen[node]) return;
  seen[node] = true;
  if (nodes[node].kind != PatternNode::end && nodes[node].kind != PatternNode::chars) {
    add_in_order(nodes, nodes[node].next, seen, order);
    if (nodes[node].kind == PatternNode::fork) add_in_order(nodes, nodes[node].second, seen, order);
  }
  order.push_back(node);
}

}  // namespace

Pattern::Pattern(const std::string& pattern) {
  Builder builder(sets_, nodes_);
  const std::uint32_t end = builder.add({PatternNode::end});
  first_ = builder.build(parse_pattern(pattern), end);
  std::vector<bool> seen(nodes_.size());
  for (std::uint32_t node = 0; node < nodes_.size(); ++node)
    add_in_order(nodes_, node, seen, order_);
}

PatternFinder::PatternFinder(const Pattern& pattern)
    : pattern_(pattern), n_words_((pattern.nodes_.size() + 63) / 64) {
  forget();
}

void PatternFinder::forget() {
  classes_.assign(1, 0);  // kTextEnd: in no set
  class_numbers_.clear();
  class_of_char_.clear();
  class_of_ascii_.assign(128, -1);
  marks_.clear();
  state_numbers_.clear();
  before_.clear();
  table_bytes_ = 0;
}

PatternFinder::Marks PatternFinder::marks_of(State state) const {
  const auto first = marks_.begin() + static_cast<std::ptrdiff_t>(state * n_words_);
  return {first, first + static_cast<std::ptrdiff_t>(n_words_)};
}

std::uint32_t PatternFinder::class_of(char32_t cp) {
  if (cp < 128 && class_of_ascii_[cp] >= 0) return static_cast<std::uint32_t>(class_of_ascii_[cp]);
  if (cp >= 128)
    if (const auto known = class_of_char_.find(cp); known != class_of_char_.end())
      return known->second;
  std::uint64_t sets = flags_of(cp) & kWord ? kWordBit : 0;
  for (std::size_t s = 0; s < pattern_.sets_.size(); ++s)
    if (pattern_.sets_[s].contains(cp)) sets |= std::uint64_t{1} << s;
  const auto [at, is_new] =
      class_numbers_.try_emplace(sets, static_cast<std::uint32_t>(classes_.size()));
  if (is_new) classes_.push_back(sets);
  if (cp < 128)
    class_of_ascii_[cp] = static_cast<std::int32_t>(at->second);
  else
    class_of_char_.emplace(cp, at->second);
  return at->second;
}

bool PatternFinder::is_word(std::uint32_t char_class) const {
  return classes_[char_class] & kWordBit;
}

PatternFinder::State PatternFinder::number(const Marks& marks) {
  const auto [at, is_new] = state_numbers_.try_emplace(marks, static_cast<State>(before_.size()));
  if (is_new) {
    marks_.insert(marks_.end(), marks.begin(), marks.end());
    before_.emplace_back();
    table_bytes_ += 2 * n_words_ * sizeof(std::uint64_t) + 128;  // with what a map needs for it
  }
  return at->second;
}

// The nodes that lead on before a character of a class, given those that do after it.
PatternFinder::State PatternFinder::state_before(State after, std::uint32_t char_class,
                                                 bool word_before) {
  const std::size_t place = 2 * char_class + word_before;
  if (after != kNoState && place < before_[after].size() && before_[after][place] != kNoState)
    return before_[after][place];
  Marks marks(n_words_);
  const auto leads = [&](std::uint32_t node) { return marks[node / 64] >> node % 64 & 1; };
  const bool at_boundary = word_before != is_word(char_class);
  for (const std::uint32_t n : pattern_.order_) {
    const PatternNode& node = pattern_.nodes_[n];
    bool on = false;
    switch (node.kind) {
      case PatternNode::end:
        on = true;
        break;
      case PatternNode::chars:
        on = (classes_[char_class] >> node.set & 1) && leads_on(after, node.next);
        break;
      case PatternNode::fork:
        on = leads(node.next) || leads(node.second);
        break;
      case PatternNode::boundary:
        on = at_boundary && leads(node.next);
        break;
      case PatternNode::no_boundary:
        on = !at_boundary && leads(node.next);
        break;
    }
    if (on) marks[n / 64] |= std::uint64_t{1} << n % 64;
  }
  const State state = number(marks);
  if (after != kNoState) {
    if (before_[after].size() <= place) {
      table_bytes_ += (2 * classes_.size() - before_[after].size()) * sizeof(State);
      before_[after].resize(2 * classes_.size(), kNoState);
    }
    before_[after][place] = state;
  }
  return state;
}

// The states in a block, from its end, where those of ends_ lead on, or the text ends.
void PatternFinder::read_block(std::string_view text, std::size_t begin, std::size_t end) {
  if (table_bytes_ > kMostBytes || class_of_char_.size() > kMostChars) forget();
  const char* const start = text.data() + begin;
  const auto class_at = [&](const char* place) { return class_of(decode(place)); };
  const char* at = text.data() + end;
  const char* before = previous(at);
  std::uint32_t char_class = class_at(before);
  // At the end of the text no set has the character, so what comes after it does not matter.
  states_[end - begin] = end == text.size() ? state_before(kNoState, kTextEnd, is_word(char_class))
                                            : number(ends_[begin / kBlock]);
  while (at != start) {
    const char* here = before;
    const std::uint32_t here_class = char_class;
    bool word_before = false;
    if (here != text.data()) {
      before = previous(here);
      char_class = class_at(before);
      word_before = is_word(char_class);
    }
    states_[static_cast<std::size_t>(here - start)] =
        state_before(states_[static_cast<std::size_t>(at - start)], here_class, word_before);
    at = here;
  }
}

void PatternFinder::find(std::string_view text, std::vector<std::string_view>& matches) {
  matches.clear();
  if (text.empty()) return;
  const std::size_t size = text.size();
  const char* const start = text.data();
  const std::size_t n_blocks = (size + kBlock - 1) / kBlock;
  // Where a block begins: with the first character that begins in it.
  const auto begin_of = [&](std::size_t block) {
    std::size_t place = std::min(block * kBlock, size);
    while (place < size && (text[place] & 0xC0) == 0x80) ++place;
    return place;
  };
  if (states_.size() <= std::min(size, kBlock + 3)) states_.resize(std::min(size, kBlock + 3) + 1);
  ends_.resize(n_blocks);
  for (std::size_t block = n_blocks; block-- > 0;) {
    if (begin_of(block) == size) continue;
    read_block(text, begin_of(block), begin_of(block + 1));
    if (block > 0) ends_[block - 1] = marks_of(states_[0]);
  }

  std::size_t block = 0, block_begin = 0, block_end = begin_of(1);
  const auto can = [&](const char* place, std::uint32_t node) {
    const auto offset = static_cast<std::size_t>(place - start);
    while (offset >= block_end && block_end < size) {
      block_begin = block_end;
      block_end = begin_of(++block + 1);
      read_block(text, block_begin, block_end);
    }
    return leads_on(states_[offset - block_begin], node);
  };
  for (const char* at = start; at != start + size;) {
    if (!can(at, pattern_.first_)) {
      decode(at);
      continue;
    }
    const char* end = at;
    std::uint32_t n = pattern_.first_;
    for (; pattern_.nodes_[n].kind != PatternNode::end;) {
      const PatternNode& node = pattern_.nodes_[n];
      n = node.next;
      if (node.kind == PatternNode::chars)
        decode(end);
      else if (node.kind == PatternNode::fork && !can(end, node.next))
        n = node.second;
    }
    matches.emplace_back(at, static_cast<std::size_t>(end - at));
    at = end;
  }
}

}  // namespace wordplane
