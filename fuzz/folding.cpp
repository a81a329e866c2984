// Accents, names for web addresses and the like, stems and patterns of tokens: whatever is asked
// for, words stand in order on what they come from, and a reader remembers nothing.
#include "text/folding.h"

#include <tuple>

#include "input.h"
#include "reference.h"

using namespace wordplane;

namespace {

Folding folding_of(Input& input, bool names) {
  Folding folding;
  folding.lowercase = input.flag();
  folding.accents = input.flag();
  if (names)
    folding = {folding.lowercase, folding.accents, input.flag(), input.flag(), input.flag()};
  return folding;
}

// Letter by letter.
std::string folded(std::string_view text, const Folding& folding) {
  const reference::Letters raw = reference::letters(text);
  std::string out;
  for (const reference::Letter& letter : folding.lowercase ? reference::folded(raw) : raw) {
    if (folding.accents)
      strip_accents(letter.cp, out);
    else
      encode(letter.cp, out);
  }
  return out;
}

void check_folding(std::string_view text, const Folding& folding) {
  std::string out;
  fold(text, folding, out);
  CHECK(out == folded(text, folding));
  const std::vector<Span> origins = fold_origins(text, folding);
  CHECK(origins.size() == out.size());
  for (std::size_t i = 0; i < origins.size(); ++i) {
    CHECK(origins[i].begin < origins[i].end && origins[i].end <= text.size());
    CHECK(i == 0 || origins[i - 1].begin <= origins[i].begin);
  }
  std::vector<Named> named;
  find_named(text, folding, named);
  std::size_t last = 0;
  for (const Named& one : named) {
    CHECK(one.span.begin >= last && one.span.begin < one.span.end);
    CHECK(one.span.end <= text.size());
    CHECK(reference::is_utf8(text.substr(one.span.begin, one.span.end - one.span.begin)));
    last = one.span.end;
  }
  std::string blanked(text);
  blank_named(named, blanked);
  CHECK(blanked.size() == text.size() && reference::is_utf8(blanked));
}

using Word = std::tuple<std::string, std::size_t, std::size_t>;

std::vector<Word> words_of(WordReader& reader, std::string_view text) {
  std::vector<Word> words;
  reader.read(text);
  reader.locate(text);
  CHECK(reader.words().size() == reader.spans().size());
  for (std::size_t i = 0; i < reader.words().size(); ++i)
    words.emplace_back(reader.words()[i], reader.spans()[i].begin, reader.spans()[i].end);
  return words;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const char* const kPatterns[] = {"\\w+", "\\S+", "[a-zé]{2,}|<\\w+>", "(?:\\b\\w)+?-?"};
  Input input(data, size);
  Tokens tokens = static_cast<Tokens>(input.number(0, 6));
  if (tokens == Tokens::counts) tokens = Tokens::regex;
  Analysis analysis = input.analysis(tokens, 1);
  analysis.folding = folding_of(input, true);
  if (tokens == Tokens::regex)
    analysis.pattern = std::make_shared<const Pattern>(kPatterns[input.number(0, 3)]);
  if (tokens != Tokens::chars && input.flag())
    analysis.stems = std::make_shared<const Stems>(std::vector<std::pair<std::string, std::string>>{
        {"films", "film"}, {"ab", "a much longer stem"}, {"文", "x"}, {"<url>", "link"}});
  WordReader reader(analysis);
  const Documents documents = Documents::of(input, 3);
  for (std::size_t i = 0; i < documents.size(); ++i) {
    check_folding(documents[i], analysis.folding);
    const std::vector<Word> words = words_of(reader, documents[i]);
    WordReader fresh(analysis);
    CHECK(words == words_of(fresh, documents[i]));
    std::size_t last = 0;
    for (const auto& [word, begin, end] : words) {
      CHECK(!word.empty() && reference::is_utf8(word));
      CHECK(last <= begin && begin <= end && end <= documents[i].size());
      last = begin;
    }
  }
  return 0;
}
