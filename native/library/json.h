// JSON that may come from anybody, as a tree of values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace wordplane {

class Json {
 public:
  enum class Kind { null, boolean, integer, real, string, array, object };

  Kind kind = Kind::null;
  bool truth = false;             // of a boolean
  bool is_exact = false;          // of an integer: it is `whole`
  std::int64_t whole = 0;         // of an integer
  double number = 0;              // of an integer or real, finite
  std::string text;               // of a string, UTF-8
  std::vector<Json> entries;      // of an array or object
  std::vector<std::string> keys;  // of an object, in order, each once

  bool is(Kind other) const { return kind == other; }
  bool is_number() const { return is(Kind::integer) || is(Kind::real); }
  bool is_text() const { return is(Kind::string); }
  bool is_list() const { return is(Kind::array); }
  bool is_object() const { return is(Kind::object); }

  // The value of a key of an object; nullptr if it is not there, or this is not an object.
  const Json* find(std::string_view key) const;
};

// Throws Refused unless it is one JSON value in UTF-8: at most 100 levels deep and 2^20 values, no
// key twice in an object, no number above the range of double, no half of a surrogate pair.
Json parse_json(std::string_view text);

}  // namespace wordplane
