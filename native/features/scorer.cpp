#include "features/scorer.h"

#include <algorithm>
#include <stdexcept>

#include "common/parallel.h"

namespace wordplane {

Scorer::Scorer(std::vector<Block> blocks, GroupWeights weighting, std::vector<float> W,
               std::vector<double> b)
    : blocks_(std::move(blocks)),
      weighting_(std::move(weighting)),
      W_(std::move(W)),
      b_(std::move(b)) {
  std::size_t n_features = 0;
  for (const Block& block : blocks_) n_features += block.vocabulary->n_features();
  if (b_.empty() || W_.size() != n_features * b_.size())
    throw std::invalid_argument("one weight per feature and output expected");
  weighting_.check();
  if (static_cast<std::size_t>(weighting_.starts.back()) != n_features)
    throw std::invalid_argument("groups of all features expected");
}

void Scorer::scores(const Texts& texts, std::size_t begin, std::size_t end, double* scores,
                    int threads) const {
  constexpr std::size_t kDocsPerJob = 64;
  if (end > texts.size() || begin > end) throw std::out_of_range("documents out of range");
  const std::size_t n_docs = end - begin, n = n_outputs();
  struct Worker {
    std::vector<std::unique_ptr<Reader>> readers;
    std::optional<WordReader> tokens;
    std::vector<std::int32_t> columns;
    std::vector<double> values;
  };
  std::vector<Worker> workers(static_cast<std::size_t>(std::max(threads, 1)));
  parallel_for((n_docs + kDocsPerJob - 1) / kDocsPerJob, threads, [&](std::size_t job, int number) {
    auto& [readers, tokens, columns, values] = workers[static_cast<std::size_t>(number)];
    if (readers.empty()) {
      for (const Block& block : blocks_) readers.push_back(block.reader());
      if (weighting_.tokens) tokens.emplace(*weighting_.tokens);
    }
    for (std::size_t i = job * kDocsPerJob; i < std::min((job + 1) * kDocsPerJob, n_docs); ++i) {
      columns.clear();
      values.clear();
      std::int32_t first = 0;
      for (std::size_t block = 0; block < blocks_.size(); ++block) {
        for (const Count& feature : readers[block]->read_document(texts, begin + i)) {
          columns.push_back(first + feature.column);
          values.push_back(feature.count);
          const auto j = static_cast<std::size_t>(columns.back());
          __builtin_prefetch(W_.data() + j * n);
          if (!weighting_.idf.empty()) __builtin_prefetch(weighting_.idf.data() + j);
        }
        first += static_cast<std::int32_t>(blocks_[block].vocabulary->n_features());
      }
      if (tokens) tokens->read(texts[begin + i]);
      weighting_.weigh(columns, values.data(),
                       tokens ? static_cast<double>(tokens->n_tokens()) : 1);
      double* z = scores + i * n;
      std::ranges::copy(b_, z);
      for (std::size_t e = 0; e < columns.size(); ++e) {
        const float* w = W_.data() + static_cast<std::size_t>(columns[e]) * n;
        for (std::size_t k = 0; k < n; ++k) z[k] += values[e] * static_cast<double>(w[k]);
      }
    }
  });
}

}  // namespace wordplane
