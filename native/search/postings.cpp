#include "search/postings.h"

namespace wordplane {

void Postings::add(std::span<const Entry> query, float* sums) const {
  constexpr std::size_t kAhead = 4;
  for (std::size_t segment = 0; segment < n_segments_; ++segment, sums += kSegment) {
    const std::size_t* begin = begin_.data() + segment * n_columns_;
    const auto list = [&](std::size_t l) { return postings_.data() + begin[l]; };
    for (std::size_t e = 0; e < query.size(); ++e) {
      if (e + kAhead < query.size()) __builtin_prefetch(list(query[e + kAhead].column));
      const float q = query[e].value;
      const Posting* p = list(query[e].column);
      const Posting* end = list(query[e].column + 1);
      for (; end - p >= 4; p += 4) {
        float z[4];
        for (std::size_t v = 0; v < 4; ++v) z[v] = q * p[v].value();
        for (std::size_t v = 0; v < 4; ++v) sums[p[v].row()] += z[v];
      }
      for (; p != end; ++p) sums[p->row()] += q * p->value();
    }
  }
}

}  // namespace wordplane
