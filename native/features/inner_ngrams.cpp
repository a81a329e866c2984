#include "features/inner_ngrams.h"

#include <algorithm>
#include <memory>

#include "common/csr.h"
#include "common/parallel.h"
#include "features/sorted_row.h"
#include "text/unicode.h"

namespace wordplane {

namespace {

// Calls found(ngrams) for every word with its n-grams, behind which bytes can be read as
// WordTable::key_of_padded needs them.
template <class Found>
void each_word(const Words& words, int min_n, int max_n, Found&& found) {
  std::string padded;
  std::vector<std::size_t> starts;  // of the characters, and the end
  std::vector<std::string_view> ngrams;
  for (const std::string_view word : words) {
    padded.assign(1, ' ');
    padded += word;
    padded += ' ';
    const std::size_t size = padded.size();
    padded.append(16, ' ');
    starts.clear();
    for (std::size_t i = 0; i < size; ++i)
      if ((static_cast<unsigned char>(padded[i]) & 0xC0) != 0x80) starts.push_back(i);
    const std::size_t length = starts.size();
    starts.push_back(size);
    ngrams.clear();
    for (auto n = static_cast<std::size_t>(min_n); n <= static_cast<std::size_t>(max_n); ++n) {
      if (length <= n) {
        ngrams.push_back(std::string_view(padded).substr(0, size));
        break;
      }
      for (std::size_t i = 0; i + n <= length; ++i)
        ngrams.push_back(std::string_view(padded).substr(starts[i], starts[i + n] - starts[i]));
    }
    found(ngrams);
  }
}

// Which n-grams a document has.
class Found {
 public:
  explicit Found(std::size_t n_ngrams) : bits_((n_ngrams + 63) / 64) {}

  // Whether it was not there yet.
  bool add(std::int32_t ngram) {
    std::uint64_t& bits = bits_[static_cast<std::size_t>(ngram) / 64];
    const std::uint64_t bit = std::uint64_t{1} << (ngram % 64);
    const bool is_new = !(bits & bit);
    bits |= bit;
    return is_new;
  }
  void clear() { std::ranges::fill(bits_, 0); }

 private:
  std::vector<std::uint64_t> bits_;
};

// Calls each(ngram, count) for every n-gram of every word of a document.
template <class Each>
void each_in_document(const WordCounts& documents, const ListsView& lists, std::size_t doc,
                      Each&& each) {
  for (auto e = static_cast<std::size_t>(documents.indptr[doc]);
       e < static_cast<std::size_t>(documents.indptr[doc + 1]); ++e) {
    const auto word = static_cast<std::size_t>(documents.words[e]);
    for (auto a = static_cast<std::size_t>(lists.indptr[word]);
         a < static_cast<std::size_t>(lists.indptr[word + 1]); ++a)
      each(lists.ngrams[a], documents.counts[e]);
  }
}

// Calls job(doc, scratch) for every document, with one Scratch per worker; returns them.
template <class Scratch, class Job>
std::vector<std::unique_ptr<Scratch>> each_document(std::size_t n_docs, std::size_t n_ngrams,
                                                    int threads, Job&& job) {
  constexpr std::size_t kDocsPerJob = 64;
  std::vector<std::unique_ptr<Scratch>> scratch(static_cast<std::size_t>(std::max(threads, 1)));
  parallel_for((n_docs + kDocsPerJob - 1) / kDocsPerJob, threads, [&](std::size_t j, int worker) {
    auto& mine = scratch[static_cast<std::size_t>(worker)];
    if (!mine) mine = std::make_unique<Scratch>(n_ngrams);
    for (std::size_t doc = j * kDocsPerJob; doc < std::min((j + 1) * kDocsPerJob, n_docs); ++doc)
      job(doc, *mine);
  });
  return scratch;
}

}  // namespace

InnerNgrams inner_ngrams(const Words& words, int min_n, int max_n) {
  WordTable table;
  InnerNgrams result;
  Lists& lists = result.lists;
  std::vector<WordKey> keys;
  each_word(words, min_n, max_n, [&](const std::vector<std::string_view>& found) {
    keys.clear();
    for (const std::string_view ngram : found) {
      keys.push_back(WordTable::key_of_padded(ngram));
      table.prefetch(keys.back());
    }
    for (std::size_t i = 0; i < found.size(); ++i)
      lists.ngrams.push_back(static_cast<std::int32_t>(table.intern(found[i], keys[i]).id));
    lists.indptr.push_back(static_cast<std::int64_t>(lists.ngrams.size()));
  });
  const std::vector<std::uint32_t> by_name = alphabetical(table);
  lists.columns.resize(by_name.size());
  result.names.reserve(by_name.size());
  for (std::size_t rank = 0; rank < by_name.size(); ++rank) {
    lists.columns[by_name[rank]] = static_cast<std::int32_t>(rank);
    result.names.emplace_back(table.word(by_name[rank]));
  }
  return result;
}

Lists known_inner_ngrams(const Words& words, int min_n, int max_n, const Vocabulary& known) {
  Lists lists;
  std::vector<std::int32_t> number(known.n_features(), -1);  // by column
  each_word(words, min_n, max_n, [&](const std::vector<std::string_view>& found) {
    for (const std::string_view ngram : found) {
      const std::uint32_t node = known.words().find(ngram);
      const std::int32_t column = node == kNone ? -1 : known.column(node);
      if (column < 0) continue;
      std::int32_t& id = number[static_cast<std::size_t>(column)];
      if (id < 0) {
        id = static_cast<std::int32_t>(lists.columns.size());
        lists.columns.push_back(column);
      }
      lists.ngrams.push_back(id);
    }
    lists.indptr.push_back(static_cast<std::int64_t>(lists.ngrams.size()));
  });
  return lists;
}

std::vector<std::int64_t> inner_indptr(const WordCounts& documents, const ListsView& lists,
                                       int threads) {
  std::vector<std::uint32_t> sizes(documents.n_docs());
  each_document<Found>(
      documents.n_docs(), lists.columns.size(), threads, [&](std::size_t doc, Found& found) {
        std::uint32_t n = 0;
        each_in_document(documents, lists, doc,
                         [&](std::int32_t ngram, std::int64_t) { n += found.add(ngram); });
        found.clear();
        sizes[doc] = n;
      });
  return row_pointers(sizes);
}

std::vector<std::int64_t> inner_frequency(const WordCounts& documents, const ListsView& lists,
                                          int threads) {
  struct Frequency {
    explicit Frequency(std::size_t n_ngrams) : found(n_ngrams), documents(n_ngrams) {}
    Found found;
    std::vector<std::int64_t> documents;
  };
  const std::size_t n_ngrams = lists.columns.size();
  std::vector<std::int64_t> sums(n_ngrams);
  for (const auto& part : each_document<Frequency>(
           documents.n_docs(), n_ngrams, threads, [&](std::size_t doc, Frequency& mine) {
             each_in_document(documents, lists, doc, [&](std::int32_t ngram, std::int64_t) {
               mine.documents[static_cast<std::size_t>(ngram)] += mine.found.add(ngram);
             });
             mine.found.clear();
           }))
    for (std::size_t ngram = 0; part && ngram < n_ngrams; ++ngram)
      sums[ngram] += part->documents[ngram];
  return sums;
}

template <class Value>
void inner_fill(const WordCounts& documents, const ListsView& lists,
                std::span<const std::int64_t> indptr, std::int32_t* indices, Value* values,
                int threads) {
  struct Sums {
    explicit Sums(std::size_t n_ngrams) : of(n_ngrams) {}
    std::vector<std::uint32_t> of;  // by n-gram; 0 between documents
    std::vector<std::int32_t> met;
    std::vector<Entry> row, scratch;
  };
  const std::uint64_t n_columns =
      lists.columns.empty() ? 0 : std::uint64_t(std::ranges::max(lists.columns)) + 1;
  each_document<Sums>(
      documents.n_docs(), lists.columns.size(), threads, [&](std::size_t doc, Sums& sums) {
        const auto begin = static_cast<std::size_t>(indptr[doc]);
        const std::size_t size = static_cast<std::size_t>(indptr[doc + 1]) - begin;
        sums.met.resize(size + 1);
        std::size_t n = 0;
        each_in_document(documents, lists, doc, [&](std::int32_t ngram, std::int64_t count) {
          std::uint32_t& sum = sums.of[static_cast<std::size_t>(ngram)];
          sums.met[n] = ngram;
          n += sum == 0 && n < size;
          sum += static_cast<std::uint32_t>(count);
        });
        sums.row.resize(size);
        for (std::size_t i = 0; i < size; ++i) {
          const auto ngram = static_cast<std::size_t>(sums.met[i]);
          sums.row[i] = {static_cast<std::uint32_t>(lists.columns[ngram]), sums.of[ngram]};
          sums.of[ngram] = 0;
        }
        write_sorted(sums.row, sums.scratch, bits_for(n_columns), indices + begin, values + begin);
      });
}

template void inner_fill(const WordCounts&, const ListsView&, std::span<const std::int64_t>,
                         std::int32_t*, std::int64_t*, int);
template void inner_fill(const WordCounts&, const ListsView&, std::span<const std::int64_t>,
                         std::int32_t*, float*, int);
template void inner_fill(const WordCounts&, const ListsView&, std::span<const std::int64_t>,
                         std::int32_t*, double*, int);

}  // namespace wordplane
