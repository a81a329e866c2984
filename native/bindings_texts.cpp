// Columns of texts as Python sees them; see bindings.cpp.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "text/arrow.h"
#include "text/csv_rows.h"
#include "text/json_lines.h"
#include "text/texts.h"
#include "text/unicode.h"

namespace wordplane {
namespace {

struct StringList {
  nb::object strings;                // a tuple, so that nobody changes it under us
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
  std::vector<char> room;
  constexpr Py_ssize_t kAhead = 16;  // strings lie anywhere: how far ahead their heads are fetched
  for (Py_ssize_t i = 0; i < n; ++i) {
    if (i + kAhead < n) __builtin_prefetch(PyTuple_GET_ITEM(list->strings.ptr(), i + kAhead));
    PyObject* item = PyTuple_GET_ITEM(list->strings.ptr(), i);
    if (!PyUnicode_Check(item))
      throw nb::type_error(
          ("document " + std::to_string(i) + " is " +
           nb::cast<std::string>(nb::repr(nb::handle(item)).attr("__getitem__")(nb::slice(0, 60))) +
           ", expected a string")
              .c_str());
    const auto length = static_cast<std::size_t>(PyUnicode_GET_LENGTH(item));
    if (PyUnicode_IS_ASCII(item)) {
      rows.emplace_back(reinterpret_cast<const char*>(PyUnicode_1BYTE_DATA(item)), length);
      continue;
    }
    const auto encoded = [&](const auto* characters) {
      const std::span cps(characters, length);
      const auto surrogate = [](char32_t cp) { return cp >= 0xD800 && cp < 0xE000; };
      if (const auto found = std::ranges::find_if(cps, surrogate); found != cps.end())
        throw nb::value_error(("document " + std::to_string(i) +
                               " has a lone surrogate at character " +
                               std::to_string(found - cps.begin()) +
                               "; it was decoded wrongly: decode it as UTF-8 or replace it")
                                  .c_str());
      if (room.size() < 4 * length) room.resize(4 * length);
      return std::string(room.data(), encode(cps, room.data()));
    };
    const int kind = PyUnicode_KIND(item);
    list->encoded.push_back(kind == PyUnicode_1BYTE_KIND   ? encoded(PyUnicode_1BYTE_DATA(item))
                            : kind == PyUnicode_2BYTE_KIND ? encoded(PyUnicode_2BYTE_DATA(item))
                                                           : encoded(PyUnicode_4BYTE_DATA(item)));
    encoded_rows.push_back(rows.size());
    rows.emplace_back();
  }
  for (std::size_t k = 0; k < encoded_rows.size(); ++k) rows[encoded_rows[k]] = list->encoded[k];
  return Texts::from_valid(std::move(rows), std::move(list));
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
  if (nb::hasattr(source, "__arrow_c_array__")) {
    nb::object capsules = source.attr("__arrow_c_array__")();
    const auto pointer = [](nb::object capsule, const char* name) {
      void* held = PyCapsule_GetPointer(capsule.ptr(), name);
      if (!held) throw nb::python_error();
      return held;
    };
    return Texts::from_arrow(static_cast<ArrowSchema*>(pointer(capsules[0], "arrow_schema")),
                             static_cast<ArrowArray*>(pointer(capsules[1], "arrow_array")));
  }
  if (nb::isinstance<nb::list>(source) || nb::isinstance<nb::tuple>(source))
    return texts_from_list(nb::borrow<nb::sequence>(source));
  throw nb::type_error("expected a list of strings or an Arrow column of strings");
}

void bind_conversion(nb::class_<Texts>& texts) {
  texts
      .def(
          "__init__", [](Texts* self, nb::object source) { new (self) Texts(make_texts(source)); },
          "source"_a, "source: a list or tuple of strings, an Arrow column, or other Texts.")
      .def_static(
          "from_lines",
          [](nb::bytes data) {
            const std::string_view view(data.c_str(), data.size());
            auto owner = keep_alive(data);
            nb::gil_scoped_release nogil;
            return Texts::from_lines(view, std::move(owner));
          },
          "data"_a, "One document per line of UTF-8.")
      .def_static(
          "join",
          [](const std::vector<const Texts*>& parts) {
            require_all(parts, "a part is None, expected Texts");
            return Texts::join(parts);
          },
          "parts"_a, "The documents of all parts, one after another.")
      .def_static(
          "from_arrays",
          [](Array1<const std::uint8_t> bytes, Array1<const std::int64_t> ends) {
            std::vector<std::string_view> rows;
            std::int64_t begin = 0;
            for (const std::int64_t end : as_span(ends)) {
              require(begin <= end && end <= static_cast<std::int64_t>(bytes.size()),
                      "ends of documents out of range");
              rows.emplace_back(reinterpret_cast<const char*>(bytes.data()) + begin,
                                static_cast<std::size_t>(end - begin));
              begin = end;
            }
            return Texts(std::move(rows), keep_alive(bytes));
          },
          "bytes"_a, "ends"_a, "Documents of UTF-8 that end so within the bytes.")
      .def(
          "arrays",
          [](const Texts& self, std::size_t begin, std::size_t end) {
            require(begin <= end && end <= self.size(), "documents out of range");
            std::vector<std::uint8_t> bytes;
            std::vector<std::int64_t> ends;
            for (std::size_t row = begin; row < end; ++row) {
              bytes.insert(bytes.end(), self[row].begin(), self[row].end());
              ends.push_back(static_cast<std::int64_t>(bytes.size()));
            }
            return to_arrays(std::move(bytes), std::move(ends));
          },
          "begin"_a, "end"_a, "The bytes of documents begin .. end-1, and their ends.");
}

void bind_documents(nb::class_<Texts>& texts) {
  texts.def("blank", &Texts::blank, "Which documents are empty or white space.")
      .def("__len__", &Texts::size)
      .def("__getitem__",
           [](const Texts& self, Py_ssize_t i) {
             const auto n = static_cast<Py_ssize_t>(self.size());
             if (i < 0) i += n;
             if (i < 0 || i >= n) throw nb::index_error("no such document");
             return to_str(self[static_cast<std::size_t>(i)]);
           })
      .def("__iter__",
           [](nb::handle_t<Texts> self) {
             return nb::steal<nb::typed<nb::iterator, nb::str>>(PySeqIter_New(self.ptr()));
           })
      .def(
          "batch_end",
          [](const Texts& self, std::size_t begin, std::size_t bytes) {
            require(begin <= self.size(), "a run of documents begins behind the last");
            return self.batch_end(begin, bytes);
          },
          "begin"_a, "bytes"_a,
          "The end of a run of documents from `begin` that holds about this many bytes.")
      .def(
          "take",
          [](const Texts& self, Array1<const std::int64_t> rows) {
            return self.take(rows.data(), rows.size());
          },
          "rows"_a, "The documents at these row numbers, in that order.");
}

using CsvColumns = std::tuple<std::vector<Texts>, NumPy<std::int64_t>, std::size_t, std::int64_t>;

std::optional<CsvColumns> csv_columns(nb::bytes data, char delimiter, std::size_t n_fields,
                                      std::vector<std::size_t> columns, std::size_t most_rows,
                                      bool is_end) {
  const std::string_view view(data.c_str(), data.size());
  auto bytes = keep_alive(data);
  std::optional<CsvRows> rows;
  std::vector<Texts> texts;
  {
    nb::gil_scoped_release nogil;
    rows = csv_rows(view, {delimiter, n_fields, std::move(columns)}, most_rows, is_end);
    if (rows) {
      const auto owner =
          std::make_shared<std::pair<std::shared_ptr<const void>, std::shared_ptr<const void>>>(
              std::move(bytes), rows->unquoted);
      for (auto& column : rows->columns)
        texts.push_back(Texts::from_valid(std::move(column), owner));
    }
  }
  if (!rows) return std::nullopt;
  return CsvColumns(std::move(texts), to_numpy(std::move(rows->lines)), rows->n_bytes,
                    rows->n_lines);
}

void bind_columns_of_files(nb::module_& m) {
  m.def("csv_columns", &csv_columns, "data"_a, "delimiter"_a, "n_fields"_a, "columns"_a,
        "most_rows"_a, "is_end"_a,
        "Of the first rows of CSV: the texts of these columns, the number of lines that end before "
        "each row, and the numbers of bytes and lines of these rows; None if a row is unusual.");

  m.def(
      "json_columns",
      [](nb::bytes data, const std::vector<nb::bytes>& names) {
        std::vector<std::string> wanted;
        for (const nb::bytes& name : names) wanted.emplace_back(name.c_str(), name.size());
        std::optional<std::vector<std::string>> columns;
        {
          nb::gil_scoped_release nogil;
          columns = json_columns({data.c_str(), data.size()}, wanted);
        }
        std::optional<std::vector<nb::bytes>> found;
        if (columns) {
          found.emplace();
          for (std::string& column : *columns) {
            found->emplace_back(column.data(), column.size());
            column = {};
          }
        }
        return found;
      },
      "data"_a, "names"_a,
      "The JSON of the values of each name in lines of JSON, with commas between them; None if a "
      "line is unusual.");
}

}  // namespace

void bind_texts(nb::module_& m) {
  nb::class_<Texts> texts(
      m, "Texts",
      "A column of documents, held as UTF-8: from a list of strings or an Arrow "
      "column of strings. Indexing gives Python strings.");
  bind_conversion(texts);
  bind_documents(texts);
  bind_columns_of_files(m);
}

}  // namespace wordplane
