#include "inner_ngrams.h"

#include <algorithm>
#include <numeric>

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
    padded = " " + words.name(word) + " ";
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

// Closes a row: sorts its columns and adds up those that are the same.
void end_row(std::vector<std::int32_t>& row, CountMatrix& A) {
  std::ranges::sort(row);
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (i == 0 || row[i] != row[i - 1]) {
      A.indices.push_back(row[i]);
      A.values.push_back(0);
    }
    ++A.values.back();
  }
  A.indptr.push_back(static_cast<std::int64_t>(A.indices.size()));
  row.clear();
}

}  // namespace

InnerNgrams inner_ngrams(const Vocabulary& words, int min_n, int max_n) {
  WordTable table;
  std::vector<std::uint32_t> found;  // of all words, one after another
  std::vector<std::size_t> ends;
  each_ngram(
      words, min_n, max_n, [&](std::string_view ngram) { found.push_back(table.intern(ngram).id); },
      [&] { ends.push_back(found.size()); });

  std::vector<std::uint32_t> by_name(table.size());
  std::iota(by_name.begin(), by_name.end(), 0u);
  std::ranges::sort(by_name, {}, [&](std::uint32_t id) { return table.word(id); });
  std::vector<std::int32_t> column(table.size());
  InnerNgrams result;
  for (std::size_t rank = 0; rank < by_name.size(); ++rank) {
    column[by_name[rank]] = static_cast<std::int32_t>(rank);
    result.names.emplace_back(table.word(by_name[rank]));
  }
  std::vector<std::int32_t> row;
  std::size_t at = 0;
  for (const std::size_t end : ends) {
    for (; at < end; ++at) row.push_back(column[found[at]]);
    end_row(row, result.A);
  }
  return result;
}

CountMatrix known_inner_ngrams(const Vocabulary& words, int min_n, int max_n,
                               const Vocabulary& known) {
  CountMatrix A;
  std::vector<std::int32_t> row;
  each_ngram(
      words, min_n, max_n,
      [&](std::string_view ngram) {
        const std::uint32_t node = known.words().find(ngram);
        if (node != kNone) row.push_back(known.column(node));
      },
      [&] { end_row(row, A); });
  return A;
}

}  // namespace wordplane
