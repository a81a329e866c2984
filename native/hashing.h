// Documents as rows of hashed features: no vocabulary, any number of documents.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "texts.h"
#include "tokenizer.h"
#include "weighting.h"

namespace wordplane {

// MurmurHash3 for 32 bits with seed 0 (Austin Appleby, 2011) of growing prefixes of one string:
// n-grams that begin at the same word share the work on their common beginning. The string must
// be readable kPadding bytes past the last size asked for: the last block is read whole.
class PrefixHash {
 public:
  static constexpr std::size_t kPadding = 4;

  explicit PrefixHash(const char* begin) : begin_(begin) {}

  // The hash of the first `size` bytes; sizes ascend from call to call.
  std::uint32_t operator()(std::size_t size) {
    for (; mixed_ + 4 <= size; mixed_ += 4)
      state_ = std::rotl(state_ ^ scramble(block_at(mixed_)), 13) * 5 + 0xE6546B64u;
    const std::uint32_t n_left = static_cast<std::uint32_t>(size - mixed_);
    const std::uint32_t tail = block_at(mixed_) & ((1u << 8 * n_left) - 1);
    std::uint32_t h = state_ ^ scramble(tail) ^ static_cast<std::uint32_t>(size);
    h = (h ^ h >> 16) * 0x85EBCA6Bu;
    h = (h ^ h >> 13) * 0xC2B2AE35u;
    return h ^ h >> 16;
  }

 private:
  std::uint32_t block_at(std::size_t at) const {
    std::uint32_t block;
    std::memcpy(&block, begin_ + at, 4);
    return std::endian::native == std::endian::big ? __builtin_bswap32(block) : block;
  }
  static std::uint32_t scramble(std::uint32_t k) {
    return std::rotl(k * 0xCC9E2D51u, 15) * 0x1B873593u;
  }

  const char* begin_;
  std::size_t mixed_ = 0;  // bytes that state_ has taken in
  std::uint32_t state_ = 0;
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
