// Texts that are the same, or nearly.
//
// A text is the set of its runs of three words (a shorter one: all its words). The share of runs
// that two texts have in common (Jaccard) is estimated by MinHash: under a random order of all
// runs, the chance that both have the same first run is that share. Texts that agree in all rows
// of one of the bands are candidates, whose share is then computed exactly.
//
// Reference: Broder (1997), On the resemblance and containment of documents.
#pragma once

#include <cstdint>
#include <vector>

#include "text/texts.h"

namespace wordplane {

struct Duplicates {
  // By text, the first text that has the same words in the same order (case folded), and the
  // first of the group of texts that are linked by a share of at least the threshold.
  std::vector<std::int64_t> same, similar;
};

Duplicates find_duplicates(const Texts& texts, double threshold, int threads);

}  // namespace wordplane
