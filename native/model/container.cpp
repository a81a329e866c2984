#include "model/container.h"

#include <algorithm>
#include <cstdint>

#include "model/inflate.h"
#include "model/refusal.h"
#include "model/sha256.h"

namespace wordplane {

namespace {

constexpr std::string_view kMagic = "WORDPLN", kPackedMagic = "WPZ1";
constexpr std::size_t kDigestSize = 32, kLengthSize = 8;
constexpr std::size_t kHeader = kMagic.size() + 1 + kDigestSize + kLengthSize;
constexpr int kFormatVersion = 5;
// What is unpacked may be so many times as long as what is packed, besides the first bytes.
constexpr std::uint64_t kMaxGrowth = 100, kFreeBytes = 1 << 24;

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;)
    value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

}  // namespace

void check_header(std::string_view content) {
  if (!content.starts_with(kMagic)) throw Refused("this is not a Wordplane model");
  if (content.size() < kHeader)
    throw Refused("the file ends after " + std::to_string(content.size()) +
                  " bytes: it is cut off");
  const int version = static_cast<unsigned char>(content[kMagic.size()]);
  if (version != kFormatVersion)
    throw Refused("the model has format version " + std::to_string(version) +
                  ", this Wordplane reads version " + std::to_string(kFormatVersion) +
                  "; use the Wordplane that wrote it, or train again");
}

bool is_intact(std::string_view content) {
  const auto stored = content.substr(kMagic.size() + 1, kDigestSize);
  const auto body = content.substr(kMagic.size() + 1 + kDigestSize);
  const auto byte = [](char c) { return static_cast<std::uint8_t>(c); };
  return little_endian(body.substr(0, kLengthSize)) == body.size() - kLengthSize &&
         std::ranges::equal(sha256(body), stored, {}, {}, byte);
}

Payload open_payload(std::string_view content) {
  Payload payload;
  payload.bytes = content.substr(kHeader);
  payload.is_packed = payload.bytes.starts_with(kPackedMagic);
  if (!payload.is_packed) return payload;
  const std::size_t head = kPackedMagic.size() + kLengthSize;
  refuse_unless(payload.bytes.size() >= head, "a packed payload that is cut off");
  const std::uint64_t length =
      little_endian(payload.bytes.substr(kPackedMagic.size(), kLengthSize));
  refuse_unless(length <= kFreeBytes + kMaxGrowth * payload.bytes.size(),
                "bytes that are said to unpack to too many");
  payload.unpacked = unpack_zlib(payload.bytes.substr(head), static_cast<std::size_t>(length));
  payload.bytes = payload.unpacked;
  return payload;
}

}  // namespace wordplane
