#include "features/counter.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>

#include "common/csr.h"
#include "common/parallel.h"
#include "common/radix_sort.h"
#include "features/sorted_row.h"

namespace wordplane {

namespace {

constexpr std::size_t kDocsPerJob = 64;
constexpr std::size_t kAhead = 12;  // how far ahead of its use a slot of a table is fetched

}  // namespace

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

Counter::Counter(const Analysis& analysis) : analysis_(analysis) {
  if (analysis.tokens == Tokens::counts && !single_words())
    throw std::invalid_argument("words with counts have no order: no n-grams of them");
}
Counter::~Counter() = default;

void Counter::add(const Texts& texts, std::size_t begin, std::size_t end, int threads) {
  if (end > texts.size() || begin > end) throw std::out_of_range("documents out of range");
  Step step(*this, State::counting, State::counting);
  if (shards_.empty()) {
    const auto n_workers = static_cast<std::size_t>(std::max(threads, 1));
    counted_.resize(single_words() ? n_workers : 2 * n_workers);
    for (std::size_t k = 0; k < n_workers; ++k)
      shards_.push_back(std::make_unique<WordShard>(analysis_, counted_[k]));
    for (std::size_t k = 0; k + n_workers < counted_.size(); ++k)
      owners_.push_back(
          std::make_unique<NgramOwner>(analysis_, k, n_workers, counted_[n_workers + k]));
  }
  threads = std::min(threads, static_cast<int>(shards_.size()));
  const std::size_t n_docs = end - begin;
  read_words(texts, begin, n_docs, threads);
  if (!single_words()) read_ngrams(n_docs, threads);
  n_docs_ += n_docs;
  step.done();
}

void Counter::read_words(const Texts& texts, std::size_t begin, std::size_t n_docs, int threads) {
  std::size_t bytes = 0;
  for (std::size_t doc = 0; doc < n_docs; ++doc) bytes += texts[begin + doc].size();
  for (auto& shard : shards_)
    shard->counted.batches.emplace_back(n_docs_, n_docs, bytes / (8 * shards_.size()));
  if (!single_words()) batch_.resize(n_docs);
  const std::size_t n_jobs = (n_docs + kDocsPerJob - 1) / kDocsPerJob;
  parallel_for(n_jobs, threads, [&](std::size_t job, int worker) {
    WordShard& shard = *shards_[static_cast<std::size_t>(worker)];
    const std::size_t stop = std::min((job + 1) * kDocsPerJob, n_docs);
    for (std::size_t doc = job * kDocsPerJob; doc < stop; ++doc) {
      naming_row(begin + doc, [&] { shard.cut(texts[begin + doc]); });
      const std::size_t first = shard.tokens.size();
      shard.read(n_docs_ + doc, analysis_.min_n == 1, !single_words());
      if (!single_words()) batch_[doc] = {&shard, first, shard.tokens.size()};
    }
  });
  for (auto& shard : shards_) shard->counted.batches.back().pass_over(n_docs_ + n_docs);
}

void Counter::read_ngrams(std::size_t n_docs, int threads) {
  constexpr std::size_t kRepeats = 6;  // how often an n-gram occurs, roughly
  share_words();
  std::size_t n_tokens = 0;
  for (const auto& shard : shards_) n_tokens += shard->tokens.size();
  const std::size_t share = n_tokens / owners_.size();
  parallel_for(shards_.size(), threads, [&](std::size_t k, int) {
    for (std::uint32_t& token : shards_[k]->tokens) token = shards_[k]->word_of[token];
  });
  parallel_for(owners_.size(), threads, [&](std::size_t k, int) {
    NgramOwner& owner = *owners_[k];
    if (owner.ngrams.size() == 0) owner.ngrams.reserve(share / kRepeats);
    owner.counted.batches.emplace_back(n_docs_, n_docs, share * owner.n_lengths());
    for (std::size_t doc = 0; doc < n_docs; ++doc) owner.read(n_docs_ + doc, batch_[doc].words());
  });
  for (auto& shard : shards_) shard->tokens.clear();
}

void Counter::share_words() {
  for (auto& shard : shards_) {
    const WordTable& types = shard->types;
    std::vector<WordKey>& keys = shard->keys;
    const auto n_known = static_cast<std::uint32_t>(shard->word_of.size());
    keys.clear();
    for (std::uint32_t type = n_known; type < types.size(); ++type)
      keys.push_back(WordTable::key_of(types.word(type)));
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (i + kAhead < keys.size()) words_.prefetch(keys[i + kAhead]);
      const auto type = static_cast<std::uint32_t>(n_known + i);
      shard->word_of.push_back(words_.intern(types.word(type), keys[i]).id);
    }
  }
}

void Counter::rank_words(int threads) {
  words_by_rank_ = alphabetical(words_, threads);
  rank_of_word_.resize(words_.size());
  for (std::uint32_t rank = 0; rank < words_.size(); ++rank)
    rank_of_word_[words_by_rank_[rank]] = rank;
}

void Counter::finish(Order order, int threads) {
  Step step(*this, State::counting, State::finished);
  if (single_words() && !shards_.empty()) {
    words_ = std::move(shards_[0]->types);
    shards_[0]->word_of.resize(words_.size());
    std::iota(shards_[0]->word_of.begin(), shards_[0]->word_of.end(), 0u);
    shards_[0]->types = {};
    share_words();
  }
  std::vector<std::vector<std::uint32_t>> word_of;
  for (auto& shard : shards_) word_of.push_back(std::move(shard->word_of));
  shards_.clear();
  words_.forget_slots();
  rank_words(threads);
  parallel_for(owners_.size(), threads,
               [&](std::size_t k, int) { owners_[k]->order(rank_of_word_); });
  word_position_.resize(words_.size());
  std::uint64_t next = 0;
  for (const std::uint32_t word : words_by_rank_) {
    word_position_[word] = static_cast<std::uint32_t>(next++);
    if (!owners_.empty())
      next += owners_[NgramOwner::of(word, owners_.size())]->word_extensions[word];
  }
  check_room(next);
  n_nodes_ = next;
  for (std::size_t k = 0; k < word_of.size(); ++k)
    for (const std::uint32_t word : word_of[k])
      counted_[k].position.push_back(word_position_[word]);
  parallel_for(owners_.size(), threads,
               [&](std::size_t k, int) { owners_[k]->place(word_position_); });

  // Number the features: all nodes, or those that are long enough.
  std::vector<bool> too_short(n_nodes_);
  if (analysis_.min_n > 1) {
    for (const std::uint32_t position : word_position_) too_short[position] = true;
    for (const auto& owner : owners_)
      for (std::size_t l = 0; l + 2 < static_cast<std::size_t>(analysis_.min_n); ++l)
        for (const auto& ngram : owner->by_length[l])
          too_short[owner->counted.position[ngram.id]] = true;
  }
  feature_at_.resize(n_nodes_);
  std::int32_t number = 0;
  for (std::size_t p = 0; p < n_nodes_; ++p) feature_at_[p] = too_short[p] ? -1 : number++;
  n_features_ = static_cast<std::size_t>(number);
  if (order == Order::frequency) {
    const std::vector<std::int64_t> df = sum_by_feature(threads, [](const Entry&) { return 1; });
    std::vector<std::uint32_t> by_df(n_features_);
    std::iota(by_df.begin(), by_df.end(), 0u);
    std::vector<std::uint32_t> scratch;
    std::vector<std::int32_t> renumbered(n_features_);
    document_frequency_.resize(n_features_);
    radix_sort<11>(
        by_df, scratch, bits_for(n_docs_ + 1),
        [&](std::uint32_t feature) { return n_docs_ - static_cast<std::size_t>(df[feature]); },
        [&](std::uint32_t feature, std::uint32_t place) {
          renumbered[feature] = static_cast<std::int32_t>(place);
          document_frequency_[place] = df[feature];
        });
    for (std::int32_t& feature : feature_at_)
      if (feature >= 0) feature = renumbered[static_cast<std::size_t>(feature)];
  }
  step.done();
}

template <class Weight>
std::vector<std::int64_t> Counter::sum_by_feature(int threads, Weight&& weight) const {
  std::vector<HugeVector<std::int64_t>> of_node(counted_.size());
  std::vector<std::int64_t> sums(n_features_);
  const auto put = [&](std::size_t k) {
    for (std::size_t node = 0; node < of_node[k].size(); ++node) {
      const std::int32_t feature = feature_at_[counted_[k].position[node]];
      if (feature >= 0) sums[static_cast<std::size_t>(feature)] += of_node[k][node];
    }
  };
  // No two owners count the same feature, so they may add theirs at once; shards may share words.
  const std::size_t n_shards = counted_.size() - owners_.size();
  parallel_for(counted_.size(), threads, [&](std::size_t k, int) {
    of_node[k].resize(counted_[k].position.size(), 0);
    for (const Counts& batch : counted_[k].batches)
      for (const Entry& entry : batch.entries()) of_node[k][entry.node] += weight(entry);
    if (k >= n_shards) put(k);
  });
  for (std::size_t k = 0; k < n_shards; ++k) put(k);
  return sums;
}

std::vector<std::int64_t> Counter::document_frequency(int threads) const {
  require_finished();
  if (!document_frequency_.empty()) return document_frequency_;
  return sum_by_feature(threads, [](const Entry&) { return 1; });
}

std::vector<std::int64_t> Counter::term_frequency(int threads) const {
  require_finished();
  return sum_by_feature(threads, [](const Entry& entry) { return std::int64_t{entry.count}; });
}

void Counter::select(std::span<const bool> keep, int threads) {
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

  document_frequency_ = std::vector<std::int64_t>();
  const bool all = n_selected_ == n_features_;
  std::vector<std::vector<std::uint32_t>> kept(counted_.size());
  parallel_for(counted_.size(), threads, [&](std::size_t k, int) {
    const HugeVector<std::uint32_t>& position = counted_[k].position;
    HugeVector<std::uint32_t>& column_of = counted_[k].column;
    column_of.resize(position.size());
    for (std::size_t node = 0; node < position.size(); ++node)
      column_of[node] = static_cast<std::uint32_t>(column_at_[position[node]]);
    kept[k].resize(n_docs_);
    for (const Counts& batch : counted_[k].batches)
      for (std::size_t doc = batch.first_doc(); doc < batch.first_doc() + batch.n_docs(); ++doc) {
        const std::span<const Entry> entries = batch.of(doc);
        if (all) {
          kept[k][doc] = static_cast<std::uint32_t>(entries.size());
          continue;
        }
        for (const Entry& entry : entries) kept[k][doc] += column_of[entry.node] != kNone;
      }
  });
  std::vector<std::uint32_t> sizes(n_docs_);
  for (const auto& of_worker : kept)
    for (std::size_t row = 0; row < n_docs_; ++row) sizes[row] += of_worker[row];
  indptr_ = row_pointers(sizes);
  step.done();
}

// The counts of a row by their columns, in disorder.
void Counter::read_columns(std::size_t b, std::size_t row, std::vector<Entry>& entries) const {
  entries.clear();
  for (const Counted& counted : counted_) {
    const std::span<const Entry> nodes = counted.batches[b].of(row);
    const std::uint32_t* const column_of = counted.column.data();
    std::size_t n = entries.size();
    entries.resize(n + nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (i + kAhead < nodes.size()) __builtin_prefetch(column_of + nodes[i + kAhead].node);
      entries[n] = {column_of[nodes[i].node], nodes[i].count};
      n += entries[n].node != kNone;
    }
    entries.resize(n);
  }
}

template <class Value>
void Counter::fill(std::int32_t* indices, Value* values, int threads) {
  Step step(*this, State::selected, State::filled);
  const int bits = bits_for(n_selected_);
  const std::size_t n_batches = counted_.empty() ? 0 : counted_[0].batches.size();
  for (std::size_t b = 0; b < n_batches; ++b) {
    const std::size_t first = counted_[0].batches[b].first_doc();
    const std::size_t end = first + counted_[0].batches[b].n_docs();
    parallel_for((end - first + kDocsPerJob - 1) / kDocsPerJob, threads, [&](std::size_t job, int) {
      std::vector<Entry> entries, scratch;
      const std::size_t begin = first + job * kDocsPerJob;
      for (std::size_t row = begin; row < std::min(begin + kDocsPerJob, end); ++row) {
        read_columns(b, row, entries);
        write_sorted(entries, scratch, bits, indices + indptr_[row], values + indptr_[row]);
      }
    });
    for (Counted& counted : counted_) counted.batches[b].forget();
  }
  for (Counted& counted : counted_) {
    counted.batches = {};
    counted.column = HugeVector<std::uint32_t>();
  }
  for (auto& owner : owners_) owner->extensions = HugeVector<std::uint32_t>();
  step.done();
}

template void Counter::fill(std::int32_t*, std::int64_t*, int);
template void Counter::fill(std::int32_t*, float*, int);
template void Counter::fill(std::int32_t*, double*, int);

void Counter::require_finished() const {
  if (state_ == State::counting || state_ == State::broken)
    throw std::logic_error("the counting is not finished");
  if (n_features_ > 0 && state_ != State::finished)
    throw std::logic_error("ask for frequencies before features are selected");
}

void Counter::require_selected() const {
  if (state_ != State::selected && state_ != State::filled)
    throw std::logic_error("no features were selected");
}

std::vector<std::string_view> Counter::words() const {
  require_selected();
  if (!single_words()) throw std::logic_error("the features are not single words");
  std::vector<std::string_view> words(n_selected_);
  for (std::uint32_t word = 0; word < words_.size(); ++word) {
    const std::int32_t column = column_at_[word_position_[word]];
    if (column >= 0) words[static_cast<std::size_t>(column)] = words_.word(word);
  }
  return words;
}

Vocabulary Counter::vocabulary(int threads) const {
  require_selected();
  // Needed: the kept features, what they extend, and their words.
  using Flags = std::vector<std::uint8_t>;
  Flags word_needed(words_.size());
  std::vector<Flags> word_of_ngram(owners_.size(), Flags(words_.size()));
  std::vector<HugeVector<std::uint32_t>> number(owners_.size());  // of needed n-grams; or kNone
  const auto has_column = [&](std::uint32_t position) { return column_at_[position] >= 0; };
  for (std::uint32_t word = 0; word < words_.size(); ++word)
    word_needed[word] = has_column(word_position_[word]);
  parallel_for(owners_.size(), threads, [&](std::size_t k, int) {
    const NgramOwner& owner = *owners_[k];
    number[k].assign(owner.ngrams.size(), kNone);
    for (std::size_t l = owner.by_length.size(); l-- > 0;)
      for (const auto& [first, id] : owner.by_length[l]) {
        if (number[k][id] == kNone && !has_column(owner.counted.position[id])) continue;
        number[k][id] = 0;
        if (l > 0) number[k][first & ~kNgram] = 0;
        if (l == 0) word_of_ngram[k][first] = 1;
        word_of_ngram[k][owner.ngrams.last(id)] = 1;
      }
  });
  for (const Flags& needed : word_of_ngram)
    for (std::size_t word = 0; word < needed.size(); ++word) word_needed[word] |= needed[word];
  // They are numbered by length, then by position.
  std::string bytes;
  std::vector<std::int64_t> word_ends;
  std::vector<std::uint32_t> firsts, lasts, number_of_word(words_.size());
  std::vector<std::int32_t> columns;
  for (const std::uint32_t word : words_by_rank_) {
    if (!word_needed[word]) continue;
    number_of_word[word] = static_cast<std::uint32_t>(columns.size());
    columns.push_back(column_at_[word_position_[word]]);
    bytes += words_.word(word);
    word_ends.push_back(static_cast<std::int64_t>(bytes.size()));
  }
  struct Ngram {
    std::uint32_t position, first, id;
    std::size_t owner;
  };
  for (std::size_t l = 0; l + 1 < static_cast<std::size_t>(analysis_.max_n); ++l) {
    HugeVector<Ngram> ngrams;
    for (std::size_t k = 0; k < owners_.size(); ++k) {
      const auto middle = static_cast<std::ptrdiff_t>(ngrams.size());
      for (const auto& [first, id] : owners_[k]->by_length[l])
        if (number[k][id] != kNone)
          ngrams.push_back({owners_[k]->counted.position[id], first, id, k});
      std::ranges::inplace_merge(ngrams, ngrams.begin() + middle, {}, &Ngram::position);
    }
    for (const auto& [position, first, id, k] : ngrams) {
      number[k][id] = static_cast<std::uint32_t>(columns.size());
      columns.push_back(column_at_[position]);
      firsts.push_back(l == 0 ? number_of_word[first] : number[k][first & ~kNgram]);
      lasts.push_back(number_of_word[owners_[k]->ngrams.last(id)]);
    }
  }
  return Vocabulary(bytes, word_ends, firsts, lasts, columns,
                    analysis_.tokens == Tokens::chars ? Parts::chars : Parts::words);
}

}  // namespace wordplane
