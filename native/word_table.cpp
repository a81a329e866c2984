#include "word_table.h"

#include <algorithm>

namespace wordplane {

std::vector<std::uint32_t> alphabetical(const WordTable& words) {
  // Most words differ in their first eight bytes: these are compared as one number.
  struct Head {
    std::uint64_t bytes;
    std::uint32_t id;
  };
  std::vector<Head> heads(words.size());
  for (std::uint32_t id = 0; id < words.size(); ++id) {
    const std::string_view word = words.word(id);
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i < 8; ++i)
      bytes = bytes << 8 | (i < word.size() ? static_cast<unsigned char>(word[i]) : 0);
    heads[id] = {bytes, id};
  }
  std::ranges::sort(heads, [&](const Head& a, const Head& b) {
    return a.bytes != b.bytes ? a.bytes < b.bytes : words.word(a.id) < words.word(b.id);
  });
  std::vector<std::uint32_t> order;
  order.reserve(heads.size());
  for (const Head& head : heads) order.push_back(head.id);
  return order;
}

}  // namespace wordplane
