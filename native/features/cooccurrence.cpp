#include "features/cooccurrence.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <span>
#include <stdexcept>
#include <string_view>

#include "common/csr.h"
#include "common/parallel.h"

namespace wordplane {

namespace {

constexpr std::int32_t kUnknown = -1;

bool ends_sentence(std::string_view token) {
  static constexpr std::string_view kEnds[] = {".", "!", "?", "…", "。", "！", "？", "｡", "।", "؟"};
  return std::ranges::find(kEnds, token) != std::end(kEnds);
}

// Documents as words of the vocabulary, token by token, or kUnknown.
struct Sequences {
  std::vector<std::int32_t> tokens;
  std::vector<std::int64_t> ends;  // of the documents or sentences
};

Sequences read(const Analysis& analysis, const Vocabulary& words, const Texts& texts,
               std::size_t begin, std::size_t end, bool sentences, int threads) {
  constexpr std::size_t kDocsPerJob = 64;
  if (end > texts.size() || begin > end) throw std::out_of_range("documents out of range");
  const std::size_t n_jobs = (end - begin + kDocsPerJob - 1) / kDocsPerJob;
  std::vector<Sequences> parts(n_jobs);
  std::vector<std::unique_ptr<WordReader>> readers(static_cast<std::size_t>(std::max(threads, 1)));
  parallel_for(n_jobs, threads, [&](std::size_t job, int worker) {
    auto& reader = readers[static_cast<std::size_t>(worker)];
    if (!reader) reader = std::make_unique<WordReader>(analysis);
    Sequences& part = parts[job];
    const std::size_t first = begin + job * kDocsPerJob;
    const auto finish = [&] { part.ends.push_back(static_cast<std::int64_t>(part.tokens.size())); };
    for (std::size_t row = first; row < std::min(first + kDocsPerJob, end); ++row) {
      naming_row(row, [&] { reader->read(texts[row]); });
      for (const std::string_view token : reader->words()) {
        const std::uint32_t node = words.words().find(token);
        part.tokens.push_back(node == kNone ? kUnknown : words.column(node));
        if (sentences && ends_sentence(token)) finish();
      }
      finish();
    }
  });
  Sequences all;
  for (Sequences& part : parts) {
    const auto before = static_cast<std::int64_t>(all.tokens.size());
    all.tokens.insert(all.tokens.end(), part.tokens.begin(), part.tokens.end());
    for (const std::int64_t at : part.ends) all.ends.push_back(before + at);
    part = {};
  }
  return all;
}

// Rows by column: where each word is, in the order of the places. `places` calls visit(word, value)
// for every place; twice the same.
template <class Value, class Places>
struct ByWord {
  ByWord(std::size_t n_words, const Places& places) : begins(n_words + 1) {
    places([&](std::int32_t word, const Value&) { ++begins[static_cast<std::size_t>(word) + 1]; });
    for (std::size_t i = 0; i < n_words; ++i) begins[i + 1] += begins[i];
    values.resize(begins[n_words]);
    std::vector<std::size_t> next(begins.begin(), begins.end() - 1);
    places([&](std::int32_t word, const Value& value) {
      values[next[static_cast<std::size_t>(word)]++] = value;
    });
  }
  std::span<const Value> of(std::size_t word) const {
    return {values.data() + begins[word], begins[word + 1] - begins[word]};
  }

  std::vector<std::size_t> begins;
  std::vector<Value> values;
};

// One row of counts at a time: an array of all words, of which only those touched are cleared.
class RowCounts {
 public:
  explicit RowCounts(std::size_t n_words) : counts_(n_words) {}

  void add(std::int32_t word, std::int64_t times) {
    auto& count = counts_[static_cast<std::size_t>(word)];
    if (count == 0) touched_.push_back(word);
    count += times;
  }

  void take(std::int32_t diagonal, std::int64_t less, std::vector<std::int32_t>& indices,
            std::vector<std::int64_t>& values) {
    std::ranges::sort(touched_);
    indices.reserve(touched_.size());
    values.reserve(touched_.size());
    for (const std::int32_t word : touched_) {
      auto& count = counts_[static_cast<std::size_t>(word)];
      if (word == diagonal) count -= less;
      if (count != 0) {
        indices.push_back(word);
        values.push_back(count);
      }
      count = 0;
    }
    touched_.clear();
  }

 private:
  std::vector<std::int64_t> counts_;
  std::vector<std::int32_t> touched_;
};

// fill(row, counts) counts one row and returns what its diagonal has too much.
template <class Fill>
PairCounts count_rows(std::size_t n_words, int threads, Fill&& fill) {
  std::vector<std::vector<std::int32_t>> indices(n_words);
  std::vector<std::vector<std::int64_t>> values(n_words);
  std::vector<std::unique_ptr<RowCounts>> scratch(static_cast<std::size_t>(std::max(threads, 1)));
  parallel_for(n_words, threads, [&](std::size_t row, int worker) {
    auto& counts = scratch[static_cast<std::size_t>(worker)];
    if (!counts) counts = std::make_unique<RowCounts>(n_words);
    const std::int64_t less = fill(row, *counts);
    counts->take(static_cast<std::int32_t>(row), less, indices[row], values[row]);
  });
  PairCounts pairs{{0}, {}, {}};
  for (const auto& row : indices)
    pairs.indptr.push_back(pairs.indptr.back() + static_cast<std::int64_t>(row.size()));
  pairs.indices.reserve(static_cast<std::size_t>(pairs.indptr.back()));
  pairs.values.reserve(pairs.indices.capacity());
  for (std::size_t row = 0; row < n_words; ++row) {
    pairs.indices.insert(pairs.indices.end(), indices[row].begin(), indices[row].end());
    pairs.values.insert(pairs.values.end(), values[row].begin(), values[row].end());
    indices[row] = {};
    values[row] = {};
  }
  return pairs;
}

}  // namespace

PairCounts count_in_windows(const Analysis& analysis, const Vocabulary& words, const Texts& texts,
                            std::size_t begin, std::size_t end, std::size_t window, int threads) {
  const Sequences docs = read(analysis, words, texts, begin, end, false, threads);
  struct Context {
    std::size_t begin, end;
  };
  const auto places = [&](auto&& visit) {
    std::size_t first = 0;
    for (const std::int64_t doc_end : docs.ends) {
      const auto last = static_cast<std::size_t>(doc_end);
      for (std::size_t at = first; at < last; ++at)
        if (docs.tokens[at] != kUnknown)
          visit(docs.tokens[at], Context{at - std::min(window, at - first),
                                         at + std::min(window, last - 1 - at) + 1});
      first = last;
    }
  };
  const ByWord<Context, decltype(places)> contexts(words.n_features(), places);
  return count_rows(words.n_features(), threads, [&](std::size_t row, RowCounts& counts) {
    constexpr std::size_t kAhead = 8;
    const auto of_row = contexts.of(row);
    const auto word = static_cast<std::int32_t>(row);  // kUnknown is below all
    for (std::size_t k = 0; k < of_row.size(); ++k) {
      if (k + kAhead < of_row.size()) __builtin_prefetch(&docs.tokens[of_row[k + kAhead].begin]);
      for (std::size_t q = of_row[k].begin; q < of_row[k].end; ++q)
        if (docs.tokens[q] >= word) counts.add(docs.tokens[q], 1);
    }
    return static_cast<std::int64_t>(of_row.size());  // each place met itself
  });
}

PairCounts count_in_sentences(const Analysis& analysis, const Vocabulary& words, const Texts& texts,
                              std::size_t begin, std::size_t end, int threads) {
  Sequences sentences = read(analysis, words, texts, begin, end, true, threads);
  Rows units{{0}, {}};
  std::size_t first = 0;
  for (const std::int64_t sentence_end : sentences.ends) {
    const auto last = static_cast<std::size_t>(sentence_end);
    const std::span tokens(sentences.tokens.data() + first, last - first);
    std::ranges::sort(tokens);
    const auto row = static_cast<std::size_t>(units.indptr.back());
    for (const std::int32_t word : tokens) {
      if (word == kUnknown) continue;
      if (units.counts.size() == row || units.counts.back().column != word)
        units.counts.push_back({word, 0});
      ++units.counts.back().count;
    }
    units.indptr.push_back(static_cast<std::int64_t>(units.counts.size()));
    first = last;
  }
  return count_in_units(units, words.n_features(), threads);
}

PairCounts count_in_units(const Rows& units, std::size_t n_words, int threads) {
  using Entries = std::span<const Count>;  // an entry and those after it in its unit
  const auto places = [&](auto&& visit) {
    for (std::size_t unit = 0; unit + 1 < units.indptr.size(); ++unit) {
      const auto end = static_cast<std::size_t>(units.indptr[unit + 1]);
      for (auto at = static_cast<std::size_t>(units.indptr[unit]); at < end; ++at)
        visit(units.counts[at].column, Entries(units.counts).subspan(at, end - at));
    }
  };
  const ByWord<Entries, decltype(places)> by_word(n_words, places);
  return count_rows(n_words, threads, [&](std::size_t row, RowCounts& counts) {
    std::int64_t times = 0;
    for (const Entries& entries : by_word.of(row)) {
      const std::int64_t count = entries[0].count;
      times += count;
      for (const Count& other : entries) counts.add(other.column, count * other.count);
    }
    return times;
  });
}

}  // namespace wordplane
