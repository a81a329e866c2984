#include "learners/log_count_ratios.h"

#include <algorithm>
#include <cmath>

#include "common/logarithms.h"
#include "common/parallel.h"

namespace wordplane {
namespace {

constexpr std::size_t kTile = 512;  // features

// use(first, last) for tiles of features.
template <class Use>
void for_tiles(std::size_t n_features, int threads, const Use& use) {
  parallel_for((n_features + kTile - 1) / kTile, threads, [&](std::size_t tile, int) {
    use(tile * kTile, std::min((tile + 1) * kTile, n_features));
  });
}

// The sum of part(j, k) over the features begin .. end-1, by output; the same bits whatever the
// number of threads.
template <class Part>
std::vector<double> sums(std::size_t begin, std::size_t end, std::size_t n_outputs, int threads,
                         const Part& part) {
  const std::size_t n_tiles = (end - begin + kTile - 1) / kTile;
  std::vector<double> of_tiles(n_tiles * n_outputs), all(n_outputs);
  for_tiles(end - begin, threads, [&](std::size_t first, std::size_t last) {
    double* own = of_tiles.data() + first / kTile * n_outputs;
    for (std::size_t j = begin + first; j < begin + last; ++j)
      for (std::size_t k = 0; k < n_outputs; ++k) own[k] += part(j, k);
  });
  for (std::size_t t = 0; t < n_tiles; ++t)
    for (std::size_t k = 0; k < n_outputs; ++k) all[k] += of_tiles[t * n_outputs + k];
  return all;
}

}  // namespace

void log_count_ratios(std::span<const double> counts, std::span<const double> total,
                      const Shares& shares, double* R, int threads) {
  constexpr double kRounding = 1e-12;
  const std::size_t n_features = total.size(), n_outputs = shares.inside.size();
  for_tiles(n_features, threads, [&](std::size_t first, std::size_t last) {
    double ratios[kTile], r[kTile];
    for (std::size_t k = 0; k < n_outputs; ++k) {
      const double* n = counts.data() + k * n_features;
      const double inside = shares.inside[k], outside = shares.outside[k];
      for (std::size_t j = first; j < last; ++j) {
        const double rest = total[j] - n[j], m = rest > kRounding * total[j] ? rest : 0.0;
        const double ratio = ((n[j] + shares.alpha) / inside + shares.smooth) /
                             ((m + shares.alpha) / outside + shares.smooth);
        ratios[j - first] = std::abs(ratio - 1) > kRounding ? ratio : 1.0;
      }
      logarithms(ratios, last - first, r);
      for (std::size_t j = first; j < last; ++j) R[j * n_outputs + k] = r[j - first];
    }
  });
}

void shift_ratios(std::span<double> R, std::size_t n_outputs, std::span<const double> squares,
                  std::span<const std::size_t> begins, int threads) {
  const std::size_t n_features = squares.size();
  for_tiles(n_features, threads, [&](std::size_t first, std::size_t last) {
    for (std::size_t e = first * n_outputs; e < last * n_outputs; ++e)
      R[e] += R[e] > 0 ? 0.5 : R[e] < 0 ? -0.5 : 0.0;
  });
  for (std::size_t b = 0; b < begins.size(); ++b) {
    const std::size_t begin = begins[b], end = b + 1 < begins.size() ? begins[b + 1] : n_features;
    double before = 0;
    for (std::size_t j = begin; j < end; ++j) before += squares[j];
    std::vector<double> c = sums(begin, end, n_outputs, threads, [&](std::size_t j, std::size_t k) {
      return squares[j] * R[j * n_outputs + k] * R[j * n_outputs + k];
    });
    for (double& each : c) each = std::sqrt(before / (each > 0 ? each : std::max(before, 1.0)));
    for_tiles(end - begin, threads, [&](std::size_t first, std::size_t last) {
      for (std::size_t j = begin + first; j < begin + last; ++j)
        for (std::size_t k = 0; k < n_outputs; ++k) R[j * n_outputs + k] *= c[k];
    });
  }
}

std::vector<double> mix_with_ratios(std::span<double> W, std::span<const double> R,
                                    std::size_t n_outputs, double beta, int threads) {
  const std::size_t n_features = W.size() / n_outputs;
  std::vector<double> size =
      sums(0, n_features, n_outputs, threads, [&](std::size_t j, std::size_t k) {
        const double r = R[j * n_outputs + k];
        return r != 0 ? std::abs(W[j * n_outputs + k] / r) : 0.0;
      });
  for (double& each : size) each /= static_cast<double>(std::max<std::size_t>(n_features, 1));
  for_tiles(n_features, threads, [&](std::size_t first, std::size_t last) {
    for (std::size_t j = first; j < last; ++j)
      for (std::size_t k = 0; k < n_outputs; ++k) {
        double& w = W[j * n_outputs + k];
        w = (1 - beta) * (size[k] * R[j * n_outputs + k]) + beta * w;
      }
  });
  return size;
}

}  // namespace wordplane
