#include "model/stored_vocabulary.h"

#include <stdexcept>
#include <string>

namespace wordplane {

namespace {

// All names together may be so many times as long as the arrays, besides the first bytes.
constexpr std::size_t kMaxNameGrowth = 64, kFreeNameBytes = 1 << 24;

}  // namespace

Vocabulary read_vocabulary(std::string_view bytes, std::span<const std::int64_t> word_ends,
                           std::span<const std::uint32_t> firsts,
                           std::span<const std::uint32_t> lasts,
                           std::span<const std::int32_t> columns, Parts parts,
                           std::size_t longest) {
  Vocabulary vocabulary(bytes, word_ends, firsts, lasts, columns, parts);
  const Vocabulary::Extent extent = vocabulary.extent();
  if (extent.longest > longest)
    throw std::invalid_argument("an n-gram of length " + std::to_string(extent.longest) +
                                ", expected at most " + std::to_string(longest));
  const std::size_t n_bytes =
      bytes.size() + firsts.size_bytes() + lasts.size_bytes() + columns.size_bytes();
  if (extent.name_bytes > kFreeNameBytes + kMaxNameGrowth * n_bytes)
    throw std::invalid_argument("the names of the features are too long for the size of the file");
  return vocabulary;
}

}  // namespace wordplane
