#include "features/transform.h"

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "common/csr.h"
#include "common/parallel.h"
#include "common/radix_sort.h"

namespace wordplane {

namespace {

// What a worker needs to count the features of documents.
struct Worker {
  std::unique_ptr<Reader> reader;
  std::vector<Count> row, scratch;

  // Appends the features of a document to those of others, by ascending columns.
  std::size_t add(const Texts& texts, std::size_t i, std::vector<Count>& rows) {
    row = reader->read_document(texts, i);
    std::int32_t most = 0;
    for (const Count& entry : row) most = std::max(most, entry.column);
    const std::size_t begin = rows.size(), size = row.size();
    rows.resize(begin + size);
    sort_row(row, scratch, bits_for(static_cast<std::uint64_t>(most) + 1), &Count::column,
             [&](const Count& entry, std::size_t at) { rows[begin + at] = entry; });
    return size;
  }
};

}  // namespace

Rows count_features(const std::function<std::unique_ptr<Reader>()>& make_reader, const Texts& texts,
                    std::size_t begin, std::size_t end, int threads) {
  constexpr std::size_t kDocsPerJob = 256;
  if (end > texts.size() || begin > end) throw std::out_of_range("documents out of range");
  const std::size_t n_docs = end - begin, n_jobs = (n_docs + kDocsPerJob - 1) / kDocsPerJob;

  Rows rows;
  std::vector<std::size_t> sizes(n_docs);
  std::vector<std::vector<Count>> parts(n_jobs);
  std::vector<Worker> workers(static_cast<std::size_t>(std::max(threads, 1)));
  parallel_for(n_jobs, threads, [&](std::size_t job, int number) {
    Worker& worker = workers[static_cast<std::size_t>(number)];
    if (!worker.reader) worker.reader = make_reader();
    for (std::size_t i = job * kDocsPerJob; i < std::min((job + 1) * kDocsPerJob, n_docs); ++i)
      sizes[i] = worker.add(texts, begin + i, parts[job]);
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
