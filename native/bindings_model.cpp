// The model file as Python sees it; see bindings.cpp.
#include "bindings.h"
#include "model/arrays.h"
#include "model/container.h"
#include "model/json.h"

namespace wordplane {
namespace {

nb::object to_object(const Json& value) {
  switch (value.kind) {
    case Json::Kind::null:
      return nb::none();
    case Json::Kind::boolean:
      return nb::bool_(value.truth);
    case Json::Kind::integer:
      return value.is_exact ? nb::object(nb::int_(value.whole))
                            : nb::steal(PyLong_FromString(value.text().c_str(), nullptr, 10));
    case Json::Kind::real:
      return nb::float_(value.number);
    case Json::Kind::string:
      return to_str(value.text());
    case Json::Kind::array: {
      nb::list list;
      for (const Json& entry : value.entries()) list.append(to_object(entry));
      return list;
    }
    case Json::Kind::object: {
      nb::dict object;
      for (std::size_t i = 0; i < value.keys().size(); ++i)
        object[to_str(value.keys()[i])] = to_object(value.entries()[i]);
      return object;
    }
  }
  return nb::none();
}

// A view of the file's content, if it lies there as numbers do in memory.
template <class T>
nb::object to_array(const Arrays& arrays, const std::string& name, nb::handle content) {
  const StoredArray& stored = arrays[name];
  const auto* const data = reinterpret_cast<const T*>(stored.bytes.data());
  const bool is_aligned = reinterpret_cast<std::uintptr_t>(data) % alignof(T) == 0;
  if (is_aligned && !arrays.is_packed())
    return nb::cast(NumPy<const T>(data, stored.shape.size(), stored.shape.data(), content));
  auto* const held = new std::vector<T>(arrays.values<T>(name));
  nb::capsule owner(held, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::cast(NumPy<T>(held->data(), stored.shape.size(), stored.shape.data(), owner));
}

nb::object to_array(const Arrays& arrays, const std::string& name, nb::handle content) {
  switch (arrays[name].type) {
    case ArrayType::int8:
      return to_array<std::int8_t>(arrays, name, content);
    case ArrayType::uint8:
      return to_array<std::uint8_t>(arrays, name, content);
    case ArrayType::int32:
      return to_array<std::int32_t>(arrays, name, content);
    case ArrayType::uint32:
      return to_array<std::uint32_t>(arrays, name, content);
    case ArrayType::int64:
      return to_array<std::int64_t>(arrays, name, content);
    case ArrayType::float32:
      return to_array<float>(arrays, name, content);
    case ArrayType::float64:
      return to_array<double>(arrays, name, content);
  }
  return nb::none();
}

// A file whose header is right.
struct ModelFile {
  explicit ModelFile(nb::bytes content) : content(std::move(content)) { check_header(bytes()); }

  std::string_view bytes() const { return {content.c_str(), content.size()}; }

  nb::bytes content;
};

// What is read without Python.
struct FileParts {
  explicit FileParts(std::string_view content)
      : payload(open_payload(content)),
        arrays(payload),
        metadata(parse_json(arrays.document(), "the metadata")) {}

  Payload payload;
  Arrays arrays;
  Json metadata;
};

std::tuple<nb::dict, nb::object> read_parts(const ModelFile& file) {
  const auto parts = [bytes = file.bytes()] {
    nb::gil_scoped_release nogil;
    return std::make_unique<const FileParts>(bytes);
  }();
  nb::dict arrays;
  for (const auto& [name, stored] : parts->arrays.stored())
    arrays[to_str(name)] = to_array(parts->arrays, name, file.content);
  return {std::move(arrays), to_object(parts->metadata)};
}

}  // namespace

void bind_model_file(nb::module_& m) {
  nb::class_<ModelFile>(m, "ModelFile", "The content of a model file, which may be anybody's.")
      .def(nb::init<nb::bytes>(), "content"_a, "The bytes of a file of the current version.")
      .def(
          "is_intact",
          [](const ModelFile& self) {
            const std::string_view bytes = self.bytes();
            nb::gil_scoped_release nogil;
            return is_intact(bytes);
          },
          "Whether the content is what was written, by its length and its SHA-256.")
      .def("read", &read_parts,
           nb::sig("def read(self) -> tuple[dict[str, NDArray[numpy.generic]], object]"),
           "The arrays by name, and the metadata; sizes and types are checked. Arrays may be views "
           "of the content.");
}

}  // namespace wordplane
