// Byte offsets of a text as offsets of characters, as Python counts them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace wordplane {

class CharOffsets {
 public:
  explicit CharOffsets(std::string_view text) : chars_before_(text.size() + 1) {
    for (std::size_t i = 0; i < text.size(); ++i)
      chars_before_[i + 1] =
          chars_before_[i] + ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80);
    // A character starts at its lead byte: count it only once it is over.
    for (std::size_t i = text.size(); i-- > 0;)
      if ((static_cast<unsigned char>(text[i]) & 0xC0) == 0x80) chars_before_[i] -= 1;
  }
  std::int64_t operator()(std::size_t byte) const { return chars_before_[byte]; }

 private:
  std::vector<std::int64_t> chars_before_;
};

}  // namespace wordplane
