// The vocabulary of a stranger's file: refused, or as good as one that was counted.
#include "text/vocabulary.h"

#include <map>
#include <set>

#include "input.h"

using namespace wordplane;

namespace {

template <class T>
std::vector<T> numbers(Input& input, int least, int most) {
  std::vector<T> numbers;
  for (int n = input.number(0, 12); n > 0; --n)
    numbers.push_back(static_cast<T>(input.number(least, most)));
  return numbers;
}

void check_names(const Vocabulary& vocabulary) {
  std::set<std::uint32_t> nodes;
  std::size_t bytes = 0;
  for (std::size_t column = 0; column < vocabulary.n_features(); ++column)
    bytes += vocabulary.name(column).size();
  // An n-gram of characters has no spaces; its extent may count them.
  const Vocabulary::Extent extent = vocabulary.extent();
  CHECK(vocabulary.parts() == Parts::words ? extent.name_bytes == bytes
                                           : extent.name_bytes >= bytes);
  for (std::uint32_t node = 0; node < vocabulary.n_words() + vocabulary.n_ngrams(); ++node)
    CHECK(vocabulary.column(node) < static_cast<std::int32_t>(vocabulary.n_features()));
  for (std::uint32_t id = 0; id < vocabulary.n_words(); ++id)
    CHECK(vocabulary.words().find(vocabulary.words().word(id)) == id);
}

void read(const Vocabulary& vocabulary, const Analysis& analysis, std::string_view text) {
  NgramReader reader(analysis, vocabulary);
  std::map<std::int32_t, std::uint64_t> counts, traced;
  try {
    for (const Count& count : reader.read(text)) {
      CHECK(counts.try_emplace(count.column, count.count).second);
      CHECK(static_cast<std::size_t>(count.column) < vocabulary.n_features());
    }
    for (const Occurrence& found : reader.trace(text)) {
      CHECK(found.span.begin <= found.span.end && found.span.end <= text.size());
      traced[found.column] += found.count;
    }
  } catch (const std::invalid_argument&) {
    return;
  }
  CHECK(counts == traced);
}

void check_round_trip(const Vocabulary& vocabulary) {
  std::vector<std::string> names;
  for (std::size_t column = 0; column < vocabulary.n_features(); ++column)
    names.push_back(vocabulary.name(column));
  try {
    const Vocabulary again = Vocabulary::from_names(names, vocabulary.parts());
    check_names(again);
    for (std::size_t column = 0; column < names.size(); ++column)
      CHECK(again.name(column) == names[column]);
  } catch (const std::invalid_argument&) {  // words with spaces: a name may mean two n-grams
    CHECK(std::set(names.begin(), names.end()).size() < names.size());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  const Parts parts = static_cast<Parts>(input.number(0, 2));
  const Tokens tokens = parts == Parts::chars ? Tokens::chars : input.tokens();
  const Analysis analysis = input.analysis(tokens, 4);
  try {
    if (input.flag()) {
      const Vocabulary vocabulary = Vocabulary::from_names(input.words(12), parts);
      check_names(vocabulary);
      read(vocabulary, analysis, input.last_text());
      return 0;
    }
    const auto ends = numbers<std::int64_t>(input, -1, 40);
    const auto firsts = numbers<std::uint32_t>(input, 0, 20);
    const auto lasts = numbers<std::uint32_t>(input, 0, 20);
    const auto columns = numbers<std::int32_t>(input, -2, 24);
    const std::string bytes = input.ConsumeRandomLengthString();
    const Vocabulary vocabulary(bytes, ends, firsts, lasts, columns, parts);
    check_names(vocabulary);
    read(vocabulary, analysis, input.last_text());
    check_round_trip(vocabulary);
  } catch (const std::invalid_argument&) {
  }
  return 0;
}
