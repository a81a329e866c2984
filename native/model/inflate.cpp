#include "model/inflate.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "model/refusal.h"

namespace wordplane {

namespace {

constexpr int kMaxCodeLength = 15;

void require_packed(bool holds) { refuse_unless(holds, "bytes that cannot be unpacked"); }

// Bits of a stream, the lowest of each byte first; zeros follow its end, and count as missing.
class BitStream {
  static_assert(std::endian::native == std::endian::little);

 public:
  explicit BitStream(std::string_view bytes) : bytes_(bytes) {}

  std::uint32_t peek(int n) {
    if (n_held_ < n && at_ + 8 <= bytes_.size()) {  // as many whole bytes as there is room for
      std::uint64_t next;
      std::memcpy(&next, bytes_.data() + at_, 8);
      held_ |= next << n_held_;
      const int n_bytes = (63 - n_held_) / 8;
      at_ += static_cast<std::size_t>(n_bytes);
      n_held_ += 8 * n_bytes;
    }
    while (n_held_ < n) {
      const std::uint64_t byte = at_ < bytes_.size() ? static_cast<unsigned char>(bytes_[at_]) : 0;
      held_ |= byte << n_held_;
      n_held_ += 8;
      ++at_;
    }
    return static_cast<std::uint32_t>(held_ & ((std::uint64_t{1} << n) - 1));
  }
  void skip(int n) {
    held_ >>= n;
    n_held_ -= n;
    require_packed(at_ - static_cast<std::size_t>(n_held_) / 8 <= bytes_.size());
  }
  std::uint32_t take(int n) {
    const std::uint32_t bits = peek(n);
    skip(n);
    return bits;
  }
  void skip_to_byte() { skip(n_held_ % 8); }
  bool at_end() const { return at_ - static_cast<std::size_t>(n_held_) / 8 == bytes_.size(); }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;      // of the next byte that is not held
  std::uint64_t held_ = 0;  // may have more than n_held_ bits of what follows
  int n_held_ = 0;
};

// A prefix code, by the lengths of the codes of its symbols.
class PrefixCode {
 public:
  // `may_be_partial`: a single code of one bit, or none, leaves the others unused.
  PrefixCode(std::span<const std::uint8_t> lengths, bool may_be_partial) {
    std::array<int, kMaxCodeLength + 1> n_of_length{};
    for (const std::uint8_t length : lengths) ++n_of_length[length];
    for (bits_ = kMaxCodeLength; bits_ > 1 && n_of_length[static_cast<std::size_t>(bits_)] == 0;)
      --bits_;
    int n_left = 1;
    std::array<std::uint32_t, kMaxCodeLength + 2> next{};
    for (std::size_t length = 1; length <= kMaxCodeLength; ++length) {
      n_left = 2 * n_left - n_of_length[length];
      require_packed(n_left >= 0);
      const auto n = static_cast<std::uint32_t>(length == 1 ? 0 : n_of_length[length - 1]);
      next[length] = (next[length - 1] + n) << 1;
    }
    require_packed(n_left == 0 || (may_be_partial && bits_ == 1));
    table_.assign(std::size_t{1} << bits_, {0, 0});
    for (std::size_t symbol = 0; symbol < lengths.size(); ++symbol)
      if (lengths[symbol] > 0)
        enter(static_cast<std::uint16_t>(symbol), lengths[symbol], next[lengths[symbol]]++);
  }

  std::uint32_t take(BitStream& stream) const {
    const Entry entry = table_[stream.peek(bits_)];
    require_packed(entry.length > 0);
    stream.skip(entry.length);
    return entry.symbol;
  }

 private:
  struct Entry {
    std::uint16_t symbol;
    std::uint8_t length;  // 0: no code begins with these bits
  };

  // Codes come with their highest bit first: wherever the lowest bits are the code reversed.
  void enter(std::uint16_t symbol, std::uint8_t length, std::uint32_t code) {
    std::size_t reversed = 0;
    for (int bit = 0; bit < length; ++bit) reversed = reversed << 1 | (code >> bit & 1);
    for (std::size_t at = reversed; at < table_.size(); at += std::size_t{1} << length)
      table_[at] = {symbol, length};
  }

  int bits_ = 1;
  std::vector<Entry> table_;  // by the next bits of the stream
};

class Unpacker {
 public:
  Unpacker(std::string_view packed, std::size_t size) : stream_(packed), out_(size, '\0') {}

  std::string unpack() {
    const std::uint32_t method = stream_.take(8), flags = stream_.take(8);
    const bool has_dictionary = flags >> 5 & 1;
    require_packed((method & 15) == 8 && method >> 4 <= 7 && (method << 8 | flags) % 31 == 0 &&
                   !has_dictionary);
    for (bool last = false; !last;) {
      last = stream_.take(1);
      const std::uint32_t kind = stream_.take(2);
      require_packed(kind < 3);
      if (kind == 0)
        copy_stored();
      else if (kind == 1)
        unpack_fixed();
      else
        unpack_dynamic();
    }
    stream_.skip_to_byte();
    std::uint32_t check = 0;
    for (int i = 0; i < 4; ++i) check = check << 8 | stream_.take(8);
    require_packed(check == adler32() && stream_.at_end() && n_out_ == out_.size());
    return std::move(out_);
  }

 private:
  void copy_stored() {
    stream_.skip_to_byte();
    const std::uint32_t n = stream_.take(16);
    require_packed(n == (stream_.take(16) ^ 0xFFFF));
    for (std::uint32_t i = 0; i < n; ++i) append(static_cast<char>(stream_.take(8)));
  }

  void unpack_fixed() {
    std::array<std::uint8_t, 288> lengths;
    std::fill_n(lengths.begin(), 144, 8);
    std::fill_n(lengths.begin() + 144, 112, 9);
    std::fill_n(lengths.begin() + 256, 24, 7);
    std::fill_n(lengths.begin() + 280, 8, 8);
    std::array<std::uint8_t, 32> distances;
    distances.fill(5);
    unpack_block(PrefixCode(lengths, false), PrefixCode(distances, false));
  }

  void unpack_dynamic() {
    const std::size_t n_symbols = stream_.take(5) + 257, n_distances = stream_.take(5) + 1;
    const std::size_t n_lengths = stream_.take(4) + 4;
    require_packed(n_symbols <= 286 && n_distances <= 30);
    constexpr std::uint8_t kOrder[] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                       11, 4,  12, 3, 13, 2, 14, 1, 15};
    std::array<std::uint8_t, 19> of_lengths{};
    for (std::size_t i = 0; i < n_lengths; ++i)
      of_lengths[kOrder[i]] = static_cast<std::uint8_t>(stream_.take(3));
    const PrefixCode code(of_lengths, false);
    std::vector<std::uint8_t> lengths;
    while (lengths.size() < n_symbols + n_distances) {
      const std::uint32_t symbol = code.take(stream_);
      if (symbol < 16) {
        lengths.push_back(static_cast<std::uint8_t>(symbol));
        continue;
      }
      require_packed(symbol != 16 || !lengths.empty());
      const std::uint8_t repeated = symbol == 16 ? lengths.back() : std::uint8_t{0};
      const std::uint32_t n = symbol == 16   ? stream_.take(2) + 3
                              : symbol == 17 ? stream_.take(3) + 3
                                             : stream_.take(7) + 11;
      lengths.insert(lengths.end(), n, repeated);
    }
    require_packed(lengths.size() == n_symbols + n_distances && lengths[256] > 0);
    const std::span<const std::uint8_t> all(lengths);
    unpack_block(PrefixCode(all.first(n_symbols), false), PrefixCode(all.subspan(n_symbols), true));
  }

  void unpack_block(const PrefixCode& symbols, const PrefixCode& distances) {
    while (true) {
      const std::uint32_t symbol = symbols.take(stream_);
      if (symbol == 256) return;
      if (symbol < 256) {
        append(static_cast<char>(symbol));
        continue;
      }
      const std::size_t length = take_length(symbol - 257), distance = take_distance(distances);
      require_packed(distance <= n_out_ && length <= out_.size() - n_out_);
      char* const to = out_.data() + n_out_;
      const char* const from = to - distance;  // may reach into what it is copied to
      for (std::size_t i = 0; i < length; ++i) to[i] = from[i];
      n_out_ += length;
    }
  }

  // 3 to 10 as they are, then four to each number of further bits, and 258.
  std::size_t take_length(std::uint32_t number) {
    require_packed(number < 29);
    if (number < 8) return number + 3;
    if (number == 28) return 258;
    const int n_bits = static_cast<int>(number / 4) - 1;
    return 3 + ((4 + number % 4) << n_bits) + stream_.take(n_bits);
  }

  // 1 to 4 as they are, then two to each number of further bits.
  std::size_t take_distance(const PrefixCode& distances) {
    const std::uint32_t number = distances.take(stream_);
    require_packed(number < 30);
    if (number < 4) return number + 1;
    const int n_bits = static_cast<int>(number / 2) - 1;
    return 1 + ((2 + number % 2) << n_bits) + stream_.take(n_bits);
  }

  void append(char byte) {
    require_packed(n_out_ < out_.size());
    out_[n_out_++] = byte;
  }

  std::uint32_t adler32() const {
    constexpr std::size_t kRun = 5000;  // so many sums fit into 32 bits
    std::uint32_t a = 1, b = 0;
    for (std::size_t at = 0; at < out_.size(); at += kRun) {
      for (const char byte : std::string_view(out_).substr(at, kRun)) {
        a += static_cast<unsigned char>(byte);
        b += a;
      }
      a %= 65521;
      b %= 65521;
    }
    return b << 16 | a;
  }

  BitStream stream_;
  std::string out_;
  std::size_t n_out_ = 0;  // bytes of it that are there
};

}  // namespace

std::string unpack_zlib(std::string_view packed, std::size_t size) {
  return Unpacker(packed, size).unpack();
}

}  // namespace wordplane
