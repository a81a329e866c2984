#include "model/arrays.h"

#include <algorithm>
#include <limits>

#include "model/json.h"
#include "model/refusal.h"

namespace wordplane {

namespace {

constexpr std::size_t kMaxSafetensorsHeader = 100'000'000;  // as safetensors has it

void require_arrays(bool holds, const char* otherwise) {
  if (!holds) refuse("arrays cannot be read: " + std::string(otherwise));
}

struct NamedType {
  std::string_view name;
  ArrayType type;
  std::size_t size;
};

const NamedType* type_named(std::string_view name) {
  static constexpr NamedType kTypes[] = {
      {"I8", ArrayType::int8, 1},    {"U8", ArrayType::uint8, 1},  {"I32", ArrayType::int32, 4},
      {"U32", ArrayType::uint32, 4}, {"I64", ArrayType::int64, 8}, {"F32", ArrayType::float32, 4},
      {"F64", ArrayType::float64, 8}};
  const auto found = std::ranges::find(kTypes, name, &NamedType::name);
  return found == std::end(kTypes) ? nullptr : found;
}

std::size_t size_from(const Json& number) {
  const bool is_size =
      number.is(Json::Kind::integer) && number.is_exact && number.whole >= 0 &&
      static_cast<std::uint64_t>(number.whole) <= std::numeric_limits<std::size_t>::max();
  require_arrays(is_size, "a size is not a whole number");
  return static_cast<std::size_t>(number.whole);
}

struct Placed {
  std::size_t begin, end;
  StoredArray array;
};

Placed read_entry(const Json& entry, std::string_view data) {
  const Json *dtype = entry.find("dtype"), *shape = entry.find("shape"),
             *offsets = entry.find("data_offsets");
  require_arrays(entry.is_object() && entry.keys().size() == 3 && dtype && shape && offsets &&
                     dtype->is_text() && shape->is_list() && offsets->is_list() &&
                     offsets->entries().size() == 2,
                 "each needs a dtype, a shape and two data_offsets");
  const NamedType* const type = type_named(dtype->text());
  require_arrays(type != nullptr, "one is of a type that no array of a model has");
  Placed placed{size_from(offsets->entries()[0]), size_from(offsets->entries()[1]), {}};
  placed.array.type = type->type;
  require_arrays(placed.begin <= placed.end && placed.end <= data.size(),
                 "one is outside the payload");
  placed.array.bytes = data.substr(placed.begin, placed.end - placed.begin);
  std::size_t n_bytes = type->size;
  for (const Json& length : shape->entries()) {
    const std::size_t n = size_from(length);
    require_arrays(n == 0 || n_bytes <= std::numeric_limits<std::size_t>::max() / n,
                   "a shape is too large");
    n_bytes *= n;
    placed.array.shape.push_back(n);
  }
  require_arrays(n_bytes == placed.array.bytes.size(), "one has another size than its shape");
  return placed;
}

}  // namespace

Arrays::Arrays(const Payload& payload) : is_packed_(payload.is_packed) {
  const std::string_view bytes = payload.bytes;
  std::uint64_t length = 0;
  if (bytes.size() >= 8) std::memcpy(&length, bytes.data(), 8);
  require_arrays(bytes.size() >= 8 && length <= kMaxSafetensorsHeader && length <= bytes.size() - 8,
                 "their header is cut off");
  const auto size = static_cast<std::size_t>(length);
  read_header(bytes.substr(8, size), bytes.substr(8 + size));
}

void Arrays::read_header(std::string_view header, std::string_view data) {
  const Json entries = parse_json(header, "the header of the arrays");
  require_arrays(header.starts_with('{'), "their header is not an object");
  std::vector<std::pair<std::size_t, std::size_t>> ranges;
  for (std::size_t i = 0; i < entries.keys().size(); ++i) {
    if (entries.keys()[i] == "__metadata__") {
      const Json& texts = entries.entries()[i];
      require_arrays(
          texts.find("wordplane") && texts.keys().size() == 1 && texts.entries()[0].is_text(),
          "the metadata are not one text");
      document_ = texts.entries()[0].text();
      continue;
    }
    Placed placed = read_entry(entries.entries()[i], data);
    ranges.emplace_back(placed.begin, placed.end);
    stored_.emplace(entries.keys()[i], std::move(placed.array));
  }
  require_arrays(!document_.empty(), "the metadata are missing");
  std::ranges::sort(ranges);
  std::size_t end = 0;
  for (const auto& [begin, own_end] : ranges) {
    require_arrays(begin == end, "there are bytes of two of them, or of none");
    end = own_end;
  }
  require_arrays(end == data.size(), "there are bytes behind the last");
}

const StoredArray& Arrays::operator[](std::string_view name) const {
  const auto found = stored_.find(name);
  if (found == stored_.end()) refuse("the array " + std::string(name) + " is missing");
  return found->second;
}

}  // namespace wordplane
