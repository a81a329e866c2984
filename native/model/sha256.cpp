#include "model/sha256.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <string>

namespace wordplane {

namespace {

using ShaState = std::array<std::uint32_t, 8>;

constexpr std::size_t kShaBlock = 64, kShaLanes = 4;

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
constexpr std::array<std::uint32_t, 64> kShaConstants = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

// Word t of several blocks, side by side: what is added in a step depends on the block alone, so
// that blocks are computed together.
typedef std::uint32_t ShaLanes [[gnu::vector_size(4 * kShaLanes)]];
using ShaSchedule = std::array<ShaLanes, 64>;

// `blocks` are kShaLanes of them.
void write_schedule(const char* blocks, ShaSchedule& w) {
  for (std::size_t t = 0; t < 16; ++t)
    for (std::size_t lane = 0; lane < kShaLanes; ++lane) {
      const char* const word = blocks + lane * kShaBlock + 4 * t;
      const auto byte = [&](int i) -> std::uint32_t { return static_cast<unsigned char>(word[i]); };
      w[t][lane] = byte(0) << 24 | byte(1) << 16 | byte(2) << 8 | byte(3);
    }
  for (std::size_t t = 16; t < 64; ++t) {
    const ShaLanes x = w[t - 15], y = w[t - 2];
    w[t] = w[t - 16] + ((x >> 7 | x << 25) ^ (x >> 18 | x << 14) ^ x >> 3) + w[t - 7] +
           ((y >> 17 | y << 15) ^ (y >> 19 | y << 13) ^ y >> 10);
  }
  for (std::size_t t = 0; t < 64; ++t) w[t] += kShaConstants[t];
}

void add_block(const ShaSchedule& w, std::size_t lane, ShaState& state) {
  auto [a, b, c, d, e, f, g, h] = state;
  // What the letters stand for moves on by one with each step.
  const auto step = [&](std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t& d,
                        std::uint32_t e, std::uint32_t f, std::uint32_t g, std::uint32_t& h,
                        std::size_t t) {
    h +=
        (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) + ((e & f) ^ (~e & g)) + w[t][lane];
    d += h;
    h += (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) | (c & (a | b)));
  };
  for (std::size_t t = 0; t < 64; t += 8) {
    step(a, b, c, d, e, f, g, h, t);
    step(h, a, b, c, d, e, f, g, t + 1);
    step(g, h, a, b, c, d, e, f, t + 2);
    step(f, g, h, a, b, c, d, e, t + 3);
    step(e, f, g, h, a, b, c, d, t + 4);
    step(d, e, f, g, h, a, b, c, t + 5);
    step(c, d, e, f, g, h, a, b, t + 6);
    step(b, c, d, e, f, g, h, a, t + 7);
  }
  const ShaState added = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < state.size(); ++i) state[i] += added[i];
}

// The first n of kShaLanes blocks.
void add_blocks(const char* blocks, std::size_t n, ShaState& state) {
  ShaSchedule w;
  write_schedule(blocks, w);
  for (std::size_t lane = 0; lane < n; ++lane) add_block(w, lane, state);
}

}  // namespace

std::array<std::uint8_t, 32> sha256(std::string_view bytes) {
  ShaState state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  constexpr std::size_t kGroup = kShaLanes * kShaBlock;
  std::size_t at = 0;
  for (; at + kGroup <= bytes.size(); at += kGroup) add_blocks(bytes.data() + at, kShaLanes, state);
  std::string end(bytes.substr(at));
  end += '\x80';
  while (end.size() % kShaBlock != kShaBlock - 8) end += '\0';
  const std::uint64_t n_bits = std::uint64_t{bytes.size()} * 8;
  for (int shift = 56; shift >= 0; shift -= 8) end += static_cast<char>(n_bits >> shift);
  const std::size_t n_blocks = end.size() / kShaBlock;
  end.resize((n_blocks + kShaLanes - 1) / kShaLanes * kGroup);
  for (std::size_t i = 0; i < n_blocks; i += kShaLanes)
    add_blocks(end.data() + i * kShaBlock, std::min(kShaLanes, n_blocks - i), state);
  std::array<std::uint8_t, 32> digest;
  for (std::size_t i = 0; i < digest.size(); ++i)
    digest[i] = static_cast<std::uint8_t>(state[i / 4] >> (24 - 8 * (i % 4)));
  return digest;
}

}  // namespace wordplane
