// The only file that knows Python: arguments in, results out, the GIL released in between.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include "arrow.h"
#include "texts.h"
#include "unicode.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace wordplane {
namespace {

template <class T>
using Array1 = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Python objects that native code holds on to; let go with the GIL held.
std::shared_ptr<const void> keep_alive(nb::object object) {
  return std::shared_ptr<const void>(object.release().ptr(), [](const void* held) {
    nb::gil_scoped_acquire gil;
    Py_DECREF(static_cast<PyObject*>(const_cast<void*>(held)));
  });
}

struct StringList {
  nb::object strings;              // a tuple, so that nobody changes it under us
  std::vector<std::string> encoded;  // UTF-8 of those that are not ASCII
  ~StringList() {
    nb::gil_scoped_acquire gil;
    strings.reset();
  }
};

// ASCII strings are read in place; others are encoded beside, so that Python does
// not keep a second copy of every string for as long as the string lives.
Texts texts_from_list(nb::sequence sequence) {
  auto list = std::make_shared<StringList>();
  list->strings = nb::steal(PySequence_Tuple(sequence.ptr()));
  if (!list->strings.is_valid()) throw nb::python_error();
  const Py_ssize_t n = PyTuple_GET_SIZE(list->strings.ptr());
  std::vector<std::string_view> rows;
  rows.reserve(static_cast<std::size_t>(n));
  std::vector<std::size_t> encoded_rows;
  for (Py_ssize_t i = 0; i < n; ++i) {
    PyObject* item = PyTuple_GET_ITEM(list->strings.ptr(), i);
    if (!PyUnicode_Check(item))
      throw nb::type_error(("document " + std::to_string(i) + " is " +
                            nb::cast<std::string>(nb::repr(nb::handle(item)).attr("__getitem__")(
                                nb::slice(0, 60))) +
                            ", expected a string")
                               .c_str());
    const auto length = static_cast<std::size_t>(PyUnicode_GET_LENGTH(item));
    if (PyUnicode_IS_ASCII(item)) {
      rows.emplace_back(reinterpret_cast<const char*>(PyUnicode_1BYTE_DATA(item)), length);
      continue;
    }
    std::string utf8;
    utf8.reserve(length + length / 2);
    const int kind = PyUnicode_KIND(item);
    const void* data = PyUnicode_DATA(item);
    for (std::size_t k = 0; k < length; ++k) {
      const char32_t cp = PyUnicode_READ(kind, data, static_cast<Py_ssize_t>(k));
      if (cp >= 0xD800 && cp < 0xE000)
        throw nb::value_error(("document " + std::to_string(i) +
                               " has a lone surrogate at character " + std::to_string(k) +
                               "; it was decoded wrongly: decode it as UTF-8 or replace it")
                                  .c_str());
      encode(cp, utf8);
    }
    list->encoded.push_back(std::move(utf8));
    encoded_rows.push_back(rows.size());
    rows.emplace_back();
  }
  for (std::size_t k = 0; k < encoded_rows.size(); ++k) rows[encoded_rows[k]] = list->encoded[k];
  nb::gil_scoped_release nogil;
  return Texts(std::move(rows), std::move(list));
}

Texts make_texts(nb::object source) {
  if (nb::isinstance<Texts>(source)) return nb::cast<Texts>(source);
  if (nb::hasattr(source, "__arrow_c_stream__")) {
    nb::object capsule = source.attr("__arrow_c_stream__")();
    auto* stream =
        static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule.ptr(), "arrow_array_stream"));
    if (!stream) throw nb::python_error();
    return Texts::from_arrow(stream);
  }
  if (nb::isinstance<nb::list>(source) || nb::isinstance<nb::tuple>(source))
    return texts_from_list(nb::borrow<nb::sequence>(source));
  throw nb::type_error("expected a list of strings or an Arrow column of strings");
}

nb::str to_str(std::string_view text) { return nb::str(text.data(), text.size()); }

void bind_texts(nb::module_& m) {
  nb::class_<Texts>(m, "Texts",
                    "A column of documents, held as UTF-8: from a list of strings or an Arrow "
                    "column of strings. Indexing gives Python strings.")
      .def("__init__", [](Texts* self, nb::object source) { new (self) Texts(make_texts(source)); },
           "source"_a)
      .def_static(
          "from_lines",
          [](nb::bytes data) {
            const std::string_view view(data.c_str(), data.size());
            auto owner = keep_alive(data);
            nb::gil_scoped_release nogil;
            return Texts::from_lines(view, std::move(owner));
          },
          "data"_a, "One document per line of UTF-8.")
      .def("__len__", &Texts::size)
      .def("__getitem__",
           [](const Texts& self, Py_ssize_t i) {
             const auto n = static_cast<Py_ssize_t>(self.size());
             if (i < 0) i += n;
             if (i < 0 || i >= n) throw nb::index_error("no such document");
             return to_str(self[static_cast<std::size_t>(i)]);
           })
      .def(
          "take",
          [](const Texts& self, Array1<std::int64_t> rows) {
            return self.take(rows.data(), rows.size());
          },
          "rows"_a, "The documents at these row numbers, in that order.");
}

}  // namespace

NB_MODULE(_core, m) {
  nb::set_leak_warnings(false);
  m.attr("unicode_version") = kUnicodeVersion;
  m.def(
      "lower",
      [](std::string_view text) {
        std::string out;
        lower(text, out);
        return to_str(out);
      },
      "text"_a, "str.lower() as the core computes it.");
  bind_texts(m);
}

}  // namespace wordplane
