// Documents as rows of hashed features: no vocabulary, any number of documents.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "features/weighting.h"
#include "text/texts.h"
#include "text/tokenizer.h"

namespace wordplane {

// MurmurHash3 for 32 bits with seed 0 (Austin Appleby, 2011) of prefixes of one string: n-grams
// that begin at the same word share the work on their common beginning. The state after each of
// the first blocks is computed whether it is needed or not, which costs less than guessing wrong
// where a word ends.
class PrefixHash {
 public:
  static constexpr std::size_t kAhead = 5;             // blocks of 4 bytes
  static constexpr std::size_t kPadding = 4 * kAhead;  // readable bytes past the longest prefix

  explicit PrefixHash(const char* begin) : begin_(begin) {
    for (std::size_t b = 0; b < kAhead; ++b) states_[b + 1] = mix(states_[b], block(b));
  }

  // The hash of the first `size` bytes.
  std::uint32_t operator()(std::size_t size) const {
    const std::size_t n_blocks = size / 4;
    std::uint32_t state = states_[std::min(n_blocks, kAhead)];
    for (std::size_t b = kAhead; b < n_blocks; ++b) state = mix(state, block(b));
    const std::uint32_t tail = block(n_blocks) & ((1u << 8 * (size % 4)) - 1);
    std::uint32_t h = state ^ scramble(tail) ^ static_cast<std::uint32_t>(size);
    h = (h ^ h >> 16) * 0x85EBCA6Bu;
    h = (h ^ h >> 13) * 0xC2B2AE35u;
    return h ^ h >> 16;
  }

 private:
  std::uint32_t block(std::size_t b) const {
    std::uint32_t bytes;
    std::memcpy(&bytes, begin_ + 4 * b, 4);
    return std::endian::native == std::endian::big ? __builtin_bswap32(bytes) : bytes;
  }
  static std::uint32_t scramble(std::uint32_t k) {
    return std::rotl(k * 0xCC9E2D51u, 15) * 0x1B873593u;
  }
  static std::uint32_t mix(std::uint32_t state, std::uint32_t block) {
    return std::rotl(state ^ scramble(block), 13) * 5 + 0xE6546B64u;
  }

  const char* begin_;
  std::uint32_t states_[kAhead + 1] = {};  // after so many blocks
};

inline std::uint32_t murmur3(std::string_view bytes) {
  std::string padded(bytes);
  padded.append(PrefixHash::kPadding, '\0');
  return PrefixHash(padded.data())(bytes.size());
}

// The column of a feature by its hash h, read as a signed number: |h| mod n_features.
inline std::uint32_t hashed_column(std::uint32_t h, std::uint32_t n_features) {
  const std::uint32_t size = h >> 31 ? 0 - h : h;
  const bool power_of_2 = (n_features & (n_features - 1)) == 0;  // no division for the usual case
  return power_of_2 ? size & (n_features - 1) : size % n_features;
}

// Collects documents as rows: ascending columns, each with the sum of the signs of its features.
class HashedRows {
 public:
  // A feature counts 1; with alternate_sign -1 if its hash is negative as a signed number.
  HashedRows(std::uint32_t n_features, bool alternate_sign)
      : n_features_(n_features), alternate_sign_(alternate_sign) {}

  // Adds the documents begin .. end-1. Throws std::out_of_range.
  void add(const Analysis& analysis, const Texts& texts, std::size_t begin, std::size_t end,
           int threads);

  // Adds one document whose features have these hashes.
  void add(std::vector<std::uint32_t> hashes);

  std::vector<std::int64_t> indptr() const;

  // Writes the matrix: columns and sums, 1 for every sum if `binary`, rows divided by their norm.
  template <class Value>
  void fill(bool binary, Norm norm, std::int32_t* indices, Value* values, int threads) const;

 private:
  struct Rows {
    std::vector<std::int32_t> sizes, columns, sums;
  };
  struct Scratch {
    std::string joined;  // the words of a document, a space after each
    std::vector<std::size_t> starts;
    std::vector<std::uint32_t> hashes, keys, other;
  };

  static void hash_ngrams(const Analysis& analysis, const std::vector<std::string_view>& words,
                          Scratch& scratch);
  void append_row(Scratch& scratch, Rows& rows) const;

  std::uint32_t n_features_;
  bool alternate_sign_;
  std::vector<Rows> parts_;
};

}  // namespace wordplane
