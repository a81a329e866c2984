#include <algorithm>
#include <stdexcept>

#include "common/parallel.h"
#include "text/token_features.h"

namespace wordplane {

namespace {

constexpr std::size_t kDocsPerJob = 64;

}  // namespace

void TokenFeatureCounter::add(const Texts& texts, std::size_t begin, std::size_t end, int threads) {
  if (end > texts.size() || begin > end) throw std::out_of_range("documents out of range");
  require(State::counting);
  while (shards_.size() < static_cast<std::size_t>(std::max(threads, 1)))
    shards_.push_back(std::make_unique<Shard>(features_));
  const std::size_t n_docs = end - begin, before = rows_.size();
  rows_.resize(before + n_docs);
  parallel_for((n_docs + kDocsPerJob - 1) / kDocsPerJob, threads, [&](std::size_t job, int worker) {
    Shard& shard = *shards_[static_cast<std::size_t>(worker)];
    for (std::size_t i = job * kDocsPerJob; i < std::min((job + 1) * kDocsPerJob, n_docs); ++i) {
      const auto& counts = shard.reader.read(texts[begin + i]);
      const std::size_t first = shard.counts.size();
      shard.counts.insert(shard.counts.end(), counts.begin(), counts.end());
      rows_[before + i] = {&shard, first, shard.counts.size()};
    }
  });
}

void TokenFeatureCounter::finish() {
  require(State::counting);
  state_ = State::finished;
  WordTable all;
  for (auto& shard : shards_)
    for (std::uint32_t id = 0; id < shard->names.size(); ++id)
      shard->name_of.push_back(all.intern(shard->names.word(id)).id);
  std::vector<std::int64_t> df(all.size());
  for (auto& shard : shards_)
    for (const Count& entry : shard->counts)
      ++df[shard->name_of[static_cast<std::size_t>(entry.column)]];
  const auto group_of = [&](std::uint32_t id) {
    const std::string_view name = all.word(id);
    return name.substr(0, name.find(':'));
  };
  std::vector<std::uint32_t> order = alphabetical(all);
  std::ranges::stable_sort(order, [&](std::uint32_t a, std::uint32_t b) {
    const auto compared = group_of(a) <=> group_of(b);
    return compared != 0 ? compared < 0 : df[a] > df[b];
  });
  std::vector<std::uint32_t> rank(all.size());
  for (const std::uint32_t id : order) {
    rank[id] = static_cast<std::uint32_t>(names_.size());
    names_.emplace_back(all.word(id));
    document_frequency_.push_back(df[id]);
  }
  for (auto& shard : shards_)
    for (std::uint32_t& name : shard->name_of) name = rank[name];
}

void TokenFeatureCounter::select(std::span<const bool> keep) {
  require(State::finished);
  if (keep.size() != n_features()) throw std::invalid_argument("one flag per feature expected");
  column_of_.assign(n_features(), -1);
  n_selected_ = 0;
  for (std::size_t name = 0; name < n_features(); ++name)
    if (keep[name]) column_of_[name] = static_cast<std::int32_t>(n_selected_++);
  indptr_.assign(1, 0);
  for (const Row& row : rows_) {
    std::int64_t n = 0;
    for (std::size_t i = row.begin; i < row.end; ++i)
      n += column_of_[row.shard->name_of[static_cast<std::size_t>(row.shard->counts[i].column)]] >=
           0;
    indptr_.push_back(indptr_.back() + n);
  }
  state_ = State::selected;
}

void TokenFeatureCounter::fill(std::int32_t* indices, float* values, int threads) const {
  require(State::selected);
  parallel_for((n_docs() + kDocsPerJob - 1) / kDocsPerJob, threads, [&](std::size_t job, int) {
    std::vector<Count> row;
    for (std::size_t doc = job * kDocsPerJob; doc < std::min((job + 1) * kDocsPerJob, n_docs());
         ++doc) {
      row.clear();
      const auto& [shard, begin, end] = rows_[doc];
      for (std::size_t i = begin; i < end; ++i) {
        const Count& entry = shard->counts[i];
        const std::int32_t column =
            column_of_[shard->name_of[static_cast<std::size_t>(entry.column)]];
        if (column >= 0) row.push_back({column, entry.count});
      }
      std::ranges::sort(row, {}, &Count::column);
      auto at = static_cast<std::size_t>(indptr_[doc]);
      for (const Count& entry : row) {
        indices[at] = entry.column;
        values[at++] = static_cast<float>(entry.count);
      }
    }
  });
}

Vocabulary TokenFeatureCounter::vocabulary() const {
  require(State::selected);
  std::vector<std::string> kept;
  for (std::size_t name = 0; name < n_features(); ++name)
    if (column_of_[name] >= 0) kept.push_back(names_[name]);
  return Vocabulary::from_names(kept, Parts::whole);
}

void TokenFeatureCounter::require(State state) const {
  if (state_ != state) throw std::logic_error("the counter is not in a state for this");
}

}  // namespace wordplane
