#include "inner_ngrams.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <numeric>

#include "parallel.h"
#include "unicode.h"

namespace wordplane {

namespace {

// Calls found(ngram) for every n-gram of every word, and end_of_word() after each word.
template <class Found, class EndOfWord>
void each_ngram(const Vocabulary& words, int min_n, int max_n, Found&& found,
                EndOfWord&& end_of_word) {
  std::string padded;
  std::vector<std::size_t> starts;  // of the characters, and the end
  for (std::size_t word = 0; word < words.n_features(); ++word) {
    padded = " ";
    padded += words.name(word);
    padded += " ";
    starts.clear();
    for (std::size_t i = 0; i < padded.size(); ++i)
      if ((static_cast<unsigned char>(padded[i]) & 0xC0) != 0x80) starts.push_back(i);
    const std::size_t length = starts.size();
    starts.push_back(padded.size());
    for (auto n = static_cast<std::size_t>(min_n); n <= static_cast<std::size_t>(max_n); ++n) {
      if (length <= n) {
        found(std::string_view(padded));
        break;
      }
      for (std::size_t i = 0; i + n <= length; ++i)
        found(std::string_view(padded).substr(starts[i], starts[i + n] - starts[i]));
    }
    end_of_word();
  }
}

// The n-grams of one document: which there are, as bits, so that they come out in order.
class Found {
 public:
  explicit Found(std::size_t n_ngrams) : bits_((n_ngrams + 63) / 64) {}

  void add(std::int32_t ngram) {
    bits_[static_cast<std::size_t>(ngram) / 64] |= std::uint64_t{1} << (ngram % 64);
  }

  // Calls each(ngram) for all that were added, ascending, and forgets them.
  template <class Each>
  void take(Each&& each) {
    for (std::size_t i = 0; i < bits_.size(); ++i) {
      for (std::uint64_t left = bits_[i]; left; left &= left - 1)
        each(64 * i + static_cast<std::size_t>(std::countr_zero(left)));
      bits_[i] = 0;
    }
  }

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

InnerNgrams inner_ngrams(const Vocabulary& words, int min_n, int max_n) {
  WordTable table;
  InnerNgrams result;
  auto& [indptr, ngrams] = result.lists;
  each_ngram(
      words, min_n, max_n,
      [&](std::string_view ngram) {
        ngrams.push_back(static_cast<std::int32_t>(table.intern(ngram).id));
      },
      [&] { indptr.push_back(static_cast<std::int64_t>(ngrams.size())); });
  const std::vector<std::uint32_t> by_name = alphabetical(table);
  std::vector<std::int32_t> rank(table.size());
  for (std::size_t r = 0; r < by_name.size(); ++r) {
    rank[by_name[r]] = static_cast<std::int32_t>(r);
    result.names.emplace_back(table.word(by_name[r]));
  }
  for (std::int32_t& ngram : ngrams) ngram = rank[static_cast<std::size_t>(ngram)];
  return result;
}

Lists known_inner_ngrams(const Vocabulary& words, int min_n, int max_n, const Vocabulary& known) {
  Lists lists;
  each_ngram(
      words, min_n, max_n,
      [&](std::string_view ngram) {
        const std::uint32_t node = known.words().find(ngram);
        if (node != kNone) lists.ngrams.push_back(known.column(node));
      },
      [&] { lists.indptr.push_back(static_cast<std::int64_t>(lists.ngrams.size())); });
  return lists;
}

std::vector<std::int64_t> inner_indptr(const WordCounts& documents, const ListsView& lists,
                                       std::size_t n_ngrams, int threads) {
  std::vector<std::int64_t> indptr(documents.n_docs() + 1);
  each_document<Found>(documents.n_docs(), n_ngrams, threads, [&](std::size_t doc, Found& found) {
    each_in_document(documents, lists, doc,
                     [&](std::int32_t ngram, std::int64_t) { found.add(ngram); });
    found.take([&](std::size_t) { ++indptr[doc + 1]; });
  });
  std::partial_sum(indptr.begin(), indptr.end(), indptr.begin());
  return indptr;
}

std::vector<std::int64_t> inner_frequency(const WordCounts& documents, const ListsView& lists,
                                          std::size_t n_ngrams, int threads) {
  struct Frequency {
    explicit Frequency(std::size_t n_ngrams) : found(n_ngrams), documents(n_ngrams) {}
    Found found;
    std::vector<std::int64_t> documents;
  };
  std::vector<std::int64_t> sums(n_ngrams);
  for (const auto& part : each_document<Frequency>(
           documents.n_docs(), n_ngrams, threads, [&](std::size_t doc, Frequency& mine) {
             each_in_document(documents, lists, doc,
                              [&](std::int32_t ngram, std::int64_t) { mine.found.add(ngram); });
             mine.found.take([&](std::size_t ngram) { ++mine.documents[ngram]; });
           }))
    for (std::size_t ngram = 0; part && ngram < n_ngrams; ++ngram)
      sums[ngram] += part->documents[ngram];
  return sums;
}

template <class Value>
void inner_fill(const WordCounts& documents, const ListsView& lists, std::size_t n_ngrams,
                std::span<const std::int64_t> indptr, std::int32_t* indices, Value* values,
                int threads) {
  struct Sums {
    explicit Sums(std::size_t n_ngrams) : found(n_ngrams), of(n_ngrams) {}
    Found found;
    std::vector<std::uint32_t> of;  // 0 between documents
  };
  each_document<Sums>(documents.n_docs(), n_ngrams, threads, [&](std::size_t doc, Sums& sums) {
    each_in_document(documents, lists, doc, [&](std::int32_t ngram, std::int64_t count) {
      sums.found.add(ngram);
      sums.of[static_cast<std::size_t>(ngram)] += static_cast<std::uint32_t>(count);
    });
    auto at = static_cast<std::size_t>(indptr[doc]);
    sums.found.take([&](std::size_t ngram) {
      indices[at] = static_cast<std::int32_t>(ngram);
      values[at++] = static_cast<Value>(sums.of[ngram]);
      sums.of[ngram] = 0;
    });
  });
}

template void inner_fill(const WordCounts&, const ListsView&, std::size_t,
                         std::span<const std::int64_t>, std::int32_t*, std::int64_t*, int);
template void inner_fill(const WordCounts&, const ListsView&, std::size_t,
                         std::span<const std::int64_t>, std::int32_t*, float*, int);
template void inner_fill(const WordCounts&, const ListsView&, std::size_t,
                         std::span<const std::int64_t>, std::int32_t*, double*, int);

}  // namespace wordplane
