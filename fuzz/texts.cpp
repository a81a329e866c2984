// Bytes as a column of texts: which are UTF-8, where lines end, what is blank, lower case.
#include "text/texts.h"

#include "input.h"
#include "reference.h"

using namespace wordplane;

namespace {

std::vector<std::string> lines(std::string_view data) {
  std::vector<std::string> lines;
  for (std::string line; !data.empty(); line.clear()) {
    while (!data.empty() && data[0] != '\n') {
      line += data[0];
      data.remove_prefix(1);
    }
    if (!data.empty() && line.ends_with('\r')) line.pop_back();
    if (!data.empty()) data.remove_prefix(1);
    lines.push_back(line);
  }
  return lines;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<char> bytes(data, data + size);
  const std::string_view all(bytes.data(), size);
  const std::size_t valid = valid_utf8_prefix(all);
  CHECK(valid <= size && reference::is_utf8(all.substr(0, valid)));
  CHECK((valid == size) == reference::is_utf8(all));
  for (std::size_t n = valid + 1; n <= std::min(valid + 4, size); ++n)
    CHECK(!reference::is_utf8(all.substr(0, n)));

  const std::vector<std::string> expected = lines(all);
  try {
    const Texts texts = Texts::from_lines(all, nullptr);
    CHECK(valid == size && texts.size() == expected.size());
    std::vector<std::size_t> blank;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      CHECK(texts[i] == expected[i]);
      const auto letters = reference::letters(texts[i]);
      const auto white = [](const auto& letter) { return letter.is(kWhite); };
      if (std::ranges::all_of(letters, white)) blank.push_back(i);
    }
    CHECK(texts.blank() == blank);
  } catch (const std::invalid_argument&) {
    CHECK(valid < size);
  }
  if (valid == size) {
    std::string lowered;
    lower(all, lowered);
    CHECK(lowered == reference::lower(all));
  }
  return 0;
}
