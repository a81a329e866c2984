// From counts to the values that learners and scorers see, group by group of the features:
//
//   v_j = weight_g tf(x_j) idf_j / norm of all tf(x) idf of the group g in the row
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include "common/parallel.h"
#include "features/weighting.h"
#include "text/tokenizer.h"

namespace wordplane {

struct GroupWeights {
  Tf tf = Tf::count;
  Norm norm = Norm::none;
  std::vector<double> idf;           // by column; none: all 1
  std::vector<std::int32_t> starts;  // the first column of every group, then the number of columns
  std::vector<double> weights;       // by group
  std::optional<Analysis> tokens;    // what relative counts are relative to the number of

  void check() const {
    const bool ascending = std::ranges::is_sorted(starts) && !starts.empty() && starts[0] == 0;
    if (!ascending || weights.size() + 1 != starts.size() ||
        (!idf.empty() && idf.size() != static_cast<std::size_t>(starts.back())))
      throw std::invalid_argument("groups from column 0 on, with a weight each, expected");
    if ((tf == Tf::relative) != tokens.has_value())
      throw std::invalid_argument("tokens expected for relative counts, and for no others");
  }

  // One row of counts, by ascending column, which become values. `length` is the number of tokens
  // of the text if counts are relative, else anything.
  template <class Value>
  void weigh(std::span<const std::int32_t> columns, Value* values, double length) const {
    std::size_t begin = 0;
    for (std::size_t g = 0; g < weights.size() && begin < columns.size(); ++g) {
      std::size_t end = begin;
      for (; end < columns.size() && columns[end] < starts[g + 1]; ++end) {
        const double x = of_count(static_cast<double>(values[end]), length);
        const auto j = static_cast<std::size_t>(columns[end]);
        values[end] = static_cast<Value>(idf.empty() ? x : x * idf[j]);
      }
      const std::span<Value> group(values + begin, end - begin);
      const double norm_here = norm == Norm::none ? 1.0 : norm_of<Value>(group, norm);
      if (norm_here > 0)
        for (Value& v : group)
          v = static_cast<Value>(weights[g] * static_cast<double>(v) / norm_here);
      begin = end;
    }
  }

  void weigh_rows(std::span<const std::int64_t> indptr, std::span<const std::int32_t> columns,
                  float* values, std::span<const double> lengths, int threads) const {
    constexpr std::size_t kRowsPerJob = 1024;
    const std::size_t n_rows = indptr.size() - 1;
    parallel_for((n_rows + kRowsPerJob - 1) / kRowsPerJob, threads, [&](std::size_t job, int) {
      for (std::size_t i = job * kRowsPerJob; i < std::min((job + 1) * kRowsPerJob, n_rows); ++i) {
        const auto begin = static_cast<std::size_t>(indptr[i]);
        weigh(columns.subspan(begin, static_cast<std::size_t>(indptr[i + 1]) - begin),
              values + begin, tokens ? lengths[i] : 1);
      }
    });
  }

 private:
  double of_count(double x, double length) const {
    if (tf == Tf::binary) return 1;
    if (tf == Tf::relative) return x / std::max(length, 1.0);
    if (tf == Tf::log1p) return std::log1p(x);
    if (tf == Tf::log) return 1 + std::log(x);
    return x;
  }
};

}  // namespace wordplane
