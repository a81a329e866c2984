// Counting words and n-grams: frequencies, columns, the matrix and the vocabulary of what is kept.
#include "features/counter.h"

#include <array>
#include <set>

#include "input.h"
#include "reference.h"

using namespace wordplane;

namespace {

struct Expected {
  std::vector<reference::Ngram> features;  // in order
  std::map<reference::Ngram, std::int64_t> df, tf;
};

Expected expect(const std::vector<reference::Counts>& rows, Order order) {
  Expected expected;
  for (const auto& row : rows)
    for (const auto& [ngram, count] : row) {
      ++expected.df[ngram];
      expected.tf[ngram] += static_cast<std::int64_t>(count);
    }
  for (const auto& [ngram, df] : expected.df) expected.features.push_back(ngram);
  if (order == Order::frequency)
    std::ranges::stable_sort(expected.features, std::ranges::greater(),
                             [&](const auto& ngram) { return expected.df[ngram]; });
  return expected;
}

void check_rows(Counter& counter, const std::vector<reference::Counts>& rows,
                const std::map<reference::Ngram, std::int32_t>& column_of, int threads) {
  const std::vector<std::int64_t> indptr = counter.indptr();
  std::vector<std::int32_t> indices(static_cast<std::size_t>(indptr.back()));
  std::vector<double> values(indices.size());
  counter.fill(indices.data(), values.data(), threads);
  CHECK(indptr.size() == rows.size() + 1);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    std::map<std::int32_t, double> expected, found;
    for (const auto& [ngram, count] : rows[row])
      if (column_of.contains(ngram)) expected[column_of.at(ngram)] = static_cast<double>(count);
    for (std::int64_t at = indptr[row]; at < indptr[row + 1]; ++at) {
      const auto i = static_cast<std::size_t>(at);
      CHECK(at == indptr[row] || indices[i - 1] < indices[i]);
      found[indices[i]] = values[i];
    }
    CHECK(found == expected);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  const Analysis analysis = input.analysis(input.tokens(), 4);
  const Order order = input.flag() ? Order::frequency : Order::alphabetical;
  const int threads = input.number(0, 31) == 0 ? 2 : 1;  // starting one takes longer than the rest
  const auto first_batch = static_cast<std::size_t>(input.number(0, 4));
  const std::uint32_t kept = input.ConsumeIntegral<std::uint32_t>();
  const Documents documents = Documents::of(input, 6);
  const Texts texts = documents.texts();
  std::vector<reference::Counts> rows;
  bool valid = true;
  try {
    for (std::size_t i = 0; i < documents.size(); ++i)
      rows.push_back(reference::ngrams(analysis, documents[i]));
  } catch (const std::invalid_argument&) {
    valid = false;
  }

  Counter counter(analysis);
  try {
    const std::size_t middle = std::min(first_batch, texts.size());
    counter.add(texts, 0, middle, threads);
    counter.add(texts, middle, texts.size(), threads);
  } catch (const std::invalid_argument&) {
    CHECK(!valid);
    return 0;
  }
  CHECK(valid);
  counter.finish(order, threads);
  const Expected expected = expect(rows, order);
  CHECK(counter.n_docs() == rows.size());
  CHECK(counter.n_features() == expected.features.size());
  const auto df = counter.document_frequency(threads), tf = counter.term_frequency(threads);
  auto keep = std::make_unique<bool[]>(counter.n_features() + 1);
  std::map<reference::Ngram, std::int32_t> column_of;
  std::vector<reference::Ngram> selected;
  for (std::size_t i = 0; i < expected.features.size(); ++i) {
    const reference::Ngram& ngram = expected.features[i];
    CHECK(df[i] == expected.df.at(ngram) && tf[i] == expected.tf.at(ngram));
    keep[i] = kept >> i % 32 & 1;
    if (!keep[i]) continue;
    column_of[ngram] = static_cast<std::int32_t>(selected.size());
    selected.push_back(ngram);
  }
  counter.select({keep.get(), counter.n_features()}, threads);
  CHECK(counter.n_selected() == selected.size());
  check_rows(counter, rows, column_of, threads);

  const Vocabulary vocabulary = counter.vocabulary(threads);
  CHECK(vocabulary.n_features() == selected.size());
  for (std::size_t column = 0; column < selected.size(); ++column)
    CHECK(vocabulary.name(column) ==
          reference::name(selected[column], analysis.tokens == Tokens::chars));
  NgramReader reader(analysis, vocabulary);
  for (std::size_t i = 0; i < documents.size(); ++i) {
    std::size_t n = 0;
    for (const auto& [ngram, count] : rows[i]) n += column_of.contains(ngram);
    const auto& counts = reader.read(documents[i]);
    CHECK(counts.size() == n);
    for (const Count& count : counts)
      CHECK(count.count == static_cast<std::uint32_t>(
                               rows[i].at(selected[static_cast<std::size_t>(count.column)])));
  }
  return 0;
}
