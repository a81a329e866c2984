#include "features/weighting.h"

#include <algorithm>
#include <string>

#include "common/parallel.h"

namespace wordplane {

namespace {

// Written once per formula, so that the choice is made outside the loop over the values.
template <class Value>
void apply_tf(Tf tf, double length, std::span<const Value> in, Value* out) {
  const auto each = [&](auto formula) {
    std::ranges::transform(in, out, [&](Value x) { return x == 0 ? x : formula(x); });
  };
  switch (tf) {
    case Tf::count:
      if (out != in.data()) std::ranges::copy(in, out);
      break;
    case Tf::binary:
      each([](Value) { return Value(1); });
      break;
    case Tf::relative:
      if (length == 0) throw std::invalid_argument("its length is 0, but it has counts");
      each([&](Value x) { return static_cast<Value>(static_cast<double>(x) / length); });
      break;
    case Tf::log1p:
      each([](Value x) { return std::log1p(x); });
      break;
    case Tf::log:
      each([](Value x) { return x == 1 ? x : std::log(x) + Value(1); });
      break;
  }
}

template <class Value>
double sum(std::span<const Value> row) {
  double total = 0;
  for (const Value x : row) total += static_cast<double>(x);
  return total;
}

}  // namespace

Tf tf_named(const std::string& name) {
  if (name == "count") return Tf::count;
  if (name == "binary") return Tf::binary;
  if (name == "relative") return Tf::relative;
  if (name == "log1p") return Tf::log1p;
  if (name == "log") return Tf::log;
  throw std::invalid_argument("tf is '" + name +
                              "', expected count, binary, relative, log1p or log");
}

Norm norm_named(const std::optional<std::string>& name) {
  if (!name) return Norm::none;
  if (*name == "l1") return Norm::l1;
  if (*name == "l2") return Norm::l2;
  throw std::invalid_argument("norm is '" + *name + "', expected l1, l2 or None");
}

// Every worker counts some of the columns, which stand together in rows that are sorted.
void add_document_frequency(const Csr& X, const std::int32_t* y, std::int64_t* df, int threads) {
  const auto indptr = X.indptr();
  const auto n_ranges = X.sorted() ? std::max(threads, 1) : 1;
  parallel_for(static_cast<std::size_t>(n_ranges), threads, [&](std::size_t range, int) {
    const auto first_of = [&](std::size_t r) {
      return X.n_cols() * static_cast<std::int64_t>(r) / n_ranges;
    };
    const std::int64_t first = first_of(range), last = first_of(range + 1);
    for (std::size_t i = 0; i + 1 < indptr.size(); ++i) {
      const std::int32_t* at = X.indices().data() + indptr[i];
      const std::int32_t* end = X.indices().data() + indptr[i + 1];
      if (range > 0) at = std::lower_bound(at, end, first);
      std::int64_t* of_class = df + y[i] * X.n_cols();
      for (; at != end && *at < last; ++at) ++of_class[*at];
    }
  });
}

template <class Value>
void weigh(const Csr& X, Tf tf, std::span<const double> lengths, std::span<const double> idf,
           Norm norm, Value* out, int threads) {
  constexpr std::size_t kRowsPerJob = 256;
  const auto n_rows = static_cast<std::size_t>(X.n_rows());
  const auto indptr = X.indptr();
  const auto indices = X.indices();
  const auto values = std::get<std::span<const Value>>(X.values());

  const auto weigh_row = [&](std::size_t i) {
    const auto begin = static_cast<std::size_t>(indptr[i]);
    const auto in = values.subspan(begin, static_cast<std::size_t>(indptr[i + 1]) - begin);
    const std::span<Value> row(out + begin, in.size());
    if (in.empty()) return;
    if ((tf == Tf::log || tf == Tf::log1p) &&
        std::ranges::any_of(in, [](Value x) { return x < 0; }))
      throw std::invalid_argument("a count below 0 has no logarithm");
    const double length = tf != Tf::relative ? 1 : lengths.empty() ? sum(in) : lengths[i];
    apply_tf(tf, length, in, row.data());
    if (!idf.empty())
      for (std::size_t e = 0; e < row.size(); ++e)
        row[e] = static_cast<Value>(static_cast<double>(row[e]) *
                                    idf[static_cast<std::size_t>(indices[begin + e])]);
    if (norm == Norm::none) return;
    const double size = norm_of(std::span<const Value>(row), norm);
    if (!std::isfinite(size))
      throw std::invalid_argument("its norm is not finite: a weight is infinity or NaN");
    normalize(row, size);
  };
  parallel_for((n_rows + kRowsPerJob - 1) / kRowsPerJob, threads, [&](std::size_t job, int) {
    for (std::size_t i = job * kRowsPerJob; i < std::min((job + 1) * kRowsPerJob, n_rows); ++i) {
      try {
        weigh_row(i);
      } catch (const std::invalid_argument& error) {
        throw std::invalid_argument("row " + std::to_string(i) + ": " + error.what());
      }
    }
  });
}

template void weigh(const Csr&, Tf, std::span<const double>, std::span<const double>, Norm, float*,
                    int);
template void weigh(const Csr&, Tf, std::span<const double>, std::span<const double>, Norm, double*,
                    int);

}  // namespace wordplane
