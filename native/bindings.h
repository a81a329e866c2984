// What both files of bindings use: arrays in and out.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace nb = nanobind;
using namespace nb::literals;

namespace wordplane {

template <class T>
using Array1 = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Array2 = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using NumPy = nb::ndarray<nb::numpy, T>;

template <class T>
std::span<const T> as_span(const Array1<const T>& array) {
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

inline void require_size(std::size_t found, std::size_t expected, const char* what) {
  if (found != expected)
    throw std::invalid_argument(std::to_string(found) + " " + what + ", expected " +
                                std::to_string(expected));
}

void bind_learners(nb::module_& m);

}  // namespace wordplane
