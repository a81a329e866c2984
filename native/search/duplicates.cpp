#include "search/duplicates.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <numeric>
#include <unordered_map>

#include "common/hash_key.h"
#include "common/interrupt.h"
#include "common/parallel.h"
#include "text/tokenizer.h"

namespace wordplane {

namespace {

constexpr std::size_t kRun = 3;
constexpr std::size_t kBands = 24, kRows = 3;  // a share of 0.8 is missed once in 10^7 times
constexpr std::size_t kHashes = kBands * kRows;

using Signature = std::array<std::uint32_t, kHashes>;

// Signatures decide which texts are compared, so that they must not depend on a secret key.
std::uint64_t mix(std::uint64_t x) {
  x ^= x >> 32;
  x *= 0x9E3779B97F4A7C15u;
  x ^= x >> 29;
  x *= 0xBF58476D1CE4E5B9u;
  return x ^ x >> 32;
}

std::uint64_t fixed_hash(std::string_view word) {
  std::uint64_t hash = word.size();
  for (std::size_t i = 0; i < word.size(); i += 8) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, word.data() + i, std::min<std::size_t>(8, word.size() - i));
    hash = mix(hash ^ bytes);
  }
  return hash;
}

// Reads texts as sets of runs of words.
class RunReader {
 public:
  RunReader() : words_(Analysis{}) {}

  // The distinct runs, ascending.
  const std::vector<std::uint64_t>& read(std::string_view text) {
    words_.read(text);
    hashes_.clear();
    for (const std::string_view word : words_.words()) hashes_.push_back(fixed_hash(word));
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

  // Numbers for all words of the text in their order: equal numbers mean equal texts. They
  // depend on the secret key, so that nobody can make two texts that agree in them.
  std::uint64_t whole() const {
    std::uint64_t hash = fold_product(words_.words().size() ^ kHashKey.first, kHashKey.second);
    for (const std::string_view word : words_.words())
      hash = fold_product(hash ^ place_of(WordTable::key_of(word)), kHashKey.second);
    return hash;
  }

 private:
  WordReader words_;
  std::vector<std::uint64_t> hashes_, runs_;
};

// The runs of texts, to be compared. A text with few distinct runs for its length is read once;
// reading another again takes about as long as comparing its runs.
class Runs {
 public:
  explicit Runs(const Texts& texts) : texts_(texts), n_runs_(texts.size()), kept_(texts.size()) {}

  void set(std::size_t i, const std::vector<std::uint64_t>& runs) {
    constexpr std::size_t kBytesPerRun = 16;
    n_runs_[i] = runs.size();
    if (texts_[i].size() > kBytesPerRun * runs.size()) kept_[i] = runs;
  }

  // Whether the share of runs that both have reaches the threshold. A text that has much fewer
  // runs than the other cannot, which costs no time.
  bool alike(std::size_t i, std::size_t j, double threshold) {
    const auto [less, more] = std::minmax(n_runs_[i], n_runs_[j]);
    if (static_cast<double>(less) < threshold * static_cast<double>(more)) return false;
    return shared(runs_of(i, a_), runs_of(j, b_)) >= threshold;
  }

 private:
  struct Last {
    RunReader reader;
    std::size_t text = static_cast<std::size_t>(-1);
    const std::vector<std::uint64_t>* runs = nullptr;
  };

  const std::vector<std::uint64_t>& runs_of(std::size_t i, Last& last) {
    if (!kept_[i].empty()) return kept_[i];
    if (last.text != i) {
      last.runs = &last.reader.read(texts_[i]);
      last.text = i;
    }
    return *last.runs;
  }

  static double shared(const std::vector<std::uint64_t>& a, const std::vector<std::uint64_t>& b) {
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

  const Texts& texts_;
  std::vector<std::size_t> n_runs_;
  std::vector<std::vector<std::uint64_t>> kept_;
  Last a_, b_;
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

}  // namespace

Duplicates find_duplicates(const Texts& texts, double threshold, int threads) {
  constexpr std::size_t kDocsPerJob = 64;
  const std::size_t n = texts.size();
  std::vector<Signature> signatures(n);
  std::vector<std::uint64_t> whole(n);
  Runs runs(texts);
  std::vector<std::unique_ptr<RunReader>> readers(static_cast<std::size_t>(std::max(threads, 1)));
  parallel_for((n + kDocsPerJob - 1) / kDocsPerJob, threads, [&](std::size_t job, int worker) {
    auto& reader = readers[static_cast<std::size_t>(worker)];
    if (!reader) reader = std::make_unique<RunReader>();
    for (std::size_t i = job * kDocsPerJob; i < std::min((job + 1) * kDocsPerJob, n); ++i) {
      const auto& found = reader->read(texts[i]);
      signatures[i] = sign(found);
      runs.set(i, found);
      whole[i] = reader->whole();
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
  Interrupt interrupt;
  for (std::size_t band = 0; band < kBands; ++band) {
    std::unordered_map<std::uint64_t, std::size_t> first_in;
    for (std::size_t i = 0; i < n; ++i) {
      interrupt.poll();
      if (static_cast<std::size_t>(found.same[i]) != i) continue;
      std::uint64_t key = band;
      for (std::size_t r = 0; r < kRows; ++r) key = mix(key ^ signatures[i][band * kRows + r]);
      const std::size_t first = first_in.try_emplace(place_of(key), i).first->second;
      if (first == i || root(first) == root(i)) continue;
      if (runs.alike(first, i, threshold)) link(first, i);
    }
  }
  found.similar.resize(n);
  for (std::size_t i = 0; i < n; ++i) found.similar[i] = static_cast<std::int64_t>(root(i));
  return found;
}

}  // namespace wordplane
