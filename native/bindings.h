// What the files of bindings share: arrays, strings and numbers of threads, in and out.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace nb = nanobind;
using namespace nb::literals;

namespace wordplane {

// An array that Python passes, of N dimensions, one row after another. Stubs name what it holds.
template <class T, std::size_t N>
struct Array : nb::ndarray<T, nb::ndim<N>, nb::c_contig, nb::device::cpu> {
  using Base = nb::ndarray<T, nb::ndim<N>, nb::c_contig, nb::device::cpu>;
};
template <class T>
using Array1 = Array<T, 1>;
template <class T>
using Array2 = Array<T, 2>;
template <class T>
using NumPy = nb::ndarray<nb::numpy, T>;

template <class T, std::size_t N>
std::span<const T> as_span(const Array<const T, N>& array) {
  return {array.data(), array.size()};
}

// A NumPy array that owns `data`.
template <class T>
NumPy<T> to_numpy(std::vector<T> data, std::initializer_list<std::size_t> shape) {
  auto* held = new std::vector<T>(std::move(data));
  nb::capsule owner(held, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return NumPy<T>(held->data(), shape, owner);
}
template <class T>
NumPy<T> to_numpy(std::vector<T> data) {
  const std::size_t n = data.size();
  return to_numpy(std::move(data), {n});
}

// A NumPy array whose elements are yet to be given.
template <class T>
NumPy<T> empty_numpy(std::initializer_list<std::size_t> shape) {
  std::size_t size = 1;
  for (const std::size_t n : shape) size *= n;
  auto data = std::make_unique_for_overwrite<T[]>(size);
  nb::capsule owner(data.get(), [](void* p) noexcept { delete[] static_cast<T*>(p); });
  return NumPy<T>(data.release(), shape, owner);
}

// Several of them.
template <class... Ts>
std::tuple<NumPy<Ts>...> to_arrays(std::vector<Ts>... data) {
  return {to_numpy(std::move(data))...};
}

// A view of what `owner` holds, and keeps alive.
template <class T>
NumPy<const T> to_view(std::span<const T> values, nb::handle owner) {
  return NumPy<const T>(values.data(), {values.size()}, owner);
}

// Python objects that native code holds on to; let go with the GIL held.
template <class... Objects>
std::shared_ptr<const void> keep_alive(Objects... objects) {
  using Held = std::tuple<Objects...>;
  return std::shared_ptr<const void>(new Held(std::move(objects)...), [](const Held* held) {
    nb::gil_scoped_acquire gil;
    delete held;
  });
}

// How many threads the caller grants: an int that was in range when it came from Python. More than
// kMost would only cost memory.
struct Threads {
  static constexpr int kMost = 1024;
  int n;
  operator int() const { return n; }
};

inline void require(bool holds, const char* otherwise) {
  if (!holds) throw std::invalid_argument(otherwise);
}

inline void require_size(std::size_t found, std::size_t expected, const char* what) {
  if (found != expected)
    throw std::invalid_argument(std::to_string(found) + " " + what + ", expected " +
                                std::to_string(expected));
}

// A list of objects comes as pointers, and None among them as a null pointer.
template <class T>
void require_all(const std::vector<const T*>& objects, const char* what) {
  for (const T* object : objects)
    if (!object) throw nb::type_error(what);
}

// Classes are numbered by 32 bits, so that products with numbers of columns do not overflow.
inline void require_classes(std::size_t n_classes) {
  require(n_classes <= 0x7FFFFFFF, "more than 2,147,483,647 classes");
}

inline void require_rows(std::span<const std::int64_t> indptr,
                         std::span<const std::int32_t> indices, std::size_t n_cols) {
  bool valid = !indptr.empty() && indptr[0] == 0 &&
               indptr.back() == static_cast<std::int64_t>(indices.size()) &&
               std::ranges::is_sorted(indptr);
  for (std::size_t e = 0; valid && e < indices.size(); ++e)
    valid = indices[e] >= 0 && static_cast<std::size_t>(indices[e]) < n_cols;
  require(valid, "not the rows of a matrix");
}

inline nb::str to_str(std::string_view text) { return nb::str(text.data(), text.size()); }

void bind_texts(nb::module_& m);
void bind_analysis(nb::module_& m);
void bind_features(nb::module_& m);
void bind_counter(nb::module_& m);
void bind_inner_ngrams(nb::module_& m);
void bind_matrix(nb::module_& m);
void bind_weighting(nb::module_& m);
void bind_scorer(nb::module_& m);
void bind_hashing(nb::module_& m);
void bind_search(nb::module_& m);
void bind_learners(nb::module_& m);
void bind_online(nb::module_& m);
void bind_svm(nb::module_& m);
void bind_logistic(nb::module_& m);
void bind_text_blocks(nb::module_& m);
void bind_fasttext(nb::module_& m);
void bind_model_file(nb::module_& m);

}  // namespace wordplane

namespace nanobind::detail {

template <class T, std::size_t N>
struct type_caster<wordplane::Array<T, N>> {
  using Array = wordplane::Array<T, N>;
  NB_TYPE_CASTER(Array, const_name("numpy.ndarray[") + dtype_name<T>::name + const_name("]"))

  bool from_python(handle source, uint32_t flags, cleanup_list* cleanup) noexcept {
    make_caster<typename Array::Base> array;
    if (!array.from_python(source, flags, cleanup)) return false;
    value = {std::move(array.value)};
    return true;
  }
};

template <>
struct type_caster<wordplane::Threads> {
  static constexpr auto Name = const_name("int");
  using Value = wordplane::Threads;
  template <class>
  using Cast = Value;

  bool from_python(handle source, uint32_t flags, cleanup_list* cleanup) noexcept {
    make_caster<int> number;
    if (!number.from_python(source, flags, cleanup)) return false;
    n = number.value;
    return true;
  }
  explicit operator Value() const {
    if (n < 1 || n > Value::kMost)
      throw std::invalid_argument("threads is " + std::to_string(n) + ", expected 1 to " +
                                  std::to_string(Value::kMost));
    return {n};
  }

  int n;
};

}  // namespace nanobind::detail
