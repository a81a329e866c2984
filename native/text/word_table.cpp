#include "text/word_table.h"

#include <algorithm>

#include "common/parallel.h"

namespace wordplane {

std::vector<std::uint32_t> alphabetical(const WordTable& words, int threads) {
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
  const auto before = [&](const Head& a, const Head& b) {
    return a.bytes != b.bytes ? a.bytes < b.bytes : words.word(a.id) < words.word(b.id);
  };
  // Halves are sorted at the same time, then merged.
  const auto half = [&, n = heads.size()](std::size_t i) {
    return heads.begin() + static_cast<std::ptrdiff_t>(i * n / 2);
  };
  parallel_for(2, threads, [&](std::size_t i, int) { std::sort(half(i), half(i + 1), before); });
  std::inplace_merge(half(0), half(1), half(2), before);
  std::vector<std::uint32_t> order;
  order.reserve(heads.size());
  for (const Head& head : heads) order.push_back(head.id);
  return order;
}

}  // namespace wordplane
