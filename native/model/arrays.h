// The arrays and the metadata of a payload, in safetensors format.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "model/container.h"

namespace wordplane {

enum class ArrayType { int8, uint8, int32, uint32, int64, float32, float64 };

struct StoredArray {
  ArrayType type{};
  std::vector<std::size_t> shape;
  std::string_view bytes;
};

class Arrays {
 public:
  // Throws Refused unless headers and sizes are right. The payload must outlive the arrays.
  explicit Arrays(const Payload& payload);

  bool is_packed() const { return is_packed_; }              // the bytes are in another order
  const std::string& document() const { return document_; }  // the metadata
  const std::map<std::string, StoredArray, std::less<>>& stored() const { return stored_; }
  const StoredArray& operator[](std::string_view name) const;  // throws Refused if it is missing

  // The numbers of an array of the right type.
  template <class T>
  std::vector<T> values(std::string_view name) const;

 private:
  void read_header(std::string_view header, std::string_view data);

  bool is_packed_;
  std::string document_;
  std::map<std::string, StoredArray, std::less<>> stored_;
};

template <class T>
std::vector<T> Arrays::values(std::string_view name) const {
  static_assert(std::endian::native == std::endian::little);
  const StoredArray& array = (*this)[name];
  std::vector<T> values(array.bytes.size() / sizeof(T));
  if (values.empty()) return values;
  if (!is_packed_) {
    std::memcpy(values.data(), array.bytes.data(), array.bytes.size());
    return values;
  }
  // First come the first bytes of all numbers, then their second bytes, and so on.
  auto* const bytes = reinterpret_cast<char*>(values.data());
  for (std::size_t place = 0; place < sizeof(T); ++place)
    for (std::size_t i = 0; i < values.size(); ++i)
      bytes[i * sizeof(T) + place] = array.bytes[place * values.size() + i];
  if constexpr (std::integral<T>) {
    if (array.shape.size() == 1) {  // differences, modulo the range of the type
      std::make_unsigned_t<T> sum = 0;
      for (T& value : values)
        value = static_cast<T>(sum = static_cast<std::make_unsigned_t<T>>(
                                   sum + static_cast<std::make_unsigned_t<T>>(value)));
    }
  }
  return values;
}

}  // namespace wordplane
