// The common case of JSON lines: one object per line, whose values are cut out column by column.
// Python side: data/formats/plain_jsonl.py
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wordplane {

// For each name, the JSON text of its values, one per line, with commas between; null where a line
// lacks the name. Nothing if a line is not such an object, or one that readers of JSON may take
// differently: a name that stands twice or has an escape, an object inside of another, nested
// arrays, NaN and Infinity, numbers of more than 100 characters, half of a surrogate pair. Control
// characters may stand in strings.
//
// data   lines of UTF-8, each with "\n" at its end; that it is UTF-8 is not checked
std::optional<std::vector<std::string>> json_columns(std::string_view data,
                                                     const std::vector<std::string>& names);

}  // namespace wordplane
