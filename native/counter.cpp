#include "counter.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "parallel.h"

namespace wordplane {

namespace {

constexpr std::size_t kDocsPerJob = 64;
constexpr std::uint32_t kNgram = 0x80000000;  // tells n-gram numbers from words while counting

}  // namespace

struct Counter::Shard {
  explicit Shard(const Analysis& analysis) : analysis(analysis), reader(analysis) {}

  struct Entry {
    std::uint32_t node;
    std::uint32_t count;
  };
  struct End {  // of a document: how much the shard held after it
    std::size_t entries;
    std::uint32_t words, ngrams;
  };

  void read(std::string_view text);
  void count(std::uint32_t node, std::uint32_t& mark, std::uint32_t times);

  Analysis analysis;
  WordReader reader;
  WordTable words;
  PairTable ngrams;
  std::vector<Entry> entries;  // document after document
  std::vector<End> ends;
  std::size_t doc_begin = 0;  // of the current document, in entries
  std::vector<std::uint32_t> nodes, last;

  // After merge(): the numbers of all shards together.
  std::vector<std::uint32_t> word_number, ngram_number;
  std::uint32_t merged(std::uint32_t node) const {
    return node & kNgram ? ngram_number[node & ~kNgram] : word_number[node];
  }
};

// `mark` says where in the current document the node was counted last; the entry there
// proves it, so marks of earlier documents need no clearing.
void Counter::Shard::count(std::uint32_t node, std::uint32_t& mark, std::uint32_t times) {
  const std::size_t at = doc_begin + mark;
  if (at < entries.size() && entries[at].node == node) {
    entries[at].count += times;
  } else {
    mark = static_cast<std::uint32_t>(entries.size() - doc_begin);
    entries.push_back({node, times});
  }
}

void Counter::Shard::read(std::string_view text) {
  constexpr std::size_t kAhead = 8;
  reader.read(text);
  const auto& tokens = reader.words();
  const auto& times = reader.counts();
  const std::size_t n_words = tokens.size();
  doc_begin = entries.size();
  nodes.resize(n_words);
  last.resize(n_words);
  for (std::size_t i = 0; i < n_words; ++i) {
    auto& slot = words.intern(tokens[i]);
    nodes[i] = last[i] = slot.id;
    if (analysis.min_n == 1) count(slot.id, slot.mark, times.empty() ? 1 : times[i]);
  }
  for (std::size_t n = 2; n <= static_cast<std::size_t>(analysis.max_n) && n <= n_words; ++n) {
    for (std::size_t i = 0; i + n <= n_words; ++i) {
      if (i + n + kAhead <= n_words)
        ngrams.prefetch(PairTable::key_of(nodes[i + kAhead], last[i + kAhead + n - 1]));
      auto& slot = ngrams.intern(PairTable::key_of(nodes[i], last[i + n - 1]));
      nodes[i] = kNgram | slot.id;
      if (n >= static_cast<std::size_t>(analysis.min_n)) count(nodes[i], slot.mark, 1);
    }
  }
  ends.push_back({entries.size(), static_cast<std::uint32_t>(words.size()),
                  static_cast<std::uint32_t>(ngrams.size())});
}

Counter::Counter(const Analysis& analysis) : analysis_(analysis) {}
Counter::~Counter() = default;

void Counter::add(const Texts& texts, std::size_t begin, std::size_t end, int threads) {
  if (end > texts.size() || begin > end) throw std::out_of_range("documents out of range");
  while (shards_.size() < static_cast<std::size_t>(std::max(threads, 1)))
    shards_.push_back(std::make_unique<Shard>(analysis_));
  const std::size_t first = documents_.size();
  documents_.resize(first + end - begin);
  parallel_for(
      (end - begin + kDocsPerJob - 1) / kDocsPerJob, threads, [&](std::size_t job, int worker) {
        Shard& shard = *shards_[static_cast<std::size_t>(worker)];
        const std::size_t stop = std::min(begin + (job + 1) * kDocsPerJob, end);
        for (std::size_t row = begin + job * kDocsPerJob; row < stop; ++row) {
          documents_[first + row - begin] = {static_cast<std::uint32_t>(worker),
                                             static_cast<std::uint32_t>(shard.ends.size())};
          naming_row(row, [&] { shard.read(texts[row]); });
        }
      });
}

void Counter::merge() {
  for (auto& shard : shards_) {
    shard->words.forget_slots();
    shard->ngrams.forget_slots();
    shard->word_number.reserve(shard->words.size());
    shard->ngram_number.reserve(shard->ngrams.size());
  }
  // While merging, n-gram numbers carry kNgram; word numbers are final.
  for (const Document& document : documents_) {
    Shard& shard = *shards_[document.shard];
    const Shard::End& end = shard.ends[document.number];
    for (auto id = static_cast<std::uint32_t>(shard.word_number.size()); id < end.words; ++id)
      shard.word_number.push_back(words_.intern(shard.words.word(id)).id);
    for (auto id = static_cast<std::uint32_t>(shard.ngram_number.size()); id < end.ngrams; ++id) {
      const std::uint64_t key = PairTable::key_of(shard.merged(shard.ngrams.first(id)),
                                                  shard.merged(shard.ngrams.last(id)));
      shard.ngram_number.push_back(kNgram | ngrams_.intern(key).id);
    }
  }
  words_.forget_slots();
  ngrams_.forget_slots();
  const auto n_words = static_cast<std::uint32_t>(words_.size());
  for (auto& shard : shards_)
    for (auto& number : shard->ngram_number) number = n_words + (number & ~kNgram);
}

void Counter::count_frequencies(int threads) {
  const std::size_t n_nodes = words_.size() + ngrams_.size();
  std::vector<std::vector<std::int64_t>> df(shards_.size()), tf(shards_.size());
  parallel_for(shards_.size(), threads, [&](std::size_t s, int) {
    df[s].assign(n_nodes, 0);
    tf[s].assign(n_nodes, 0);
    for (const auto& entry : shards_[s]->entries) {
      const std::uint32_t node = shards_[s]->merged(entry.node);
      df[s][node] += 1;
      tf[s][node] += entry.count;
    }
  });
  document_frequency_.assign(n_nodes, 0);
  term_frequency_.assign(n_nodes, 0);
  for (std::size_t s = 0; s < shards_.size(); ++s)
    for (std::size_t node = 0; node < n_nodes; ++node) {
      document_frequency_[node] += df[s][node];
      term_frequency_[node] += tf[s][node];
    }
}

std::size_t Counter::first_of(std::size_t node) const {
  const std::uint32_t first = ngrams_.first(static_cast<std::uint32_t>(node - words_.size()));
  return first & kNgram ? words_.size() + (first & ~kNgram) : first;
}

std::size_t Counter::last_of(std::size_t node) const {
  return ngrams_.last(static_cast<std::uint32_t>(node - words_.size()));
}

std::string Counter::name(std::size_t node) const {
  if (node < words_.size()) return std::string(words_.word(static_cast<std::uint32_t>(node)));
  return name(first_of(node)) + " " + name(last_of(node));
}

// Every node extends its first n-1 words by one word, so the nodes form a trie. Words
// compare by their bytes, and the joining space sorts before any word character: walking
// the trie, children by the rank of their word, meets the names in alphabetical order.
std::vector<std::uint32_t> Counter::alphabetical_nodes() const {
  const std::size_t n_words = words_.size(), n_ngrams = ngrams_.size();
  std::vector<std::uint32_t> by_name(n_words);
  std::iota(by_name.begin(), by_name.end(), 0u);
  std::ranges::sort(by_name, [&](auto a, auto b) { return words_.word(a) < words_.word(b); });
  std::vector<std::uint32_t> rank(n_words);
  for (std::uint32_t r = 0; r < n_words; ++r) rank[by_name[r]] = r;

  const auto parent = [&](std::size_t id) { return first_of(n_words + id); };
  // Two counting sorts: by the rank of the last word, then, stably, by parent.
  std::vector<std::uint32_t> start(n_words + 1), by_last(n_ngrams);
  for (std::uint32_t id = 0; id < n_ngrams; ++id) ++start[rank[ngrams_.last(id)] + 1];
  std::partial_sum(start.begin(), start.end(), start.begin());
  for (std::uint32_t id = 0; id < n_ngrams; ++id) by_last[start[rank[ngrams_.last(id)]]++] = id;
  std::vector<std::uint32_t> child_end(n_words + n_ngrams), children(n_ngrams);
  for (std::size_t id = 0; id < n_ngrams; ++id) ++child_end[parent(id)];
  std::exclusive_scan(child_end.begin(), child_end.end(), child_end.begin(), 0u);
  for (const std::uint32_t id : by_last) children[child_end[parent(id)]++] = id;

  std::vector<std::uint32_t> nodes;
  nodes.reserve(n_words + n_ngrams);
  std::vector<std::uint32_t> open(by_name.rbegin(), by_name.rend());
  while (!open.empty()) {
    const std::uint32_t node = open.back();
    open.pop_back();
    nodes.push_back(node);
    const std::uint32_t begin = node == 0 ? 0 : child_end[node - 1];
    for (std::uint32_t c = child_end[node]; c-- > begin;)
      open.push_back(static_cast<std::uint32_t>(n_words) + children[c]);
  }
  return nodes;
}

void Counter::finish(Order order, int threads) {
  merge();
  count_frequencies(threads);
  // Nodes shorter than min_n were never counted: they are no features.
  const auto is_feature = [&](std::uint32_t node) { return document_frequency_[node] > 0; };
  std::vector<std::uint32_t> nodes;
  if (order == Order::alphabetical) {
    nodes = alphabetical_nodes();
  } else {
    nodes.resize(words_.size() + ngrams_.size());
    std::iota(nodes.begin(), nodes.end(), 0u);
  }
  std::ranges::copy_if(nodes, std::back_inserter(features_), is_feature);
  if (order == Order::frequency)
    std::ranges::stable_sort(features_, std::greater<>{},
                             [&](std::uint32_t node) { return document_frequency_[node]; });
  const auto in_order = [&](const std::vector<std::int64_t>& by_node) {
    std::vector<std::int64_t> by_feature;
    by_feature.reserve(features_.size());
    for (const std::uint32_t node : features_) by_feature.push_back(by_node[node]);
    return by_feature;
  };
  document_frequency_ = in_order(document_frequency_);
  term_frequency_ = in_order(term_frequency_);
}

void Counter::select(std::span<const bool> keep) {
  if (keep.size() != features_.size()) throw std::invalid_argument("one flag per feature expected");
  columns_.assign(words_.size() + ngrams_.size(), -1);
  std::int32_t next = 0;
  for (std::size_t f = 0; f < features_.size(); ++f)
    if (keep[f]) columns_[features_[f]] = next++;
  n_selected_ = static_cast<std::size_t>(next);
}

Vocabulary Counter::vocabulary() const {
  const std::size_t n_words = words_.size(), n_nodes = columns_.size();
  // Needed: the kept features and all that they extend. A node stands after the one it extends.
  std::vector<bool> needed(n_nodes);
  for (std::size_t node = n_nodes; node-- > 0;) {
    if (columns_[node] >= 0) needed[node] = true;
    if (node < n_words || !needed[node]) continue;
    needed[first_of(node)] = true;
    needed[last_of(node)] = true;
  }
  // The stored order tells nothing that the columns do not tell: words first, then n-grams
  // by length; within these by column, those without one last and by name.
  std::vector<std::uint32_t> length(n_nodes, 1);
  for (std::size_t node = n_words; node < n_nodes; ++node)
    length[node] = length[first_of(node)] + 1;
  std::vector<std::uint32_t> stored;
  for (std::uint32_t node = 0; node < n_nodes; ++node)
    if (needed[node]) stored.push_back(node);
  std::ranges::sort(stored, [&](std::uint32_t a, std::uint32_t b) {
    if (length[a] != length[b]) return length[a] < length[b];
    const auto column_a = static_cast<std::uint32_t>(columns_[a]);  // none: the largest
    const auto column_b = static_cast<std::uint32_t>(columns_[b]);
    if (column_a != column_b) return column_a < column_b;
    return a != b && name(a) < name(b);
  });

  std::string bytes;
  std::vector<std::int64_t> word_ends;
  std::vector<std::uint32_t> firsts, lasts, number(n_nodes, kNone);
  std::vector<std::int32_t> columns;
  for (const std::uint32_t node : stored) {
    number[node] = static_cast<std::uint32_t>(columns.size());
    columns.push_back(columns_[node]);
    if (node < n_words) {
      bytes += words_.word(node);
      word_ends.push_back(static_cast<std::int64_t>(bytes.size()));
    } else {
      firsts.push_back(number[first_of(node)]);
      lasts.push_back(number[last_of(node)]);
    }
  }
  return Vocabulary(bytes, word_ends, firsts, lasts, columns);
}

// Calls each(row, entries): the kept entries of a document, each column << 32 | count.
template <class Each>
void Counter::each_row(int threads, Each&& each) const {
  parallel_for((n_docs() + kDocsPerJob - 1) / kDocsPerJob, threads, [&](std::size_t job, int) {
    std::vector<std::uint64_t> entries;
    const std::size_t stop = std::min((job + 1) * kDocsPerJob, n_docs());
    for (std::size_t row = job * kDocsPerJob; row < stop; ++row) {
      const Shard& shard = *shards_[documents_[row].shard];
      const std::uint32_t k = documents_[row].number;
      entries.clear();
      for (std::size_t e = k == 0 ? 0 : shard.ends[k - 1].entries; e < shard.ends[k].entries; ++e) {
        const std::int32_t column = columns_[shard.merged(shard.entries[e].node)];
        if (column >= 0)
          entries.push_back(static_cast<std::uint64_t>(column) << 32 | shard.entries[e].count);
      }
      each(row, entries);
    }
  });
}

std::vector<std::int64_t> Counter::indptr(int threads) const {
  std::vector<std::int64_t> indptr(n_docs() + 1);
  each_row(threads, [&](std::size_t row, const std::vector<std::uint64_t>& entries) {
    indptr[row + 1] = static_cast<std::int64_t>(entries.size());
  });
  std::partial_sum(indptr.begin(), indptr.end(), indptr.begin());
  return indptr;
}

template <class Value>
void Counter::fill(const std::vector<std::int64_t>& indptr, std::int32_t* indices, Value* values,
                   int threads) const {
  each_row(threads, [&](std::size_t row, std::vector<std::uint64_t>& entries) {
    std::ranges::sort(entries);
    std::int64_t at = indptr[row];
    for (const std::uint64_t entry : entries) {
      indices[at] = static_cast<std::int32_t>(entry >> 32);
      values[at++] = static_cast<Value>(static_cast<std::uint32_t>(entry));
    }
  });
}

template void Counter::fill(const std::vector<std::int64_t>&, std::int32_t*, std::int64_t*,
                            int) const;
template void Counter::fill(const std::vector<std::int64_t>&, std::int32_t*, float*, int) const;
template void Counter::fill(const std::vector<std::int64_t>&, std::int32_t*, double*, int) const;

}  // namespace wordplane
