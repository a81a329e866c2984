#include "features/word_shard.h"

namespace wordplane {

void WordShard::cut(std::string_view text) {
  reader.read(text);
  const auto& words = reader.words();
  keys.resize(words.size());
  for (std::size_t i = 0; i < words.size(); ++i) {
    keys[i] = WordTable::key_of_padded(words[i]);
    types.prefetch(keys[i]);
  }
}

void WordShard::read(std::size_t doc, bool count, bool keep) {
  const auto& words = reader.words();
  const auto& times = reader.counts();
  const std::size_t begin = tokens.size();
  if (keep) tokens.resize(begin + words.size());
  Counts::Row row = counted.batches.back().start(doc, count ? words.size() : 0);
  for (std::size_t i = 0; i < words.size(); ++i) {
    auto& slot = types.intern(words[i], keys[i]);
    if (count) row.count(slot.id, slot.mark, times.empty() ? 1 : times[i]);
    if (keep) tokens[begin + i] = slot.id;
  }
  counted.batches.back().end(row);
}

}  // namespace wordplane
