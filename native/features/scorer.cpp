#include "features/scorer.h"

#include <algorithm>
#include <cmath>
#include <compare>
#include <stdexcept>
#include <tuple>

#include "common/parallel.h"

namespace wordplane {

Scorer::Scorer(std::vector<Block> blocks, GroupWeights weighting, std::vector<float> W,
               std::vector<double> b)
    : blocks_(std::move(blocks)),
      weighting_(std::move(weighting)),
      W_(std::move(W)),
      b_(std::move(b)) {
  std::size_t n_features = 0;
  for (const Block& block : blocks_) n_features += block.n_features();
  if (b_.empty() || W_.size() != n_features * b_.size())
    throw std::invalid_argument("one weight per feature and output expected");
  weighting_.check();
  if (static_cast<std::size_t>(weighting_.starts.back()) != n_features)
    throw std::invalid_argument("groups of all features expected");
}

std::unique_ptr<Scorer::Worker> Scorer::borrow() const {
  if (auto spare = spares_.take()) return spare;
  auto worker = std::make_unique<Worker>();
  for (const Block& block : blocks_) worker->readers.push_back(block.reader());
  if (weighting_.tokens) worker->tokens.emplace(*weighting_.tokens);
  return worker;
}

// A worker that has read a megabyte is not kept: the memory of its readers must not grow forever.
void Scorer::give_back(std::unique_ptr<Worker> worker) const {
  constexpr std::size_t kMostBytes = 1 << 20;
  if (worker && worker->bytes_read < kMostBytes) spares_.keep(std::move(worker));
}

void Scorer::count(const Texts& texts, std::size_t row, Worker& worker) const {
  const std::size_t n = n_outputs();
  worker.columns.clear();
  worker.values.clear();
  std::int32_t first = 0;
  for (std::size_t block = 0; block < blocks_.size(); ++block) {
    for (const Count& feature : worker.readers[block]->read_document(texts, row)) {
      worker.columns.push_back(first + feature.column);
      worker.values.push_back(feature.count);
      const auto j = static_cast<std::size_t>(worker.columns.back());
      __builtin_prefetch(W_.data() + j * n);
      if (!weighting_.idf.empty()) __builtin_prefetch(weighting_.idf.data() + j);
    }
    first += static_cast<std::int32_t>(blocks_[block].n_features());
  }
  worker.bytes_read += texts[row].size();
}

void Scorer::weigh(const Texts& texts, std::size_t row, Worker& worker) const {
  double length = 1;
  if (worker.tokens) {
    worker.tokens->read(texts[row]);
    length = static_cast<double>(worker.tokens->n_tokens());
  }
  weighting_.weigh(worker.columns, worker.values.data(), length);
}

void Scorer::scores(const Texts& texts, std::size_t begin, std::size_t end, double* scores,
                    int threads) const {
  constexpr std::size_t kDocsPerJob = 64;
  if (end > texts.size() || begin > end) throw std::out_of_range("documents out of range");
  const std::size_t n_docs = end - begin, n = n_outputs();
  std::vector<std::unique_ptr<Worker>> workers(static_cast<std::size_t>(std::max(threads, 1)));
  parallel_for((n_docs + kDocsPerJob - 1) / kDocsPerJob, threads, [&](std::size_t job, int number) {
    auto& worker = workers[static_cast<std::size_t>(number)];
    if (!worker) worker = borrow();
    const auto& columns = worker->columns;
    const auto& values = worker->values;
    for (std::size_t i = job * kDocsPerJob; i < std::min((job + 1) * kDocsPerJob, n_docs); ++i) {
      count(texts, begin + i, *worker);
      weigh(texts, begin + i, *worker);
      double* z = scores + i * n;
      std::ranges::copy(b_, z);
      for (std::size_t e = 0; e < columns.size(); ++e) {
        const float* w = W_.data() + static_cast<std::size_t>(columns[e]) * n;
        for (std::size_t k = 0; k < n; ++k) z[k] += values[e] * static_cast<double>(w[k]);
      }
    }
  });
  for (auto& worker : workers) give_back(std::move(worker));
}

std::vector<Contribution> Scorer::contributions(const Texts& texts, std::size_t row,
                                                std::span<const double> direction) const {
  if (row >= texts.size()) throw std::out_of_range("no such document");
  if (direction.size() != n_outputs()) throw std::invalid_argument("one number per output");
  auto worker = borrow();
  count(texts, row, *worker);
  const auto counts = worker->values;
  weigh(texts, row, *worker);

  PairTable number_of;  // by column: the place of the feature in `added`
  number_of.reserve(counts.size());
  for (const std::int32_t j : worker->columns) number_of.intern(static_cast<std::uint64_t>(j));
  auto added = worker->values;  // by one occurrence
  for (std::size_t e = 0; e < added.size(); ++e) {
    const float* w = W_.data() + static_cast<std::size_t>(worker->columns[e]) * n_outputs();
    double weight = 0;
    for (std::size_t k = 0; k < direction.size(); ++k)
      weight += direction[k] * static_cast<double>(w[k]);
    added[e] *= weight / counts[e];
  }

  std::vector<Contribution> contributions;
  std::int32_t first = 0;
  for (std::size_t block = 0; block < blocks_.size(); ++block) {
    for (auto& [column, count, span, name] : worker->readers[block]->trace(texts[row])) {
      const std::int32_t j = first + column;
      const std::uint32_t number = number_of.find(static_cast<std::uint64_t>(j)).id;
      contributions.push_back({j, span, count * added.at(number), std::move(name)});
    }
    first += static_cast<std::int32_t>(blocks_[block].n_features());
  }
  give_back(std::move(worker));
  std::ranges::sort(contributions, [](const Contribution& a, const Contribution& b) {
    const auto by_value = std::weak_order(std::abs(b.value), std::abs(a.value));
    if (by_value != 0) return by_value < 0;
    return std::tie(a.span.begin, a.span.end, a.column) <
           std::tie(b.span.begin, b.span.end, b.column);
  });
  return contributions;
}

std::string Scorer::name(std::size_t column) const {
  for (const Block& block : blocks_) {
    if (column < block.n_features()) return block.name(column);
    column -= block.n_features();
  }
  throw std::out_of_range("no such column");
}

}  // namespace wordplane
