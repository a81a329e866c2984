#include "features/ngram_owner.h"

#include "common/radix_sort.h"

namespace wordplane {

void NgramOwner::read(std::size_t doc, std::span<const std::uint32_t> words) {
  constexpr std::size_t kAhead = 12;  // how far ahead of its use a slot of the table is fetched
  const std::size_t n_words = words.size();
  starts.resize(n_words);
  nodes.resize(n_words);
  std::size_t n_starts = 0;
  for (std::size_t i = 0; i < n_words; ++i) {
    nodes[n_starts] = words[i];
    starts[n_starts] = static_cast<std::uint32_t>(i);
    n_starts += owns(words[i]);
  }
  Counts::Row row = counted.batches.back().start(doc, n_starts * n_lengths());
  for (std::size_t n = 2; n <= max_n; ++n) {
    while (n_starts > 0 && starts[n_starts - 1] + n > n_words) --n_starts;
    const auto key = [&](std::size_t s) {
      return PairTable::key_of(nodes[s], words[starts[s] + n - 1]);
    };
    for (std::size_t s = 0; s < std::min(kAhead, n_starts); ++s) ngrams.prefetch(key(s));
    for (std::size_t s = 0; s < n_starts; ++s) {
      if (s + kAhead < n_starts) ngrams.prefetch(key(s + kAhead));
      auto& slot = ngrams.intern(key(s));
      nodes[s] = kNgram | slot.id;
      if (n >= min_n) row.count(slot.id, slot.mark, 1);
    }
  }
  counted.batches.back().end(row);
}

// n-grams of one length compare by the n-gram they extend, then by their last word: they are
// sorted by the one, then, keeping that order, by the other.
void NgramOwner::order(const std::vector<std::uint32_t>& rank_of_word) {
  ngrams.forget_slots();
  const auto n_ngrams = static_cast<std::uint32_t>(ngrams.size());
  std::vector<HugeVector<std::uint32_t>> ids(max_n - 1);  // by length, from 2
  HugeVector<std::uint16_t> length(n_ngrams);
  for (std::uint32_t id = 0; id < n_ngrams; ++id) {
    const std::uint32_t first = ngrams.first(id);
    length[id] = first & kNgram ? static_cast<std::uint16_t>(length[first & ~kNgram] + 1) : 2;
    ids[length[id] - 2u].push_back(id);
  }
  by_length.resize(ids.size());
  HugeVector<Ngram> by_last;
  HugeVector<std::uint32_t> place(n_ngrams);  // within its length
  std::size_t n_firsts = rank_of_word.size();
  for (std::size_t l = 0; l < ids.size(); ++l) {
    by_last.resize(ids[l].size());
    by_length[l].resize(ids[l].size());
    counting_sort(
        ids[l], rank_of_word.size(),
        [&](std::uint32_t id) { return rank_of_word[ngrams.last(id)]; },
        [&](std::uint32_t id, std::uint32_t at) { by_last[at] = {ngrams.first(id), id}; });
    counting_sort(
        by_last, n_firsts,
        [&](const Ngram& ngram) {
          return l == 0 ? rank_of_word[ngram.first] : place[ngram.first & ~kNgram];
        },
        [&](const Ngram& ngram, std::uint32_t at) {
          by_length[l][at] = ngram;
          if (l + 1 < ids.size()) place[ngram.id] = at;
        });
    n_firsts = ids[l].size();
  }
  extensions.assign(n_ngrams, 1);
  word_extensions.assign(rank_of_word.size(), 0);
  for (std::size_t l = ids.size(); l-- > 0;)
    for (const auto& [first, id] : by_length[l])
      (l == 0 ? word_extensions[first] : extensions[first & ~kNgram]) += extends(l, id);
}

// What extends a node stands behind it, before its next sibling: the joining space sorts
// before every character of a word.
void NgramOwner::place(const std::vector<std::uint32_t>& word_position) {
  HugeVector<std::uint32_t>& position = counted.position;
  position.resize(ngrams.size());
  for (std::size_t l = 0; l < by_length.size(); ++l) {
    std::uint32_t parent = kNone, next = 0;
    for (const auto& [first, id] : by_length[l]) {
      if (first != parent) {
        parent = first;
        next = (l == 0 ? word_position[first] : position[first & ~kNgram]) + 1;
      }
      position[id] = next;
      next += extends(l, id);
    }
  }
}

}  // namespace wordplane
