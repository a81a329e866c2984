// The words of a text and where they stand, in every way of cutting it.
#include "text/tokenizer.h"

#include "input.h"
#include "reference.h"

using namespace wordplane;

namespace {

void check(const Analysis& analysis, WordReader& reader, std::string_view text) {
  reference::Tokens expected;
  bool valid = true;
  try {
    expected = reference::tokens(analysis, text);
  } catch (const std::invalid_argument&) {
    valid = false;
  }
  try {
    reader.read(text);
  } catch (const std::invalid_argument&) {
    CHECK(!valid);
    return;
  }
  CHECK(valid);
  reader.locate(text);
  CHECK(reader.words().size() == expected.size());
  CHECK(reader.spans().size() == expected.size());
  std::size_t n_tokens = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CHECK(reader.words()[i] == expected[i].word);
    CHECK(reader.spans()[i].begin == expected[i].span.begin);
    CHECK(reader.spans()[i].end == expected[i].span.end);
    CHECK((reader.counts().empty() ? 1 : reader.counts()[i]) == expected[i].count);
    n_tokens += expected[i].count;
    WordTable::key_of_padded(reader.words()[i]);
  }
  CHECK(reader.n_tokens() == n_tokens);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  const Analysis analysis = input.analysis(input.tokens(), 1);
  WordReader reader(analysis);  // is used again, and must remember nothing
  const Documents documents = Documents::of(input, 3);
  for (std::size_t i = 0; i < documents.size(); ++i) check(analysis, reader, documents[i]);
  return 0;
}
