// The text of a regular expression as a tree.
#pragma once

#include <string>
#include <vector>

#include "text/pattern.h"

namespace wordplane {

struct PatternTree {
  enum Kind { chars, boundary, no_boundary, sequence, choice, repeat } kind = sequence;
  CharSet set;                     // of chars
  std::vector<PatternTree> parts;  // of a sequence, a choice; one of a repeat
  int least = 0, most = 0;         // of a repeat; most -1: any number
  bool lazy = false;               // as few as possible

  bool may_be_empty() const;
};

// Throws std::invalid_argument on what is wrong or not supported.
PatternTree parse_pattern(const std::string& pattern);

}  // namespace wordplane
