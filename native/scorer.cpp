#include "scorer.h"

#include <algorithm>
#include <stdexcept>

#include "parallel.h"

namespace wordplane {

Scorer::Scorer(const Analysis& analysis, std::shared_ptr<const Vocabulary> vocabulary, bool binary,
               std::vector<float> W, std::vector<double> b)
    : analysis_(analysis),
      vocabulary_(std::move(vocabulary)),
      binary_(binary),
      W_(std::move(W)),
      b_(std::move(b)) {
  if (b_.empty() || W_.size() != vocabulary_->n_features() * b_.size())
    throw std::invalid_argument("one weight per feature and output expected");
}

void Scorer::scores(const Texts& texts, std::size_t begin, std::size_t end, double* scores,
                    int threads) const {
  constexpr std::size_t kDocsPerJob = 64;
  if (end > texts.size() || begin > end) throw std::out_of_range("documents out of range");
  const std::size_t n_docs = end - begin, n = n_outputs();
  std::vector<std::unique_ptr<FeatureReader>> readers(
      static_cast<std::size_t>(std::max(threads, 1)));
  parallel_for((n_docs + kDocsPerJob - 1) / kDocsPerJob, threads, [&](std::size_t job, int worker) {
    auto& reader = readers[static_cast<std::size_t>(worker)];
    if (!reader) reader = std::make_unique<FeatureReader>(analysis_, *vocabulary_);
    for (std::size_t i = job * kDocsPerJob; i < std::min((job + 1) * kDocsPerJob, n_docs); ++i) {
      double* z = scores + i * n;
      std::ranges::copy(b_, z);
      for (const Count& feature : reader->read_document(texts, begin + i)) {
        const float* w = W_.data() + static_cast<std::size_t>(feature.column) * n;
        const double x = binary_ ? 1.0 : feature.count;
        for (std::size_t k = 0; k < n; ++k) z[k] += x * static_cast<double>(w[k]);
      }
    }
  });
}

}  // namespace wordplane
