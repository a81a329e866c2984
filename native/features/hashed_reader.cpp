#include "features/hashed_reader.h"

#include <algorithm>

namespace wordplane {

template <class Found>
void HashedReader::each_ngram(Found&& found) {
  const auto& words = words_.words();
  joined_.clear();
  starts_.clear();
  for (const std::string_view word : words) {
    starts_.push_back(joined_.size());
    joined_ += word;
    joined_.append(joint(), ' ');
  }
  starts_.push_back(joined_.size());
  joined_.append(PrefixHash::kPadding, '\0');
  const auto min_n = static_cast<std::size_t>(analysis_.min_n);
  const auto max_n = static_cast<std::size_t>(analysis_.max_n);
  for (std::size_t i = 0; i + min_n <= words.size(); ++i) {
    const PrefixHash hash(joined_.data() + starts_[i]);
    for (std::size_t n = min_n; n <= std::min(max_n, words.size() - i); ++n)
      found(hashed_column(hash(starts_[i + n] - joint() - starts_[i]), n_columns_), i, n);
  }
}

const std::vector<Count>& HashedReader::read(std::string_view text) {
  words_.read(text);
  const auto& times = words_.counts();
  counts_.clear();
  each_ngram([&](std::uint32_t column, std::size_t i, std::size_t) {
    counts_.push_back({static_cast<std::int32_t>(column), times.empty() ? 1 : times[i]});
  });
  std::ranges::sort(counts_, {}, &Count::column);
  std::size_t n = 0;
  for (const Count& one : counts_) {
    if (n > 0 && counts_[n - 1].column == one.column)
      counts_[n - 1].count += one.count;
    else
      counts_[n++] = one;
  }
  counts_.resize(n);
  return counts_;
}

std::vector<Occurrence> HashedReader::trace(std::string_view text) {
  words_.read(text);
  words_.locate(text);
  const auto& times = words_.counts();
  std::vector<Occurrence> occurrences;
  each_ngram([&](std::uint32_t column, std::size_t i, std::size_t n) {
    const std::size_t size = starts_[i + n] - joint() - starts_[i];
    std::string name = (joint() ? "" : "char:") + joined_.substr(starts_[i], size);
    occurrences.push_back({static_cast<std::int32_t>(column),
                           times.empty() ? 1 : times[i],
                           {words_.spans()[i].begin, words_.spans()[i + n - 1].end},
                           std::move(name)});
  });
  return occurrences;
}

}  // namespace wordplane
