#include "counter.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>

#include "parallel.h"
#include "radix_sort.h"

namespace wordplane {

namespace {

constexpr std::size_t kDocsPerJob = 64;
constexpr std::uint32_t kNgram = 0x80000000;  // tells numbers of n-grams from those of words

struct Entry {
  std::uint32_t node;  // word or n-gram; after select() its column
  std::uint32_t count;
};

// The counts of consecutive documents.
struct Counts {
  std::size_t first_doc;
  HugeVector<Entry> entries;      // document after document; room for more may follow
  std::vector<std::size_t> ends;  // of the documents, in entries

  std::size_t size() const { return ends.empty() ? 0 : ends.back(); }
  std::span<const Entry> of(std::size_t doc) const {
    const std::size_t begin = doc == first_doc ? 0 : ends[doc - first_doc - 1];
    return {entries.data() + begin, ends[doc - first_doc] - begin};
  }
};

}  // namespace

struct Counter::Shard {
  explicit Shard(const Analysis& analysis) : reader(analysis) {}

  void read(std::string_view text);

  WordReader reader;
  WordTable types;                     // tokens as they stand in the texts
  std::vector<std::uint32_t> word_of;  // by type; kNone: a stop word
  HugeVector<std::uint32_t> tokens;    // types of the batch, document after document
  std::vector<std::uint32_t> counts;   // of these tokens, where the texts give counts
  std::vector<std::uint64_t> keys;
};

void Counter::Shard::read(std::string_view text) {
  reader.read_raw(text);
  const auto& words = reader.words();
  keys.resize(words.size());
  for (std::size_t i = 0; i < words.size(); ++i) {
    keys[i] = WordTable::key_of(words[i]);
    types.prefetch(keys[i]);
  }
  const std::size_t begin = tokens.size();
  tokens.resize(begin + words.size());
  for (std::size_t i = 0; i < words.size(); ++i)
    tokens[begin + i] = types.intern(words[i], keys[i]).id;
  counts.insert(counts.end(), reader.counts().begin(), reader.counts().end());
}

struct Counter::Owner {
  Owner(const Analysis& analysis, std::size_t number, std::size_t n_owners)
      : min_n(static_cast<std::size_t>(analysis.min_n)),
        max_n(static_cast<std::size_t>(analysis.max_n)),
        number(number),
        n_owners(n_owners) {}

  bool owns(std::size_t word) const { return n_owners == 1 || word % n_owners == number; }
  void start_batch(std::size_t n_docs, std::size_t n_tokens);
  void read(const Document& document);
  void pass_over() { batches.back().ends.push_back(n_entries); }
  void order(const std::vector<std::uint32_t>& rank_of_word);
  void place(const std::vector<std::uint32_t>& word_position);

  std::size_t min_n, max_n;
  std::size_t number, n_owners;
  PairTable ngrams;
  std::vector<std::uint32_t> word_mark;  // by word, see count()
  std::vector<Counts> batches;           // what was counted in each batch
  std::size_t n_entries = 0;             // of the last batch
  std::vector<std::uint32_t> words, nodes, starts, times;

  // After order(): the n-grams of each length, from 2, in alphabetical order; of each n-gram
  // the number of n-grams that begin with it, itself among them; and of each word.
  std::vector<HugeVector<std::uint32_t>> by_length;
  HugeVector<std::uint32_t> extensions, word_extensions;
  HugeVector<std::uint32_t> position;  // after place(): by n-gram
};

void Counter::Owner::start_batch(std::size_t n_docs, std::size_t n_tokens) {
  std::size_t first_doc = 0;
  for (const Counts& batch : batches) first_doc += batch.ends.size();
  Counts& batch = batches.emplace_back(Counts{first_doc, {}, {}});
  batch.ends.reserve(n_docs);
  // A guess that saves moving things; memory is taken only when it is written to.
  batch.entries.resize(n_tokens / n_owners);
  n_entries = 0;
}

void Counter::Owner::read(const Document& document) {
  constexpr std::size_t kAhead = 12;
  const Shard& shard = *document.shard;
  const std::size_t n_tokens = document.end - document.begin;
  words.resize(n_tokens);
  std::size_t n_words = 0;
  const std::uint32_t* const word_of = shard.word_of.data();
  for (std::size_t i = document.begin; i < document.end; ++i) {
    words[n_words] = word_of[shard.tokens[i]];
    n_words += words[n_words] != kNone;
  }
  times.clear();
  for (std::size_t i = document.begin; i < document.end && !shard.counts.empty(); ++i)
    if (shard.word_of[shard.tokens[i]] != kNone) times.push_back(shard.counts[i]);
  words.resize(n_words);
  starts.resize(n_words);
  std::size_t n_starts = 0;
  for (std::uint32_t i = 0; i < words.size(); ++i) {
    starts[n_starts] = i;
    n_starts += owns(words[i]);
  }

  HugeVector<Entry>& room = batches.back().entries;
  const std::size_t most = n_entries + n_starts * (max_n - min_n + 1) + 1;
  if (room.size() < most) room.resize(2 * most);
  // `mark` says where in this document the node was counted last; the entry there proves it,
  // so marks of earlier documents need no clearing.
  Entry* const entries = room.data() + n_entries;
  std::uint32_t n_counted = 0;
  const auto count = [&](std::uint32_t node, std::uint32_t& mark, std::uint32_t times) {
    // Without a branch, which nobody could predict: the next entry is prepared in any case.
    entries[n_counted] = {node, 0};
    const std::uint32_t last = std::min(mark, n_counted);
    mark = entries[last].node == node ? last : n_counted;
    entries[mark].count += times;
    n_counted += mark == n_counted;
  };
  if (min_n == 1)
    for (std::size_t s = 0; s < n_starts; ++s) {
      const std::uint32_t word = words[starts[s]];
      count(word, word_mark[word], times.empty() ? 1 : times[starts[s]]);
    }
  if (max_n > 1) {
    nodes.resize(n_starts);
    for (std::size_t s = 0; s < n_starts; ++s) nodes[s] = words[starts[s]];
  }
  for (std::size_t n = 2; n <= max_n; ++n) {
    while (n_starts > 0 && starts[n_starts - 1] + n > words.size()) --n_starts;
    const auto key = [&](std::size_t s) {
      return PairTable::key_of(nodes[s], words[starts[s] + n - 1]);
    };
    for (std::size_t s = 0; s < std::min(kAhead, n_starts); ++s) ngrams.prefetch(key(s));
    for (std::size_t s = 0; s < n_starts; ++s) {
      if (s + kAhead < n_starts) ngrams.prefetch(key(s + kAhead));
      auto& slot = ngrams.intern(key(s));
      nodes[s] = kNgram | slot.id;
      if (n >= min_n) count(nodes[s], slot.mark, 1);
    }
  }
  n_entries += n_counted;
  batches.back().ends.push_back(n_entries);
}

// n-grams of one length compare by the n-gram they extend, then by their last word: each
// length is sorted by two small numbers, the place of the one and the rank of the other.
void Counter::Owner::order(const std::vector<std::uint32_t>& rank_of_word) {
  struct Item {
    std::uint64_t key;
    std::uint32_t id;
  };
  HugeVector<std::uint16_t> length(ngrams.size());
  std::vector<HugeVector<Item>> items(max_n > 1 ? max_n - 1 : 0);
  for (std::uint32_t id = 0; id < ngrams.size(); ++id) {
    const std::uint32_t first = ngrams.first(id);
    length[id] = first & kNgram ? static_cast<std::uint16_t>(length[first & ~kNgram] + 1) : 2;
    items[length[id] - 2u].push_back({0, id});
  }
  ngrams.forget_slots();
  const int word_bits = bits_for(rank_of_word.size());
  HugeVector<std::uint32_t> place(ngrams.size());  // within its length
  HugeVector<Item> scratch;
  for (std::size_t l = 0; l < items.size(); ++l) {
    for (Item& item : items[l]) {
      const std::uint32_t first = ngrams.first(item.id);
      const std::uint64_t before = l == 0 ? rank_of_word[first] : place[first & ~kNgram];
      item.key = before << word_bits | rank_of_word[ngrams.last(item.id)];
    }
    const int bits = word_bits + bits_for(l == 0 ? rank_of_word.size() : items[l - 1].size());
    radix_sort<11>(items[l], scratch, bits, [](const Item& item) { return item.key; });
    by_length.emplace_back(items[l].size());
    for (std::uint32_t i = 0; i < items[l].size(); ++i) {
      by_length[l][i] = items[l][i].id;
      place[items[l][i].id] = i;
    }
  }
  extensions.assign(ngrams.size(), 1);
  word_extensions.assign(rank_of_word.size(), 0);
  for (std::size_t l = by_length.size(); l-- > 0;)
    for (const std::uint32_t id : by_length[l]) {
      const std::uint32_t first = ngrams.first(id);
      (l == 0 ? word_extensions[first] : extensions[first & ~kNgram]) += extensions[id];
    }
}

// What extends a node stands behind it, before its next sibling: the joining space sorts
// before every character of a word.
void Counter::Owner::place(const std::vector<std::uint32_t>& word_position) {
  position.resize(ngrams.size());
  for (std::size_t l = 0; l < by_length.size(); ++l) {
    std::uint32_t parent = kNone, next = 0;
    for (const std::uint32_t id : by_length[l]) {
      const std::uint32_t first = ngrams.first(id);
      if (first != parent) {
        parent = first;
        next = (l == 0 ? word_position[first] : position[first & ~kNgram]) + 1;
      }
      position[id] = next;
      next += extensions[id];
    }
  }
}

// Moves the counter from one state to the next, or breaks it.
class Counter::Step {
 public:
  Step(Counter& counter, State from, State to) : counter_(counter), to_(to) {
    if (counter.state_ != from) throw std::logic_error("the counter is not in a state for this");
    counter.state_ = State::broken;
  }
  void done() { counter_.state_ = to_; }

 private:
  Counter& counter_;
  State to_;
};

Counter::Counter(const Analysis& analysis)
    : analysis_(analysis), by_document_(analysis.max_n == 1) {
  for (const std::string& word : analysis.stop_words) stop_words_.intern(word);
}
Counter::~Counter() = default;

void Counter::add(const Texts& texts, std::size_t begin, std::size_t end, int threads) {
  if (end > texts.size() || begin > end) throw std::out_of_range("documents out of range");
  Step step(*this, State::counting, State::counting);
  const auto n_workers = static_cast<std::size_t>(std::max(threads, 1));
  while (shards_.size() < n_workers) shards_.push_back(std::make_unique<Shard>(analysis_));
  while (owners_.size() < n_workers && (owners_.empty() || by_document_ || n_docs_ == 0))
    owners_.push_back(
        std::make_unique<Owner>(analysis_, owners_.size(), by_document_ ? 1 : n_workers));

  tokenize(texts, begin, end, threads);
  fold_new_tokens();
  std::size_t n_tokens = 0;
  for (const auto& shard : shards_) n_tokens += shard->tokens.size();
  parallel_for(owners_.size(), threads, [&](std::size_t k, int) {
    owners_[k]->word_mark.resize(words_.size(), kNone);
    owners_[k]->start_batch(end - begin, n_tokens);
    for (const Document& document : batch_)
      if (by_document_ && document.shard != shards_[k].get())
        owners_[k]->pass_over();
      else
        owners_[k]->read(document);
  });
  for (auto& shard : shards_) {
    shard->tokens.clear();
    shard->counts.clear();
  }
  n_docs_ += end - begin;
  step.done();
}

void Counter::tokenize(const Texts& texts, std::size_t begin, std::size_t end, int threads) {
  batch_.resize(end - begin);
  const std::size_t n_jobs = (end - begin + kDocsPerJob - 1) / kDocsPerJob;
  parallel_for(n_jobs, threads, [&](std::size_t job, int worker) {
    Shard& shard = *shards_[static_cast<std::size_t>(worker)];
    const std::size_t stop = std::min(begin + (job + 1) * kDocsPerJob, end);
    for (std::size_t row = begin + job * kDocsPerJob; row < stop; ++row) {
      const std::size_t first = shard.tokens.size();
      naming_row(row, [&] { shard.read(texts[row]); });
      batch_[row - begin] = {&shard, first, shard.tokens.size()};
    }
  });
}

void Counter::fold_new_tokens() {
  std::string word;
  for (auto& shard : shards_)
    for (auto type = static_cast<std::uint32_t>(shard->word_of.size()); type < shard->types.size();
         ++type) {
      fold(analysis_, shard->types.word(type), word);
      const bool stop = stop_words_.size() > 0 && stop_words_.find(word) != kNone;
      shard->word_of.push_back(stop ? kNone : words_.intern(word).id);
    }
}

void Counter::rank_words() {
  words_by_rank_ = alphabetical(words_);
  rank_of_word_.resize(words_.size());
  for (std::uint32_t rank = 0; rank < words_.size(); ++rank)
    rank_of_word_[words_by_rank_[rank]] = rank;
}

void Counter::finish(Order order, int threads) {
  Step step(*this, State::counting, State::finished);
  shards_.clear();
  words_.forget_slots();
  rank_words();
  parallel_for(owners_.size(), threads,
               [&](std::size_t k, int) { owners_[k]->order(rank_of_word_); });
  word_position_.resize(words_.size());
  std::uint64_t next = 0;
  for (const std::uint32_t word : words_by_rank_) {
    word_position_[word] = static_cast<std::uint32_t>(next);
    next += 1 + owners_[by_document_ ? 0 : word % owners_.size()]->word_extensions[word];
  }
  check_room(next);
  n_nodes_ = next;
  parallel_for(owners_.size(), threads,
               [&](std::size_t k, int) { owners_[k]->place(word_position_); });

  // Number the features: all nodes, or those that are long enough.
  std::vector<bool> too_short(n_nodes_);
  if (analysis_.min_n > 1) {
    for (const std::uint32_t position : word_position_) too_short[position] = true;
    for (const auto& owner : owners_)
      for (std::size_t l = 0; l + 2 < static_cast<std::size_t>(analysis_.min_n); ++l)
        for (const std::uint32_t id : owner->by_length[l]) too_short[owner->position[id]] = true;
  }
  feature_at_.resize(n_nodes_);
  std::int32_t number = 0;
  for (std::size_t p = 0; p < n_nodes_; ++p) feature_at_[p] = too_short[p] ? -1 : number++;
  n_features_ = static_cast<std::size_t>(number);
  if (order == Order::frequency) {
    const std::vector<std::int64_t> df = document_frequency(threads);
    std::vector<std::uint32_t> by_df(n_features_);
    std::iota(by_df.begin(), by_df.end(), 0u);
    std::vector<std::uint32_t> scratch;
    radix_sort<11>(by_df, scratch, bits_for(n_docs_ + 1), [&](std::uint32_t feature) {
      return n_docs_ - static_cast<std::size_t>(df[feature]);
    });
    std::vector<std::int32_t> renumbered(n_features_);
    for (std::size_t i = 0; i < n_features_; ++i)
      renumbered[by_df[i]] = static_cast<std::int32_t>(i);
    for (std::int32_t& feature : feature_at_)
      if (feature >= 0) feature = renumbered[static_cast<std::size_t>(feature)];
  }
  step.done();
}

template <class Weight>
std::vector<std::int64_t> Counter::sum_by_feature(int threads, Weight&& weight) const {
  if (n_features_ > 0 && state_ == State::selected) throw std::logic_error("ask before select");
  std::vector<std::int64_t> sums(n_features_);
  const auto put = [&](std::uint32_t position, std::int64_t sum) {
    if (feature_at_[position] >= 0) sums[static_cast<std::size_t>(feature_at_[position])] += sum;
  };
  std::vector<HugeVector<std::int64_t>> of_word(owners_.size());
  parallel_for(owners_.size(), threads, [&](std::size_t k, int) {
    const Owner& owner = *owners_[k];
    HugeVector<std::int64_t> of_ngram(owner.ngrams.size(), 0);
    of_word[k].resize(words_.size(), 0);
    for (const Counts& batch : owner.batches)
      for (std::size_t e = 0; e < batch.size(); ++e) {
        const Entry& entry = batch.entries[e];
        (entry.node & kNgram ? of_ngram[entry.node & ~kNgram] : of_word[k][entry.node]) +=
            weight(entry);
      }
    for (std::size_t id = 0; id < of_ngram.size(); ++id) put(owner.position[id], of_ngram[id]);
  });
  for (const auto& of_owner : of_word)
    for (std::size_t word = 0; word < words_.size(); ++word)
      put(word_position_[word], of_owner[word]);
  return sums;
}

std::vector<std::int64_t> Counter::document_frequency(int threads) const {
  return sum_by_feature(threads, [](const Entry&) { return 1; });
}

std::vector<std::int64_t> Counter::term_frequency(int threads) const {
  return sum_by_feature(threads, [](const Entry& entry) { return std::int64_t{entry.count}; });
}

void Counter::select(std::span<const bool> keep, int threads) {
  constexpr std::size_t kAhead = 24;
  if (keep.size() != n_features_) throw std::invalid_argument("one flag per feature expected");
  Step step(*this, State::finished, State::selected);
  std::vector<std::int32_t> column(n_features_, -1);
  std::int32_t next = 0;
  for (std::size_t f = 0; f < n_features_; ++f)
    if (keep[f]) column[f] = next++;
  n_selected_ = static_cast<std::size_t>(next);
  column_at_.resize(n_nodes_);
  for (std::size_t p = 0; p < n_nodes_; ++p)
    column_at_[p] = feature_at_[p] < 0 ? -1 : column[static_cast<std::size_t>(feature_at_[p])];

  // From here on the entries name columns, kNone (as -1) where the feature is not kept.
  std::vector<std::vector<std::uint32_t>> kept(owners_.size());
  parallel_for(owners_.size(), threads, [&](std::size_t k, int) {
    Owner& owner = *owners_[k];
    HugeVector<std::int32_t> of_ngram(owner.ngrams.size());
    for (std::size_t id = 0; id < of_ngram.size(); ++id)
      of_ngram[id] = column_at_[owner.position[id]];
    std::vector<std::int32_t> of_word(words_.size());
    for (std::size_t word = 0; word < of_word.size(); ++word)
      of_word[word] = column_at_[word_position_[word]];
    const auto place = [&](std::uint32_t node) {
      return node & kNgram ? &of_ngram[node & ~kNgram] : &of_word[node];
    };
    kept[k].resize(n_docs_);
    for (Counts& batch : owner.batches)
      for (std::size_t i = 0, e = 0; i < batch.ends.size(); ++i)
        for (; e < batch.ends[i]; ++e) {
          if (e + kAhead < batch.size()) __builtin_prefetch(place(batch.entries[e + kAhead].node));
          const std::int32_t found = *place(batch.entries[e].node);
          batch.entries[e].node = static_cast<std::uint32_t>(found);
          kept[k][batch.first_doc + i] += found >= 0;
        }
  });
  indptr_.assign(n_docs_ + 1, 0);
  for (std::size_t row = 0; row < n_docs_; ++row) {
    indptr_[row + 1] = indptr_[row];
    for (const auto& of_owner : kept) indptr_[row + 1] += of_owner[row];
  }
  step.done();
}

template <class Value>
void Counter::fill(std::int32_t* indices, Value* values, int threads) const {
  if (state_ != State::selected) throw std::logic_error("no features were selected");
  struct Job {
    std::size_t batch, first_doc, end_doc;
  };
  std::vector<Job> jobs;
  for (std::size_t b = 0; !owners_.empty() && b < owners_[0]->batches.size(); ++b) {
    const Counts& batch = owners_[0]->batches[b];
    const std::size_t end = batch.first_doc + batch.ends.size();
    for (std::size_t row = batch.first_doc; row < end; row += kDocsPerJob)
      jobs.push_back({b, row, std::min(row + kDocsPerJob, end)});
  }
  const int bits = bits_for(n_selected_);
  parallel_for(jobs.size(), threads, [&](std::size_t j, int) {
    std::vector<Entry> entries, scratch;
    for (std::size_t row = jobs[j].first_doc; row < jobs[j].end_doc; ++row) {
      entries.clear();
      for (const auto& owner : owners_)
        for (const Entry& entry : owner->batches[jobs[j].batch].of(row))
          if (entry.node != kNone) entries.push_back(entry);
      const auto column = [](const Entry& entry) { return entry.node; };
      if (entries.size() < 64)
        std::ranges::sort(entries, {}, column);
      else
        radix_sort<8>(entries, scratch, bits, column);
      std::int64_t at = indptr_[row];
      for (const Entry& entry : entries) {
        indices[at] = static_cast<std::int32_t>(entry.node);
        values[at++] = static_cast<Value>(entry.count);
      }
    }
  });
}

template void Counter::fill(std::int32_t*, std::int64_t*, int) const;
template void Counter::fill(std::int32_t*, float*, int) const;
template void Counter::fill(std::int32_t*, double*, int) const;

void Counter::forget_documents() {
  for (auto& owner : owners_) {
    owner->batches = {};
    owner->word_mark = {};
    owner->extensions = {};
  }
}

Vocabulary Counter::vocabulary() const {
  if (state_ != State::selected) throw std::logic_error("no features were selected");
  // The nodes by position, which stands before all that extends it.
  struct Node {
    std::uint32_t first = kNone, last;  // positions; a word has no first
    std::uint32_t word;                 // number of the last word
    std::uint32_t length = 1;
  };
  HugeVector<Node> nodes(n_nodes_);
  for (std::uint32_t word = 0; word < words_.size(); ++word)
    nodes[word_position_[word]] = {kNone, word_position_[word], word, 1};
  for (const auto& owner : owners_)
    for (std::size_t l = 0; l < owner->by_length.size(); ++l)
      for (const std::uint32_t id : owner->by_length[l]) {
        const std::uint32_t first = owner->ngrams.first(id), last = owner->ngrams.last(id);
        nodes[owner->position[id]] = {
            l == 0 ? word_position_[first] : owner->position[first & ~kNgram], word_position_[last],
            last, static_cast<std::uint32_t>(l + 2)};
      }
  // Needed: the kept features, what they extend, and their words.
  std::vector<bool> needed(n_nodes_);
  for (std::size_t p = n_nodes_; p-- > 0;) {
    if (column_at_[p] >= 0) needed[p] = true;
    if (!needed[p] || nodes[p].first == kNone) continue;
    needed[nodes[p].first] = true;
    needed[nodes[p].last] = true;
  }
  std::string bytes;
  std::vector<std::int64_t> word_ends;
  std::vector<std::uint32_t> firsts, lasts, number(n_nodes_);
  std::vector<std::int32_t> columns;
  for (std::uint32_t length = 1; length <= static_cast<std::uint32_t>(analysis_.max_n); ++length)
    for (std::size_t p = 0; p < n_nodes_; ++p) {
      if (!needed[p] || nodes[p].length != length) continue;
      number[p] = static_cast<std::uint32_t>(columns.size());
      columns.push_back(column_at_[p]);
      if (length == 1) {
        bytes += words_.word(nodes[p].word);
        word_ends.push_back(static_cast<std::int64_t>(bytes.size()));
      } else {
        firsts.push_back(number[nodes[p].first]);
        lasts.push_back(number[nodes[p].last]);
      }
    }
  return Vocabulary(bytes, word_ends, firsts, lasts, columns,
                    analysis_.tokens == Tokens::chars ? Parts::chars : Parts::words);
}

}  // namespace wordplane
