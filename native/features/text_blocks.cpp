#include "features/text_blocks.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "common/radix_sort.h"
#include "features/counts.h"

namespace wordplane {

namespace {

constexpr std::size_t kSlotsAhead = 12;  // how far ahead of its use a slot of a table is fetched

void require(bool holds, const char* otherwise) {
  if (!holds) throw std::invalid_argument(std::string("a block is damaged: ") + otherwise);
}

// Finds the n-grams of texts that are made of kept ones, length after length.
class Chains {
 public:
  Chains(std::span<const std::uint32_t> word_of, Levels levels)
      : word_of_(word_of), levels_(levels) {}

  // Calls word(number, i) for every kept word i of the text, then ngrams(level, numbers) with the
  // numbers of all n-grams of each level; what is left can be extended by one word each.
  template <class Word, class Ngrams>
  void find(std::span<const std::uint32_t> tokens, Word&& word, Ngrams&& ngrams) {
    words_.resize(tokens.size());
    starts_.resize(tokens.size());
    nodes_.resize(tokens.size());
    n_starts_ = 0;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      words_[i] = word_of_[tokens[i]];
      starts_[n_starts_] = static_cast<std::uint32_t>(i);
      nodes_[n_starts_] = words_[i];
      n_starts_ += words_[i] != kNone;
      if (words_[i] != kNone) word(words_[i], i);
    }
    for (std::size_t l = 0; l < levels_.size(); ++l) {
      const NgramIndex& index = *levels_[l];
      extend(l + 2);
      n_starts_ = 0;
      for (std::size_t s = 0; s < std::min(kSlotsAhead, keys_.size()); ++s)
        index.prefetch(keys_[s]);
      for (std::size_t s = 0; s < keys_.size(); ++s) {
        if (s + kSlotsAhead < keys_.size()) index.prefetch(keys_[s + kSlotsAhead]);
        if (s + kSlotsAhead / 2 < keys_.size()) index.prefetch_key(keys_[s + kSlotsAhead / 2]);
        const std::uint32_t number = index.find(keys_[s]);
        starts_[n_starts_] = starts_[s];
        nodes_[n_starts_] = number;
        n_starts_ += number != kNone;
      }
      ngrams(l, std::span<const std::uint32_t>(nodes_.data(), n_starts_));
    }
  }

  // The keys of the n-grams that extend what was found to n words.
  const std::vector<std::uint64_t>& extend(std::size_t n) {
    keys_.clear();
    for (std::size_t s = 0; s < n_starts_ && starts_[s] + n <= words_.size(); ++s) {
      const std::uint32_t last = words_[starts_[s] + n - 1];
      if (last == kNone) continue;
      starts_[keys_.size()] = starts_[s];
      keys_.push_back(PairTable::key_of(nodes_[s], last));
    }
    return keys_;
  }

 private:
  std::span<const std::uint32_t> word_of_;
  Levels levels_;
  std::size_t n_starts_ = 0;
  std::vector<std::uint32_t> words_, starts_, nodes_;
  std::vector<std::uint64_t> keys_;
};

// Numbers the words of texts, so far numbers in `types`, alphabetically.
void put_in_order(const WordTable& types, CutTexts& cut) {
  std::vector<std::uint32_t> rank(types.size());
  cut.words.bytes.reserve(types.bytes().size());
  cut.words.ends.reserve(types.size());
  for (const std::uint32_t id : alphabetical(types)) {
    rank[id] = static_cast<std::uint32_t>(cut.words.ends.size());
    cut.words.add(types.word(id));
  }
  for (std::uint32_t& token : cut.tokens) token = rank[token];
}

}  // namespace

void WordList::check() const {
  std::int64_t begin = 0;
  for (const std::int64_t end : ends) {
    require(begin <= end, "the ends of words ascend");
    begin = end;
  }
  require(begin == static_cast<std::int64_t>(bytes.size()), "the last word ends with the bytes");
}

void TokensView::check(std::size_t n_words) const {
  std::int64_t begin = 0;
  for (const std::int64_t end : doc_ends) {
    require(begin <= end, "the ends of texts ascend");
    begin = end;
  }
  require(begin == static_cast<std::int64_t>(tokens.size()), "the last text ends with the tokens");
  require(times.empty() || times.size() == tokens.size(), "one count per token expected");
  std::uint32_t most = 0;
  for (const std::uint32_t token : tokens) most = std::max(most, token);
  require(tokens.empty() || most < n_words, "a token that is no word");
}

CutTexts cut_words(const Analysis& analysis, const Texts& texts, std::size_t begin, std::size_t end,
                   std::size_t first_row) {
  if (end > texts.size() || begin > end) throw std::out_of_range("documents out of range");
  WordReader reader(analysis);
  WordTable types;
  std::vector<WordKey> keys;
  CutTexts cut;
  for (std::size_t row = begin; row < end; ++row) {
    naming_row(first_row + row - begin, [&] { reader.read(texts[row]); });
    const auto& words = reader.words();
    keys.resize(words.size());
    for (std::size_t i = 0; i < words.size(); ++i) {
      keys[i] = WordTable::key_of_padded(words[i]);
      types.prefetch(keys[i]);
    }
    for (std::size_t i = 0; i < words.size(); ++i)
      cut.tokens.push_back(types.intern(words[i], keys[i]).id);
    cut.times.insert(cut.times.end(), reader.counts().begin(), reader.counts().end());
    cut.doc_ends.push_back(static_cast<std::int64_t>(cut.tokens.size()));
  }
  put_in_order(types, cut);
  return cut;
}

CutTexts cut_words(const TokenFeatures& features, const Texts& texts, std::size_t begin,
                   std::size_t end, std::size_t first_row) {
  if (end > texts.size() || begin > end) throw std::out_of_range("documents out of range");
  WordTable names;
  TokenFeatureReader reader(features, {[&](std::string_view name) { return names.intern(name).id; },
                                       [&](std::string_view name) { names.prefetch(name); }});
  CutTexts cut;
  for (std::size_t row = begin; row < end; ++row) {
    naming_row(first_row + row - begin, [&] {
      for (const auto& [name, count] : reader.read(texts[row])) {
        cut.tokens.push_back(static_cast<std::uint32_t>(name));
        cut.times.push_back(count);
      }
    });
    cut.doc_ends.push_back(static_cast<std::int64_t>(cut.tokens.size()));
  }
  put_in_order(names, cut);
  return cut;
}

std::vector<Frequency> word_frequency(const TokensView& texts, std::size_t n_words,
                                      std::span<const bool> held_out) {
  std::vector<Frequency> df(n_words);
  std::vector<std::uint32_t> last(n_words, kNone);  // text that had the word
  for (std::size_t doc = 0; doc < texts.n_docs(); ++doc)
    for (const std::uint32_t token : texts.of(doc))
      if (std::exchange(last[token], static_cast<std::uint32_t>(doc)) != doc)
        ++df[token][held_out[doc]];
  return df;
}

MergedWords merge_words(std::span<const CountedWords> lists, std::uint64_t min_df) {
  struct Head {
    std::string_view word;
    std::uint32_t list, at;
  };
  const auto after = [](const Head& a, const Head& b) { return a.word > b.word; };
  std::vector<Head> heap;
  for (std::uint32_t k = 0; k < lists.size(); ++k)
    if (lists[k].words.size() > 0) heap.push_back({lists[k].words[0], k, 0});
  std::ranges::make_heap(heap, after);
  MergedWords merged;
  while (!heap.empty()) {
    const std::string_view word = heap.front().word;
    Frequency df{};
    while (!heap.empty() && heap.front().word == word) {
      std::ranges::pop_heap(heap, after);
      Head& head = heap.back();
      const CountedWords& list = lists[head.list];
      for (std::size_t part : {0, 1}) df[part] += list.df[head.at][part];
      if (++head.at < list.words.size()) {
        head.word = list.words[head.at];
        std::ranges::push_heap(heap, after);
      } else {
        heap.pop_back();
      }
    }
    if (std::uint64_t{df[0]} + df[1] < min_df) continue;
    merged.words.add(word);
    merged.df.push_back(df);
  }
  return merged;
}

WordIndex::WordIndex(const WordList& words) {
  table_.reserve(words.size(), words.bytes.size());
  for (std::size_t i = 0; i < words.size(); ++i) table_.intern(words[i]);
  require(table_.size() == words.size(), "a word twice");
}

std::vector<std::uint32_t> WordIndex::find(const WordList& words) const {
  std::vector<std::uint32_t> numbers(words.size());
  for (std::size_t i = 0; i < words.size(); ++i) numbers[i] = table_.find(words[i]);
  return numbers;
}

NgramIndex::NgramIndex(std::span<const std::uint64_t> keys) : keys_(keys.begin(), keys.end()) {
  check_room(keys.size());
  slots_.assign(std::bit_ceil(std::max<std::size_t>(8 * (keys.size() + 2) / 5, 16)), kNone);
  mask_ = slots_.size() - 1;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    require(i == 0 || keys[i - 1] < keys[i], "the keys of n-grams ascend");
    if (i + kSlotsAhead < keys.size()) prefetch(keys[i + kSlotsAhead]);
    std::size_t at = place_of(keys[i]) & mask_;
    while (slots_[at] != kNone) at = (at + 1) & mask_;
    slots_[at] = static_cast<std::uint32_t>(i);
  }
}

NgramRun count_ngrams(const TokensView& texts, std::span<const std::uint32_t> word_of,
                      Levels levels, std::span<const bool> held_out) {
  require(texts.n_docs() < 1 << 16, "fewer than 65,536 texts expected");
  Chains chains(word_of, levels);
  PairTable table;  // marked with the text that had the n-gram last
  std::vector<BlockFrequency> df;
  for (std::size_t doc = 0; doc < texts.n_docs(); ++doc) {
    chains.find(texts.of(doc), [](auto...) {}, [](auto...) {});
    const auto& keys = chains.extend(levels.size() + 2);
    for (std::size_t s = 0; s < std::min(kSlotsAhead, keys.size()); ++s) table.prefetch(keys[s]);
    for (std::size_t s = 0; s < keys.size(); ++s) {
      if (s + kSlotsAhead < keys.size()) table.prefetch(keys[s + kSlotsAhead]);
      auto& slot = table.intern(keys[s]);
      if (slot.id == df.size()) df.push_back({});
      df[slot.id][held_out[doc]] += slot.mark != doc;
      slot.mark = static_cast<std::uint32_t>(doc);
    }
  }
  // Sorted by last words, then, keeping that order, by what comes before.
  std::uint32_t most_first = 0, most_last = 0;
  std::vector<std::uint32_t> order(table.size()), scratch, by_last(table.size());
  std::iota(order.begin(), order.end(), 0u);
  for (std::uint32_t id = 0; id < table.size(); ++id) {
    most_first = std::max(most_first, table.first(id));
    most_last = std::max(most_last, table.last(id));
  }
  NgramRun run;
  run.keys.resize(table.size());
  run.df.resize(table.size());
  table.forget_slots();
  radix_sort<11>(
      order, scratch, bits_for(std::uint64_t{most_last} + 1),
      [&](std::uint32_t id) { return table.last(id); },
      [&](std::uint32_t id, std::uint32_t at) { by_last[at] = id; });
  radix_sort<11>(
      by_last, scratch, bits_for(std::uint64_t{most_first} + 1),
      [&](std::uint32_t id) { return table.first(id); },
      [&](std::uint32_t id, std::uint32_t at) {
        run.keys[at] = table.key(id);
        run.df[at] = df[id];
      });
  return run;
}

// Neighboring runs are merged two by two until one is left: what they share is summed on the way,
// so that there is less from round to round.
MergedNgrams merge_ngrams(std::span<const std::uint64_t> keys, std::span<const BlockFrequency> df,
                          std::span<const std::int64_t> run_ends, std::uint64_t min_df) {
  struct Item {
    std::uint64_t key;
    Frequency df;
  };
  require(df.size() == keys.size(), "one frequency per key expected");
  HugeVector<Item> items(keys.size()), next;
  for (std::size_t e = 0; e < keys.size(); ++e) items[e] = {keys[e], {df[e][0], df[e][1]}};
  std::vector<std::size_t> ends;
  std::size_t begin = 0;
  for (const std::int64_t run_end : run_ends) {
    const auto end = static_cast<std::size_t>(run_end);
    require(begin <= end && end <= keys.size(), "the ends of runs ascend");
    for (std::size_t e = begin + 1; e < end; ++e)
      require(keys[e - 1] < keys[e], "the keys of a run ascend");
    ends.push_back(begin = end);
  }
  require(begin == keys.size(), "the last run ends with the keys");
  next.resize(items.size());
  while (ends.size() > 1) {
    std::vector<std::size_t> merged_ends;
    std::size_t out = 0, first = 0;
    for (std::size_t r = 0; r < ends.size(); r += 2) {
      std::size_t a = first, b = ends[r];
      const std::size_t a_end = b, b_end = r + 1 < ends.size() ? ends[r + 1] : b;
      while (a < a_end && b < b_end) {
        const std::uint64_t x = items[a].key, y = items[b].key;
        Item item = x <= y ? items[a] : items[b];
        if (x == y)
          for (std::size_t part : {0, 1}) item.df[part] += items[b].df[part];
        a += x <= y;
        b += y <= x;
        next[out++] = item;
      }
      while (a < a_end) next[out++] = items[a++];
      while (b < b_end) next[out++] = items[b++];
      merged_ends.push_back(out);
      first = b_end;
    }
    items.swap(next);
    ends = std::move(merged_ends);
  }
  MergedNgrams merged;
  merged.n_distinct = ends.empty() ? 0 : ends[0];
  for (std::size_t e = 0; e < merged.n_distinct; ++e) {
    const Frequency& frequency = items[e].df;
    if (std::uint64_t{frequency[0]} + frequency[1] < min_df) continue;
    merged.keys.push_back(items[e].key);
    merged.df.push_back(frequency);
  }
  return merged;
}

EncodedRows encode_ngrams(const TokensView& texts, std::span<const std::uint32_t> word_of,
                          Levels levels, const std::vector<std::span<const std::int32_t>>& columns,
                          std::size_t n_columns) {
  require(columns.size() == levels.size() + 1, "columns of every length expected");
  for (std::size_t l = 0; l < levels.size(); ++l)
    require(columns[l + 1].size() == levels[l]->size(), "one column per n-gram expected");
  for (const auto& of_level : columns)
    for (const std::int32_t column : of_level)
      require(column < static_cast<std::int64_t>(n_columns), "a column out of range");
  for (const std::uint32_t word : word_of)
    require(word == kNone || word < columns[0].size(), "one column per word expected");
  Chains chains(word_of, levels);
  const int bits = bits_for(n_columns);
  EncodedRows rows;
  rows.indptr.push_back(0);
  rows.indices.reserve(texts.tokens.size());
  rows.counts.reserve(texts.tokens.size());
  std::vector<Entry> row, scratch, sorted;
  for (std::size_t doc = 0; doc < texts.n_docs(); ++doc) {
    row.clear();
    const std::size_t begin = texts.begin(doc);
    const auto add = [&](std::int32_t column, std::uint32_t count) {
      if (column >= 0) row.push_back({static_cast<std::uint32_t>(column), count});
    };
    chains.find(
        texts.of(doc),
        [&](std::uint32_t word, std::size_t i) {
          add(columns[0][word], texts.times.empty() ? 1 : texts.times[begin + i]);
        },
        [&](std::size_t level, std::span<const std::uint32_t> numbers) {
          const auto of_level = columns[level + 1];
          for (const std::uint32_t number : numbers) __builtin_prefetch(&of_level[number]);
          for (const std::uint32_t number : numbers) add(of_level[number], 1);
        });
    sorted.resize(row.size());
    radix_sort<11>(
        row, scratch, bits, [](const Entry& entry) { return entry.node; },
        [&](const Entry& entry, std::size_t at) { sorted[at] = entry; });
    std::uint32_t last = kNone;
    for (const Entry& entry : sorted) {
      if (entry.node == last) {
        rows.counts.back() += entry.count;
      } else {
        rows.indices.push_back(static_cast<std::int32_t>(last = entry.node));
        rows.counts.push_back(entry.count);
      }
    }
    rows.indptr.push_back(static_cast<std::int64_t>(rows.indices.size()));
  }
  return rows;
}

}  // namespace wordplane
