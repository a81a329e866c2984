#include "learners/labeled_rows.h"

#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

namespace wordplane {

LabeledRows::LabeledRows(const Csr& X, std::span<const std::int32_t> y,
                         std::span<const double> weight, std::size_t n_classes,
                         std::shared_ptr<const void> owner)
    : X(X), y(y), weight(weight), n_classes(n_classes), owner(std::move(owner)) {
  const auto n_rows = static_cast<std::size_t>(X.n_rows());
  const auto require = [&](std::size_t n, const char* what) {
    if (n != n_rows)
      throw std::invalid_argument(std::to_string(n) + " " + what + " for " +
                                  std::to_string(n_rows) + " rows");
  };
  require(y.size(), "labels");
  require(weight.size(), "weights");
  if (n_classes < 1) throw std::invalid_argument("n_classes is 0, expected at least 1");
  for (const std::int32_t k : y)
    if (k < 0 || static_cast<std::size_t>(k) >= n_classes)
      throw std::invalid_argument("a label is " + std::to_string(k) + ", expected 0 to " +
                                  std::to_string(n_classes - 1));
  for (const double w : weight)
    if (!(w >= 0 && std::isfinite(w)))
      throw std::invalid_argument("a weight is " + std::to_string(w) +
                                  ", expected a finite number from 0 up");
}

}  // namespace wordplane
