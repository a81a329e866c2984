#include "features/hashing.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <numeric>
#include <stdexcept>

#include "common/parallel.h"

namespace wordplane {

namespace {

// Sorts keys below 2^bits by digits of at most 8 bits, the lowest first. A comparison sort is
// several times slower on the few hundred features of a document; shorter ones do not pay for
// the tables.
void sort_keys(std::vector<std::uint32_t>& keys, std::vector<std::uint32_t>& other, int bits) {
  if (keys.size() < 64) {
    std::ranges::sort(keys);
    return;
  }
  const int n_digits = (bits + 7) / 8, width = (bits + n_digits - 1) / n_digits;
  const std::size_t n_values = std::size_t{1} << width;
  std::array<std::uint32_t, 4 * 256> starts;  // of each digit, of each value
  std::fill_n(starts.begin(), static_cast<std::size_t>(n_digits) * n_values, 0);
  for (const std::uint32_t key : keys)
    for (int d = 0; d < n_digits; ++d)
      ++starts[static_cast<std::size_t>(d) * n_values + (key >> d * width & (n_values - 1))];
  other.resize(keys.size());
  for (int d = 0; d < n_digits; ++d) {
    std::uint32_t* start = starts.data() + static_cast<std::size_t>(d) * n_values;
    std::exclusive_scan(start, start + n_values, start, 0u);
    for (const std::uint32_t key : keys) other[start[key >> d * width & (n_values - 1)]++] = key;
    keys.swap(other);
  }
}

}  // namespace

// Every n-gram of the words is one run of bytes in `joined`, where the word i begins at
// starts[i] and ends one space before starts[i + 1].
void HashedRows::hash_ngrams(const Analysis& analysis, const std::vector<std::string_view>& words,
                             Scratch& scratch) {
  auto& [joined, starts, hashes, keys, other] = scratch;
  starts.resize(words.size() + 1);
  std::size_t size = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    starts[i] = size;
    size += words[i].size() + 1;
  }
  starts.back() = size;
  if (joined.size() < size + PrefixHash::kPadding) joined.resize(size + PrefixHash::kPadding);
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::memcpy(joined.data() + starts[i], words[i].data(), words[i].size());
    joined[starts[i + 1] - 1] = ' ';
  }

  const auto min_n = static_cast<std::size_t>(analysis.min_n);
  const std::size_t max_n = std::min(static_cast<std::size_t>(analysis.max_n), words.size());
  hashes.resize(max_n < min_n ? 0 : words.size() * (max_n - min_n + 1));
  std::uint32_t* out = hashes.data();
  for (std::size_t i = 0; i + min_n <= words.size(); ++i) {
    const PrefixHash hash(joined.data() + starts[i]);
    for (std::size_t end = i + min_n; end <= std::min(i + max_n, words.size()); ++end)
      *out++ = hash(starts[end] - 1 - starts[i]);
  }
  hashes.resize(static_cast<std::size_t>(out - hashes.data()));
}

// A key is a column and, in its lowest bit, whether the sign is negative; so that a row
// sorts in one array of 32-bit numbers.
void HashedRows::append_row(Scratch& scratch, Rows& rows) const {
  auto& keys = scratch.keys;
  keys.resize(scratch.hashes.size());
  std::ranges::transform(
      scratch.hashes, keys.begin(),
      [n_features = n_features_, sign = alternate_sign_ ? 1u : 0u](std::uint32_t h) {
        return hashed_column(h, n_features) << 1 | (h >> 31 & sign);
      });
  sort_keys(keys, scratch.other, std::bit_width(n_features_ - 1) + 1);

  // Without a branch on whether a column is new, which no processor foresees.
  const std::size_t before = rows.columns.size();
  rows.columns.resize(before + keys.size());
  rows.sums.resize(before + keys.size());
  std::int32_t* columns = rows.columns.data();
  std::int32_t* sums = rows.sums.data();
  std::size_t n = before - 1;  // the place of the last column; the first key moves it to `before`
  std::uint32_t last = ~0u;    // no column: those have 31 bits
  for (const std::uint32_t key : keys) {
    n += key >> 1 != last;
    last = key >> 1;
    columns[n] = static_cast<std::int32_t>(last);
    sums[n] += 1 - 2 * static_cast<std::int32_t>(key & 1);
  }
  ++n;
  rows.columns.resize(n);
  rows.sums.resize(n);
  rows.sizes.push_back(static_cast<std::int32_t>(n - before));
}

void HashedRows::add(const Analysis& analysis, const Texts& texts, std::size_t begin,
                     std::size_t end, int threads) {
  constexpr std::size_t kDocsPerJob = 64;
  if (end > texts.size() || begin > end) throw std::out_of_range("documents out of range");
  struct Worker {
    WordReader reader;
    Scratch scratch;
  };
  std::vector<std::unique_ptr<Worker>> workers(static_cast<std::size_t>(std::max(threads, 1)));
  const std::size_t n_jobs = (end - begin + kDocsPerJob - 1) / kDocsPerJob;
  std::vector<Rows> parts(n_jobs);
  parallel_for(n_jobs, threads, [&](std::size_t job, int number) {
    auto& worker = workers[static_cast<std::size_t>(number)];
    if (!worker) worker.reset(new Worker{WordReader(analysis), {}});
    const std::size_t first = begin + job * kDocsPerJob;
    for (std::size_t i = first; i < std::min(first + kDocsPerJob, end); ++i) {
      worker->reader.read(texts[i]);
      hash_ngrams(analysis, worker->reader.words(), worker->scratch);
      append_row(worker->scratch, parts[job]);
    }
  });
  std::ranges::move(parts, std::back_inserter(parts_));
}

void HashedRows::add(std::vector<std::uint32_t> hashes) {
  Scratch scratch;
  scratch.hashes = std::move(hashes);
  append_row(scratch, parts_.emplace_back());
}

std::vector<std::int64_t> HashedRows::indptr() const {
  std::vector<std::int32_t> sizes;
  for (const Rows& part : parts_) sizes.insert(sizes.end(), part.sizes.begin(), part.sizes.end());
  return row_pointers(sizes);
}

template <class Value>
void HashedRows::fill(bool binary, Norm norm, std::int32_t* indices, Value* values,
                      int threads) const {
  std::vector<std::size_t> starts{0};
  for (const Rows& part : parts_) starts.push_back(starts.back() + part.columns.size());
  parallel_for(parts_.size(), threads, [&](std::size_t p, int) {
    const Rows& part = parts_[p];
    std::ranges::copy(part.columns, indices + starts[p]);
    Value* value = values + starts[p];
    if (binary)
      std::fill_n(value, part.sums.size(), Value(1));
    else
      std::ranges::transform(part.sums, value, [](std::int32_t x) { return Value(x); });
    if (norm == Norm::none) return;
    for (const std::int32_t size : part.sizes) {
      const std::span<Value> row(value, static_cast<std::size_t>(size));
      normalize(row, norm_of(std::span<const Value>(row), norm));
      value += size;
    }
  });
}

template void HashedRows::fill(bool, Norm, std::int32_t*, float*, int) const;
template void HashedRows::fill(bool, Norm, std::int32_t*, double*, int) const;

}  // namespace wordplane
