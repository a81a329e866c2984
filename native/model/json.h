// JSON that may come from anybody, as a tree of values.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace wordplane {

class Json {
 public:
  enum class Kind { null, boolean, integer, real, string, array, object };

  Kind kind = Kind::null;
  bool truth = false;      // of a boolean
  bool is_exact = false;   // of an integer: it is `whole`
  std::int64_t whole = 0;  // of an integer that fits
  double number = 0;       // of an integer or real, finite

  // Of a string, UTF-8; the digits of an integer that does not fit.
  const std::string& text() const { return nested().text; }
  // Of an array or object.
  const std::vector<Json>& entries() const { return nested().entries; }
  // Of an object, in order, each once.
  const std::vector<std::string>& keys() const { return nested().keys; }

  void set_text(std::string text);
  void set_entries(std::vector<Json> entries, std::vector<std::string> keys = {});

  bool is(Kind other) const { return kind == other; }
  bool is_number() const { return is(Kind::integer) || is(Kind::real); }
  bool is_text() const { return is(Kind::string); }
  bool is_list() const { return is(Kind::array); }
  bool is_object() const { return is(Kind::object); }

  // The value of a key of an object; nullptr if it is not there, or this is not an object.
  const Json* find(std::string_view key) const;

 private:
  // Most values have none: a file of some kilobytes may unpack to millions.
  struct Nested {
    std::string text;
    std::vector<Json> entries;
    std::vector<std::string> keys;
  };
  const Nested& nested() const;

  std::unique_ptr<Nested> nested_;
};

// Throws Refused unless it is one JSON value in UTF-8: each inside at most 100 others, 2^22 values,
// no key twice in an object, no number above the range of double, no half of a surrogate pair.
// `what` the text is stands in the error.
Json parse_json(std::string_view text, std::string_view what);

}  // namespace wordplane
