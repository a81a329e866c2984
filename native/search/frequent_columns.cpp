#include "search/frequent_columns.h"

#include "common/processor.h"

namespace wordplane {
namespace {

using Term = FrequentColumns::Query::Term;

// The sums of a tile. That the end of the terms is not counted beforehand keeps GCC from jamming
// several terms into one loop that it cannot vectorize.
[[gnu::always_inline]] inline void sum_tile(const std::int16_t* tile, const Term* term,
                                            std::int16_t* out) {
  constexpr std::size_t kTile = FrequentColumns::kTile;
  std::int16_t sums[kTile] = {};
  for (; term->weight != 0; ++term) {
    const std::int16_t* x = tile + term->column * kTile;
    const std::int16_t w = term->weight;
    for (std::size_t r = 0; r < kTile; ++r) {
      const auto product = static_cast<std::int16_t>((x[r] * w) >> 16);
      sums[r] = static_cast<std::int16_t>(sums[r] + product);
    }
  }
  std::copy_n(sums, kTile, out);
}

#ifdef __x86_64__
[[gnu::target("avx2")]] void sum_tile_avx2(const std::int16_t* tile, const Term* terms,
                                           std::int16_t* out) {
  sum_tile(tile, terms, out);
}
#endif

}  // namespace

FrequentColumns::Query FrequentColumns::query(const std::vector<Entry>& entries) const {
  double square = 0;
  for (const auto& [column, value] : entries) square += value * value;
  const double length = std::max(std::sqrt(square), kLeast);
  Query query;
  for (const auto& [column, value] : entries)
    if (const std::int16_t weight = rounded(value / length); weight != 0)
      query.terms_.push_back({static_cast<std::uint32_t>(column), weight});
  query.terms_.push_back({0, 0});
  query.unit_ = 0x1p16 / (kScale * kScale) * length;
  query.m_ = static_cast<double>(entries.size());
  return query;
}

void FrequentColumns::sum(const Query& query, std::size_t tile, std::int16_t* sums) const {
  const std::int16_t* values = values_.data() + tile * n_columns_ * kTile;
#ifdef __x86_64__
  if (has_avx2) return sum_tile_avx2(values, query.terms_.data(), sums);
#endif
  sum_tile(values, query.terms_.data(), sums);
}

}  // namespace wordplane
