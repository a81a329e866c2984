// The vocabulary of a model file. Python side: model/stored_vocabulary.py
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "text/vocabulary.h"

namespace wordplane {

// The vocabulary with n-grams of at most `longest` words or characters. Chains of n-grams must not
// make names out of proportion to the bytes that describe them. Throws std::invalid_argument.
Vocabulary read_vocabulary(std::string_view bytes, std::span<const std::int64_t> word_ends,
                           std::span<const std::uint32_t> firsts,
                           std::span<const std::uint32_t> lasts,
                           std::span<const std::int32_t> columns, Parts parts, std::size_t longest);

}  // namespace wordplane
