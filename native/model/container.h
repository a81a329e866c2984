// The outside of a model file: magic, version, digest, length, and a payload that may be packed.
// docs/model-file.md describes it; model/file.py and model/packing.py write it.
#pragma once

#include <string>
#include <string_view>

namespace wordplane {

// Throws Refused unless the content begins as a model file of this version does.
void check_header(std::string_view content);

// Whether length and digest are those of the rest of the content, whose header is right.
bool is_intact(std::string_view content);

struct Payload {
  std::string_view bytes;  // of safetensors
  std::string unpacked;    // what they are a part of, if the payload was packed
  bool is_packed = false;  // then the bytes of arrays are in another order
};

// The payload of a content whose header is right, and which must outlive it. Throws Refused.
Payload open_payload(std::string_view content);

}  // namespace wordplane
