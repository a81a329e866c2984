// How often what was found in documents occurs in each of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/huge_vector.h"

namespace wordplane {

struct Entry {
  std::uint32_t node;  // a word or n-gram by its number; later its column
  std::uint32_t count;
};

// The counts of consecutive documents.
class Counts {
 public:
  // `n_entries` is a guess that saves moving things; memory is taken only when it is written to.
  Counts(std::size_t first_doc, std::size_t n_docs, std::size_t n_entries) : first_doc_(first_doc) {
    ends_.reserve(n_docs);
    entries_.resize(n_entries);
  }

  // A document that is being counted.
  struct Row {
    Entry* entries;
    std::uint32_t begin, n = 0;

    // `mark` says where the node was counted last: its place among the entries of all documents,
    // so that one of an earlier document lies before this one and needs no clearing. Whether it
    // is of this document nobody could predict: all bits of `here` say it, and no branch.
    void count(std::uint32_t node, std::uint32_t& mark, std::uint32_t times) {
      const std::uint32_t last = mark - begin;
      std::uint32_t here = last < n ? ~0u : 0u;
      const Entry known = entries[last & here];
      std::uint32_t at = (last & here) | (n & ~here);
      if ((known.node ^ node) & here) [[unlikely]] {  // a mark that other Counts have left
        here = 0;
        at = n;
      }
      entries[at] = {node, (known.count & here) + times};
      mark = begin + at;
      n += 1 + here;
    }
  };
  // Starts the document `doc`, which will have at most `most` entries; those before it that were
  // not started have none.
  Row start(std::size_t doc, std::size_t most) {
    pass_over(doc);
    if (entries_.size() < size() + most + 1) entries_.resize(2 * (size() + most + 1));
    entries_[size()] = {};  // count() looks at it before it is written
    return {entries_.data() + size(), static_cast<std::uint32_t>(size())};
  }
  void end(const Row& row) { ends_.push_back(size() + row.n); }
  void pass_over(std::size_t doc) { ends_.resize(doc - first_doc_, size()); }

  // Lets go of the counts; the documents are still those.
  void forget() { entries_ = HugeVector<Entry>(); }  // where = {} would keep the memory

  std::size_t first_doc() const { return first_doc_; }
  std::size_t n_docs() const { return ends_.size(); }
  std::size_t size() const { return ends_.empty() ? 0 : ends_.back(); }
  std::span<Entry> entries() { return {entries_.data(), size()}; }
  std::span<const Entry> entries() const { return {entries_.data(), size()}; }
  std::span<const Entry> of(std::size_t doc) const {
    const std::size_t begin = doc == first_doc_ ? 0 : ends_[doc - first_doc_ - 1];
    return entries().subspan(begin, ends_[doc - first_doc_] - begin);
  }

 private:
  std::size_t first_doc_;
  HugeVector<Entry> entries_;      // document after document; room for more may follow
  std::vector<std::size_t> ends_;  // of the documents, in entries_
};

// What one worker counted: its own numbers of words or of n-grams.
struct Counted {
  std::vector<Counts> batches;
  HugeVector<std::uint32_t> position;  // by node, once features are numbered
  HugeVector<std::uint32_t> column;    // by node, once they are selected; kNone if it is not kept
};

}  // namespace wordplane
