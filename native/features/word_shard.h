// Documents as words that one worker of a Counter numbers and counts.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "common/huge_vector.h"
#include "features/counts.h"
#include "text/tokenizer.h"
#include "text/word_table.h"

namespace wordplane {

struct WordShard {
  WordShard(const Analysis& analysis, Counted& counted) : reader(analysis), counted(counted) {}

  void cut(std::string_view text);  // into words, with their keys
  // The words that were cut: counts them, keeps them as tokens, or both.
  void read(std::size_t doc, bool count, bool keep);

  WordReader reader;
  WordTable types;                     // the words this worker met
  std::vector<std::uint32_t> word_of;  // by type
  HugeVector<std::uint32_t> tokens;    // types of the batch, later words; document after document
  std::vector<WordKey> keys;
  Counted& counted;  // types
};

}  // namespace wordplane
