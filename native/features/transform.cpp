#include "features/transform.h"

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "common/csr.h"
#include "common/parallel.h"

namespace wordplane {

Rows count_features(const std::function<std::unique_ptr<Reader>()>& make_reader, const Texts& texts,
                    std::size_t begin, std::size_t end, int threads) {
  constexpr std::size_t kDocsPerJob = 256;
  if (end > texts.size() || begin > end) throw std::out_of_range("documents out of range");
  const std::size_t n_docs = end - begin, n_jobs = (n_docs + kDocsPerJob - 1) / kDocsPerJob;

  Rows rows;
  std::vector<std::size_t> sizes(n_docs);
  std::vector<std::vector<Count>> parts(n_jobs);
  std::vector<std::unique_ptr<Reader>> readers(static_cast<std::size_t>(std::max(threads, 1)));
  parallel_for(n_jobs, threads, [&](std::size_t job, int worker) {
    auto& reader = readers[static_cast<std::size_t>(worker)];
    if (!reader) reader = make_reader();
    for (std::size_t i = job * kDocsPerJob; i < std::min((job + 1) * kDocsPerJob, n_docs); ++i) {
      const auto& counts = reader->read_document(texts, begin + i);
      sizes[i] = counts.size();
      parts[job].insert(parts[job].end(), counts.begin(), counts.end());
      std::ranges::sort(parts[job].end() - static_cast<std::ptrdiff_t>(counts.size()),
                        parts[job].end(), {}, &Count::column);
    }
  });
  rows.indptr = row_pointers(sizes);
  rows.counts.reserve(static_cast<std::size_t>(rows.indptr.back()));
  for (auto& part : parts) {
    rows.counts.insert(rows.counts.end(), part.begin(), part.end());
    part = std::vector<Count>();
  }
  return rows;
}

std::vector<double> count_tokens(const Analysis& analysis, const Texts& texts, std::size_t begin,
                                 std::size_t end, int threads) {
  constexpr std::size_t kDocsPerJob = 256;
  if (end > texts.size() || begin > end) throw std::out_of_range("documents out of range");
  std::vector<double> lengths(end - begin);
  parallel_for((lengths.size() + kDocsPerJob - 1) / kDocsPerJob, threads,
               [&](std::size_t job, int) {
                 WordReader reader(analysis);
                 const std::size_t stop = std::min((job + 1) * kDocsPerJob, lengths.size());
                 for (std::size_t i = job * kDocsPerJob; i < stop; ++i) {
                   naming_row(begin + i, [&] { reader.read(texts[begin + i]); });
                   lengths[i] = static_cast<double>(reader.n_tokens());
                 }
               });
  return lengths;
}

}  // namespace wordplane
