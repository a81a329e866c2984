#include "search/duplicates.h"

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <unordered_map>

#include "common/parallel.h"
#include "text/tokenizer.h"
#include "text/word_table.h"

namespace wordplane {

namespace {

constexpr std::size_t kRun = 3;
constexpr std::size_t kBands = 24, kRows = 3;  // a share of 0.8 is missed once in 10^7 times
constexpr std::size_t kHashes = kBands * kRows;

using Signature = std::array<std::uint32_t, kHashes>;

// Reads texts as sets of runs of words.
class RunReader {
 public:
  RunReader() : words_(Analysis{}) {}

  // The distinct runs, ascending, and a number for all words in their order.
  const std::vector<std::uint64_t>& read(std::string_view text) {
    words_.read(text);
    const auto& words = words_.words();
    hashes_.clear();
    whole = words.size();
    for (const std::string_view word : words) {
      hashes_.push_back(place_of(WordTable::key_of(word)));
      whole = mix(whole ^ mix(hashes_.back()));
    }
    runs_.clear();
    const std::size_t length = std::min(kRun, hashes_.size());
    for (std::size_t i = 0; length > 0 && i + length <= hashes_.size(); ++i) {
      std::uint64_t run = length;
      for (std::size_t k = 0; k < length; ++k) run = mix(run ^ hashes_[i + k]);
      runs_.push_back(run);
    }
    std::ranges::sort(runs_);
    runs_.erase(std::unique(runs_.begin(), runs_.end()), runs_.end());
    return runs_;
  }

  std::uint64_t whole = 0;

 private:
  WordReader words_;
  std::vector<std::uint64_t> hashes_, runs_;
};

Signature sign(const std::vector<std::uint64_t>& runs) {
  Signature least;
  least.fill(0xFFFFFFFF);
  std::array<std::uint64_t, kHashes> factor;
  for (std::size_t h = 0; h < kHashes; ++h) factor[h] = mix(h + 1) | 1;
  for (const std::uint64_t run : runs)
    for (std::size_t h = 0; h < kHashes; ++h)
      least[h] = std::min(least[h], static_cast<std::uint32_t>(run * factor[h] >> 32));
  return least;
}

double shared(const std::vector<std::uint64_t>& a, const std::vector<std::uint64_t>& b) {
  std::size_t both = 0;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    both += a[i] == b[j];
    const bool forward = a[i] <= b[j];
    j += b[j] <= a[i];
    i += forward;
  }
  const std::size_t all = a.size() + b.size() - both;
  return all == 0 ? 1.0 : static_cast<double>(both) / static_cast<double>(all);
}

}  // namespace

Duplicates find_duplicates(const Texts& texts, double threshold, int threads) {
  constexpr std::size_t kDocsPerJob = 64;
  const std::size_t n = texts.size();
  std::vector<Signature> signatures(n);
  std::vector<std::uint64_t> whole(n);
  std::vector<std::unique_ptr<RunReader>> readers(static_cast<std::size_t>(std::max(threads, 1)));
  parallel_for((n + kDocsPerJob - 1) / kDocsPerJob, threads, [&](std::size_t job, int worker) {
    auto& reader = readers[static_cast<std::size_t>(worker)];
    if (!reader) reader = std::make_unique<RunReader>();
    for (std::size_t i = job * kDocsPerJob; i < std::min((job + 1) * kDocsPerJob, n); ++i) {
      signatures[i] = sign(reader->read(texts[i]));
      whole[i] = reader->whole;
    }
  });

  Duplicates found;
  found.same.resize(n);
  std::unordered_map<std::uint64_t, std::size_t> first_of;
  for (std::size_t i = 0; i < n; ++i)
    found.same[i] = static_cast<std::int64_t>(first_of.try_emplace(whole[i], i).first->second);

  // Groups as trees whose root is their first text.
  std::vector<std::size_t> parent(n);
  std::iota(parent.begin(), parent.end(), std::size_t{0});
  const auto root = [&](std::size_t i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
  };
  const auto link = [&](std::size_t i, std::size_t j) {
    i = root(i);
    j = root(j);
    parent[std::max(i, j)] = std::min(i, j);
  };
  for (std::size_t i = 0; i < n; ++i) link(i, static_cast<std::size_t>(found.same[i]));

  // Of each bucket every text is compared with the first, so that one phrase that all texts
  // share costs no quadratic time.
  RunReader a, b;
  for (std::size_t band = 0; band < kBands; ++band) {
    std::unordered_map<std::uint64_t, std::size_t> first_in;
    for (std::size_t i = 0; i < n; ++i) {
      if (static_cast<std::size_t>(found.same[i]) != i) continue;
      std::uint64_t key = band;
      for (std::size_t r = 0; r < kRows; ++r) key = mix(key ^ signatures[i][band * kRows + r]);
      const std::size_t first = first_in.try_emplace(key, i).first->second;
      if (first == i || root(first) == root(i)) continue;
      if (shared(a.read(texts[first]), b.read(texts[i])) >= threshold) link(first, i);
    }
  }
  found.similar.resize(n);
  for (std::size_t i = 0; i < n; ++i) found.similar[i] = static_cast<std::int64_t>(root(i));
  return found;
}

}  // namespace wordplane
