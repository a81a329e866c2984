// The next lines of a file of which each line is a document.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

namespace wordplane {

struct Lines {
  std::size_t end = 0, n = 0;        // where the last of them ends, and how many they are
  std::vector<std::size_t> blank{};  // which of them are empty or white space
};

// At most `most` lines of `data`, from the byte `begin` on. The last one needs no end.
inline Lines next_lines(std::string_view data, std::size_t begin, std::size_t most) {
  const auto is_white = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
  Lines lines{begin};
  while (lines.end < data.size() && lines.n < most) {
    const std::size_t end = std::min(data.find('\n', lines.end), data.size() - 1) + 1;
    if (std::ranges::all_of(data.substr(lines.end, end - lines.end), is_white))
      lines.blank.push_back(lines.n);
    lines.end = end;
    ++lines.n;
  }
  return lines;
}

}  // namespace wordplane
