// What the files of bindings share: arrays and strings in and out.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
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

inline void require_rows(std::span<const std::int64_t> indptr,
                         std::span<const std::int32_t> indices, std::size_t n_cols) {
  bool valid = !indptr.empty() && indptr[0] == 0 &&
               indptr.back() == static_cast<std::int64_t>(indices.size()) &&
               std::ranges::is_sorted(indptr);
  for (std::size_t e = 0; valid && e < indices.size(); ++e)
    valid = indices[e] >= 0 && static_cast<std::size_t>(indices[e]) < n_cols;
  if (!valid) throw std::invalid_argument("not the rows of a matrix");
}

inline nb::str to_str(std::string_view text) { return nb::str(text.data(), text.size()); }

void bind_texts(nb::module_& m);
void bind_features(nb::module_& m);
void bind_counter(nb::module_& m);
void bind_inner_ngrams(nb::module_& m);
void bind_matrix(nb::module_& m);
void bind_scorer(nb::module_& m);
void bind_weighting(nb::module_& m);
void bind_hashing(nb::module_& m);
void bind_learners(nb::module_& m);
void bind_online(nb::module_& m);

}  // namespace wordplane
