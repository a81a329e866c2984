#include "counter.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>

#include "csr.h"
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

// Which of n owners has a word: a share of its number, well mixed, without a division.
std::size_t owner_of(std::uint32_t word, std::size_t n) {
  return std::uint64_t{word * 0x9E3779B9u} * n >> 32;
}

// The counts of consecutive documents.
class Counts {
 public:
  Counts(std::size_t first_doc, std::size_t n_docs, std::size_t n_entries) : first_doc_(first_doc) {
    ends_.reserve(n_docs);
    // A guess that saves moving things; memory is taken only when it is written to.
    entries_.resize(n_entries);
  }

  // A document that is being counted.
  struct Row {
    Entry* entries;
    std::uint32_t n = 0;

    // `mark` says where in a document the node was counted last; the entry there proves it, so
    // marks of earlier documents need no clearing.
    void count(std::uint32_t node, std::uint32_t& mark, std::uint32_t times) {
      // Without a branch, which nobody could predict: the next entry is prepared in any case.
      entries[n] = {node, 0};
      const std::uint32_t last = std::min(mark, n);
      mark = entries[last].node == node ? last : n;
      entries[mark].count += times;
      n += mark == n;
    }
  };
  // Starts the document `doc`, which will have at most `most` entries; those before it that were
  // not started have none.
  Row start(std::size_t doc, std::size_t most) {
    pass_over(doc);
    if (entries_.size() < size() + most + 1) entries_.resize(2 * (size() + most + 1));
    return {entries_.data() + size()};
  }
  void end(const Row& row) { ends_.push_back(size() + row.n); }
  void pass_over(std::size_t doc) { ends_.resize(doc - first_doc_, size()); }

  std::size_t first_doc() const { return first_doc_; }
  std::size_t n_docs() const { return ends_.size(); }
  std::size_t size() const { return ends_.empty() ? 0 : ends_.back(); }
  std::span<Entry> entries() { return {entries_.data(), size()}; }
  std::span<const Entry> entries() const { return {entries_.data(), size()}; }
  std::span<const Entry> of(std::size_t doc) const {
    const std::size_t begin = doc == first_doc_ ? 0 : ends_[doc - first_doc_ - 1];
    return entries().subspan(begin, ends_[doc - first_doc_] - begin);
  }

 private:
  std::size_t first_doc_;
  HugeVector<Entry> entries_;      // document after document; room for more may follow
  std::vector<std::size_t> ends_;  // of the documents, in entries_
};

}  // namespace

// What a worker reads.
struct Counter::Shard {
  explicit Shard(const Analysis& analysis) : reader(analysis) {}

  void cut(std::string_view text);  // into words, with their keys
  void number_words();              // as tokens

  WordReader reader;
  WordTable types;                     // the words this worker met
  std::vector<std::uint32_t> word_of;  // by type
  HugeVector<std::uint32_t> tokens;    // types of the batch, document after document
  std::vector<WordKey> keys;
};

void Counter::Shard::cut(std::string_view text) {
  reader.read(text);
  const auto& words = reader.words();
  keys.resize(words.size());
  for (std::size_t i = 0; i < words.size(); ++i) {
    keys[i] = WordTable::key_of_padded(words[i]);
    types.prefetch(keys[i]);
  }
}

void Counter::Shard::number_words() {
  const auto& words = reader.words();
  const std::size_t begin = tokens.size();
  tokens.resize(begin + words.size());
  for (std::size_t i = 0; i < words.size(); ++i)
    tokens[begin + i] = types.intern(words[i], keys[i]).id;
}

// What a worker counts: entries name words of the shared table and, marked, its own n-grams; or,
// of single words, the types of its shard.
struct Counter::Owner {
  Owner(const Analysis& analysis, std::size_t number, std::size_t n_owners)
      : min_n(static_cast<std::size_t>(analysis.min_n)),
        max_n(static_cast<std::size_t>(analysis.max_n)),
        number(number),
        n_owners(n_owners) {}

  bool owns(std::uint32_t word) const { return owner_of(word, n_owners) == number; }
  // The words that entries name, and their numbers in the shared table.
  std::size_t n_words(const WordTable& shared) const {
    return max_n == 1 ? word_of.size() : shared.size();
  }
  std::uint32_t word(std::uint32_t node) const { return max_n == 1 ? word_of[node] : node; }

  void read_words(std::size_t doc, Shard& shard);
  void read(std::size_t doc, const Document& document);
  void order(const std::vector<std::uint32_t>& rank_of_word);
  void place(const std::vector<std::uint32_t>& word_position);

  std::size_t min_n, max_n;
  std::size_t number, n_owners;
  PairTable ngrams;
  std::vector<std::uint32_t> word_mark;  // by word, see Counts
  std::vector<Counts> batches;           // what was counted in each batch
  std::vector<std::uint32_t> words, nodes, starts;
  std::vector<std::uint32_t> word_of;  // by type, of single words when all are read

  // After order(): the n-grams of each length, from 2, in alphabetical order; of each n-gram
  // the number of n-grams that begin with it, itself among them; and of each word.
  std::vector<HugeVector<std::uint32_t>> by_length;
  HugeVector<std::uint32_t> extensions, word_extensions;
  HugeVector<std::uint32_t> position;  // after place(): by n-gram
};

// Counts the words that the shard has cut.
void Counter::Owner::read_words(std::size_t doc, Shard& shard) {
  const auto& words = shard.reader.words();
  const auto& times = shard.reader.counts();
  Counts::Row row = batches.back().start(doc, words.size());
  for (std::size_t i = 0; i < words.size(); ++i) {
    auto& slot = shard.types.intern(words[i], shard.keys[i]);
    row.count(slot.id, slot.mark, times.empty() ? 1 : times[i]);
  }
  batches.back().end(row);
}

void Counter::Owner::read(std::size_t doc, const Document& document) {
  constexpr std::size_t kAhead = 12;
  const std::size_t n_words = document.end - document.begin;
  const std::uint32_t* const tokens = document.shard->tokens.data() + document.begin;
  const std::uint32_t* const word_of = document.shard->word_of.data();
  words.resize(n_words);
  starts.resize(n_words);
  std::size_t n_starts = 0;
  for (std::size_t i = 0; i < n_words; ++i) {
    words[i] = word_of[tokens[i]];
    starts[n_starts] = static_cast<std::uint32_t>(i);
    n_starts += owns(words[i]);
  }
  Counts::Row row = batches.back().start(doc, n_starts * (max_n - min_n + 1));
  if (min_n == 1)
    for (std::size_t s = 0; s < n_starts; ++s)
      row.count(words[starts[s]], word_mark[words[starts[s]]], 1);
  nodes.resize(n_starts);
  for (std::size_t s = 0; s < n_starts; ++s) nodes[s] = words[starts[s]];
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
      if (n >= min_n) row.count(nodes[s], slot.mark, 1);
    }
  }
  batches.back().end(row);
}

// n-grams of one length compare by the n-gram they extend, then by their last word: they are
// sorted by the one, then, keeping that order, by the other.
void Counter::Owner::order(const std::vector<std::uint32_t>& rank_of_word) {
  ngrams.forget_slots();
  HugeVector<std::uint32_t> ids(ngrams.size()), by_last(ngrams.size());
  std::iota(ids.begin(), ids.end(), 0u);
  counting_sort(ids, by_last, rank_of_word.size(),
                [&](std::uint32_t id) { return rank_of_word[ngrams.last(id)]; });
  HugeVector<std::uint16_t> length(ngrams.size());
  for (std::uint32_t id = 0; id < ngrams.size(); ++id) {
    const std::uint32_t first = ngrams.first(id);
    length[id] = first & kNgram ? static_cast<std::uint16_t>(length[first & ~kNgram] + 1) : 2;
  }
  by_length.resize(max_n - 1);
  for (const std::uint32_t id : by_last) by_length[length[id] - 2u].push_back(id);
  HugeVector<std::uint32_t>& sorted = by_last;
  HugeVector<std::uint32_t>& place = ids;  // within its length
  std::size_t n_before = rank_of_word.size();
  for (auto& of_length : by_length) {
    sorted.resize(of_length.size());
    counting_sort(of_length, sorted, n_before, [&](std::uint32_t id) {
      const std::uint32_t first = ngrams.first(id);
      return first & kNgram ? place[first & ~kNgram] : rank_of_word[first];
    });
    of_length.swap(sorted);
    for (std::uint32_t i = 0; i < of_length.size(); ++i) place[of_length[i]] = i;
    n_before = of_length.size();
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
  if (analysis.tokens == Tokens::counts && !by_document_)
    throw std::invalid_argument("words with counts have no order: no n-grams of them");
}
Counter::~Counter() = default;

void Counter::add(const Texts& texts, std::size_t begin, std::size_t end, int threads) {
  if (end > texts.size() || begin > end) throw std::out_of_range("documents out of range");
  Step step(*this, State::counting, State::counting);
  if (shards_.empty()) {
    const auto n_workers = static_cast<std::size_t>(std::max(threads, 1));
    for (std::size_t k = 0; k < n_workers; ++k) {
      shards_.push_back(std::make_unique<Shard>(analysis_));
      owners_.push_back(std::make_unique<Owner>(analysis_, k, n_workers));
    }
  }
  threads = std::min(threads, static_cast<int>(shards_.size()));
  const std::size_t n_docs = end - begin;
  if (by_document_)
    count_words(texts, begin, n_docs, threads);
  else
    count_ngrams(texts, begin, n_docs, threads);
  n_docs_ += n_docs;
  step.done();
}

template <class Read>
void Counter::cut(const Texts& texts, std::size_t begin, std::size_t n_docs, int threads,
                  Read&& read) {
  const std::size_t n_jobs = (n_docs + kDocsPerJob - 1) / kDocsPerJob;
  parallel_for(n_jobs, threads, [&](std::size_t job, int worker) {
    const auto k = static_cast<std::size_t>(worker);
    const std::size_t stop = std::min((job + 1) * kDocsPerJob, n_docs);
    for (std::size_t doc = job * kDocsPerJob; doc < stop; ++doc) {
      naming_row(begin + doc, [&] { shards_[k]->cut(texts[begin + doc]); });
      read(doc, k);
    }
  });
}

void Counter::count_words(const Texts& texts, std::size_t begin, std::size_t n_docs, int threads) {
  std::size_t bytes = 0;
  for (std::size_t doc = 0; doc < n_docs; ++doc) bytes += texts[begin + doc].size();
  for (auto& owner : owners_)
    owner->batches.emplace_back(n_docs_, n_docs, bytes / (8 * owners_.size()));
  cut(texts, begin, n_docs, threads,
      [&](std::size_t doc, std::size_t k) { owners_[k]->read_words(n_docs_ + doc, *shards_[k]); });
  for (auto& owner : owners_) owner->batches.back().pass_over(n_docs_ + n_docs);
}

void Counter::count_ngrams(const Texts& texts, std::size_t begin, std::size_t n_docs, int threads) {
  batch_.resize(n_docs);
  cut(texts, begin, n_docs, threads, [&](std::size_t doc, std::size_t k) {
    const std::size_t first = shards_[k]->tokens.size();
    shards_[k]->number_words();
    batch_[doc] = {shards_[k].get(), first, shards_[k]->tokens.size()};
  });
  share_words();
  std::size_t n_tokens = 0;
  for (const auto& shard : shards_) n_tokens += shard->tokens.size();
  parallel_for(owners_.size(), threads, [&](std::size_t k, int) {
    owners_[k]->word_mark.resize(words_.size(), kNone);
    owners_[k]->batches.emplace_back(n_docs_, n_docs, n_tokens / owners_.size());
    for (std::size_t doc = 0; doc < n_docs; ++doc) owners_[k]->read(n_docs_ + doc, batch_[doc]);
  });
  for (auto& shard : shards_) shard->tokens.clear();
}

void Counter::share_words() {
  for (auto& shard : shards_)
    for (auto type = static_cast<std::uint32_t>(shard->word_of.size()); type < shard->types.size();
         ++type)
      shard->word_of.push_back(words_.intern(shard->types.word(type)).id);
}

void Counter::rank_words() {
  words_by_rank_ = alphabetical(words_);
  rank_of_word_.resize(words_.size());
  for (std::uint32_t rank = 0; rank < words_.size(); ++rank)
    rank_of_word_[words_by_rank_[rank]] = rank;
}

void Counter::finish(Order order, int threads) {
  Step step(*this, State::counting, State::finished);
  if (by_document_ && !shards_.empty()) {
    words_ = std::move(shards_[0]->types);
    shards_[0]->word_of.resize(words_.size());
    std::iota(shards_[0]->word_of.begin(), shards_[0]->word_of.end(), 0u);
    shards_[0]->types = {};
    share_words();
    for (std::size_t k = 0; k < owners_.size(); ++k)
      owners_[k]->word_of = std::move(shards_[k]->word_of);
  }
  shards_.clear();
  words_.forget_slots();
  rank_words();
  parallel_for(owners_.size(), threads,
               [&](std::size_t k, int) { owners_[k]->order(rank_of_word_); });
  word_position_.resize(words_.size());
  std::uint64_t next = 0;
  for (const std::uint32_t word : words_by_rank_) {
    word_position_[word] = static_cast<std::uint32_t>(next);
    next += 1 + owners_[owner_of(word, owners_.size())]->word_extensions[word];
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
    of_word[k].resize(owner.n_words(words_), 0);
    for (const Counts& batch : owner.batches)
      for (const Entry& entry : batch.entries())
        (entry.node & kNgram ? of_ngram[entry.node & ~kNgram] : of_word[k][entry.node]) +=
            weight(entry);
    for (std::size_t id = 0; id < of_ngram.size(); ++id) put(owner.position[id], of_ngram[id]);
  });
  for (std::size_t k = 0; k < owners_.size(); ++k)
    for (std::uint32_t i = 0; i < of_word[k].size(); ++i)
      put(word_position_[owners_[k]->word(i)], of_word[k][i]);
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
    std::vector<std::int32_t> of_word(owner.n_words(words_));
    for (std::uint32_t i = 0; i < of_word.size(); ++i)
      of_word[i] = column_at_[word_position_[owner.word(i)]];
    const auto place = [&](std::uint32_t node) {
      return node & kNgram ? &of_ngram[node & ~kNgram] : &of_word[node];
    };
    kept[k].resize(n_docs_);
    for (Counts& batch : owner.batches) {
      const std::span<Entry> entries = batch.entries();
      for (std::size_t e = 0; e < entries.size(); ++e) {
        if (e + kAhead < entries.size()) __builtin_prefetch(place(entries[e + kAhead].node));
        entries[e].node = static_cast<std::uint32_t>(*place(entries[e].node));
      }
      for (std::size_t doc = batch.first_doc(); doc < batch.first_doc() + batch.n_docs(); ++doc)
        for (const Entry& entry : batch.of(doc)) kept[k][doc] += entry.node != kNone;
    }
  });
  std::vector<std::uint32_t> sizes(n_docs_);
  for (const auto& of_owner : kept)
    for (std::size_t row = 0; row < n_docs_; ++row) sizes[row] += of_owner[row];
  indptr_ = row_pointers(sizes);
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
    const std::size_t end = batch.first_doc() + batch.n_docs();
    for (std::size_t row = batch.first_doc(); row < end; row += kDocsPerJob)
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

std::vector<std::string_view> Counter::words() const {
  if (state_ != State::selected || !by_document_) throw std::logic_error("no words were selected");
  std::vector<std::string_view> words(n_selected_);
  for (std::uint32_t word = 0; word < words_.size(); ++word) {
    const std::int32_t column = column_at_[word_position_[word]];
    if (column >= 0) words[static_cast<std::size_t>(column)] = words_.word(word);
  }
  return words;
}

Vocabulary Counter::vocabulary() const {
  if (state_ != State::selected) throw std::logic_error("no features were selected");
  // Needed: the kept features, what they extend, and their words.
  std::vector<std::uint8_t> word_needed(words_.size());
  std::vector<HugeVector<std::uint32_t>> number(owners_.size());  // of needed n-grams; or kNone
  const auto has_column = [&](std::uint32_t position) { return column_at_[position] >= 0; };
  for (std::uint32_t word = 0; word < words_.size(); ++word)
    word_needed[word] = has_column(word_position_[word]);
  for (std::size_t k = 0; k < owners_.size(); ++k) {
    const Owner& owner = *owners_[k];
    number[k].assign(owner.ngrams.size(), kNone);
    for (std::size_t l = owner.by_length.size(); l-- > 0;)
      for (const std::uint32_t id : owner.by_length[l]) {
        if (number[k][id] == kNone && !has_column(owner.position[id])) continue;
        const std::uint32_t first = owner.ngrams.first(id);
        number[k][id] = 0;
        if (l > 0) number[k][first & ~kNgram] = 0;
        if (l == 0) word_needed[first] = 1;
        word_needed[owner.ngrams.last(id)] = 1;
      }
  }
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
    std::uint32_t position, id;
    std::size_t owner;
  };
  for (std::size_t l = 0; l + 1 < static_cast<std::size_t>(analysis_.max_n); ++l) {
    HugeVector<Ngram> ngrams;
    for (std::size_t k = 0; k < owners_.size(); ++k) {
      const auto middle = static_cast<std::ptrdiff_t>(ngrams.size());
      for (const std::uint32_t id : owners_[k]->by_length[l])
        if (number[k][id] != kNone) ngrams.push_back({owners_[k]->position[id], id, k});
      std::ranges::inplace_merge(ngrams, ngrams.begin() + middle, {}, &Ngram::position);
    }
    for (const auto& [position, id, k] : ngrams) {
      const std::uint32_t first = owners_[k]->ngrams.first(id);
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
