#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "common/parallel.h"
#include "common/radix_sort.h"
#include "text/token_features.h"

namespace wordplane {

namespace {

constexpr std::size_t kDocsPerJob = 64;

// What a feature is sorted by: its group, how many documents do without it, then its name, of which
// the first bytes after the group mostly decide and are compared as one number.
struct Place {
  std::uint64_t group_and_absence, head;
  std::uint32_t id;
};

std::uint64_t first_bytes(std::string_view name) {
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < 8; ++i)
    bytes = bytes << 8 | (i < name.size() ? static_cast<unsigned char>(name[i]) : 0);
  return bytes;
}

// The numbers of all features, a group after the other, by descending document frequency, then
// alphabetical.
std::vector<std::uint32_t> by_group_and_frequency(const WordTable& names,
                                                  const std::vector<std::int64_t>& df,
                                                  std::size_t n_docs) {
  const auto group_of = [&](std::uint32_t id) {
    const std::string_view name = names.word(id);
    return name.substr(0, name.find(':'));
  };
  std::vector<std::string_view> groups;
  for (std::uint32_t id = 0; id < names.size(); ++id)
    if (const auto group = group_of(id); std::ranges::find(groups, group) == groups.end())
      groups.push_back(group);
  std::ranges::sort(groups);
  std::vector<Place> places(names.size());
  for (std::uint32_t id = 0; id < names.size(); ++id) {
    const std::string_view group = group_of(id);
    const auto number =
        static_cast<std::uint64_t>(std::ranges::find(groups, group) - groups.begin());
    const std::uint64_t absence = n_docs - static_cast<std::uint64_t>(df[id]);
    const std::string_view rest = names.word(id).substr(group.size() + 1);
    places[id] = {number << 56 | absence, first_bytes(rest), id};
  }
  std::ranges::sort(places, [&](const Place& a, const Place& b) {
    if (a.group_and_absence != b.group_and_absence)
      return a.group_and_absence < b.group_and_absence;
    return a.head != b.head ? a.head < b.head : names.word(a.id) < names.word(b.id);
  });
  std::vector<std::uint32_t> order;
  order.reserve(places.size());
  for (const Place& place : places) order.push_back(place.id);
  return order;
}

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
      const auto& counts = shard.reader.count(texts[begin + i]);
      const std::size_t first = shard.counts.size();
      shard.counts.insert(shard.counts.end(), counts.begin(), counts.end());
      rows_[before + i] = {&shard, first, shard.counts.size()};
    }
  });
}

void TokenFeatureCounter::finish() {
  require(State::counting);
  state_ = State::finished;
  for (auto& shard : shards_) {
    const WordTable& names = shard->names;
    shard->name_of.resize(names.size());
    if (shard == shards_.front()) {
      names_ = std::move(shard->names);
      std::iota(shard->name_of.begin(), shard->name_of.end(), 0u);
      continue;
    }
    for (std::uint32_t id = 0; id < names.size(); ++id)
      shard->name_of[id] = names_.intern(names.word(id)).id;
  }
  names_.forget_slots();
  std::vector<std::int64_t> df(names_.size());
  for (auto& shard : shards_)
    for (const Count& entry : shard->counts)
      ++df[shard->name_of[static_cast<std::size_t>(entry.column)]];
  order_ = by_group_and_frequency(names_, df, n_docs());
  std::vector<std::uint32_t> rank(names_.size());
  for (std::uint32_t place = 0; place < order_.size(); ++place) {
    rank[order_[place]] = place;
    document_frequency_.push_back(df[order_[place]]);
  }
  for (auto& shard : shards_)
    for (std::uint32_t& name : shard->name_of) name = rank[name];
}

void TokenFeatureCounter::select(std::span<const bool> keep) {
  require(State::finished);
  if (keep.size() != n_features()) throw std::invalid_argument("one flag per feature expected");
  column_of_.assign(n_features(), -1);
  for (std::uint32_t name = 0; name < n_features(); ++name) {
    if (!keep[name]) continue;
    column_of_[name] = static_cast<std::int32_t>(n_selected());
    selected_.push_back(name);
  }
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
    std::vector<Count> row, scratch;
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
      const auto first = static_cast<std::size_t>(indptr_[doc]);
      const auto put = [&](const Count& entry, std::size_t at) {
        indices[first + at] = entry.column;
        values[first + at] = static_cast<float>(entry.count);
      };
      sort_row(row, scratch, bits_for(n_selected()), &Count::column, put);
    }
  });
}

Vocabulary TokenFeatureCounter::vocabulary() const {
  require(State::selected);
  std::string bytes;
  std::vector<std::int64_t> ends;
  std::vector<std::int32_t> columns(n_selected());
  std::iota(columns.begin(), columns.end(), 0);
  for (std::size_t column = 0; column < n_selected(); ++column) {
    bytes += name(column);
    ends.push_back(static_cast<std::int64_t>(bytes.size()));
  }
  return Vocabulary(bytes, ends, {}, {}, columns, Parts::whole);
}

void TokenFeatureCounter::require(State state) const {
  if (state_ != state) throw std::logic_error("the counter is not in a state for this");
}

}  // namespace wordplane
