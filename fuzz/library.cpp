// A payload under a right digest, as malice would write it: refused with a reason, or a model that
// gives every text finite scores, and contributions that sum to them. The core is built with
// FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION, so that golden rows may have any answers: malice would
// store those that its model gives.
#include <cmath>
#include <cstring>
#include <random>

#include "input.h"
#include "library/wordplane.h"
#include "model/sha256.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

constexpr std::size_t kLengthSize = 8;  // of a number before what it is the length of

std::string little_endian(std::uint64_t number, std::size_t size) {
  std::string bytes;
  for (std::size_t i = 0; i < size; ++i) bytes += static_cast<char>(number >> 8 * i);
  return bytes;
}

// The payload as a packed one, in blocks of zlib that are stored as they are.
std::string packed(std::string_view payload) {
  constexpr std::size_t kMostOfBlock = 65535;
  std::string out = "WPZ1" + little_endian(payload.size(), kLengthSize) + "\x78\x01";
  std::uint32_t a = 1, b = 0;  // Adler-32
  for (const char byte : payload) {
    a = (a + static_cast<unsigned char>(byte)) % 65521;
    b = (b + a) % 65521;
  }
  do {
    const std::string_view block = payload.substr(0, kMostOfBlock);
    payload.remove_prefix(block.size());
    out += static_cast<char>(payload.empty());
    out += little_endian(block.size(), 2) + little_endian(~block.size(), 2);
    out += block;
  } while (!payload.empty());
  for (const std::uint32_t half : {b, a}) {
    out += static_cast<char>(half >> 8);
    out += static_cast<char>(half);
  }
  return out;
}

std::string sealed(std::string_view payload) {
  std::string body = little_endian(payload.size(), kLengthSize);
  body += payload;
  const auto digest = wordplane::sha256(body);
  std::string content = "WORDPLN\x05";
  content.append(reinterpret_cast<const char*>(digest.data()), digest.size());
  return content + body;
}

void use(const wordplane_model* model) {
  constexpr char kText[] = "a great, dull film\0 NOT fun :) \xC3\x89";
  const std::vector<wordplane_text> document(wordplane_n_fields(model), {kText, sizeof(kText) - 1});
  const std::size_t n_classes = wordplane_n_classes(model);
  std::vector<double> scores(wordplane_n_scores(model)), P(n_classes + 1);
  std::vector<std::size_t> labels(n_classes + 1);
  if (wordplane_scores(model, document.data(), document.size(), scores.data(), nullptr)) return;
  for (const double score : scores) CHECK(!std::isnan(score));
  if (wordplane_probabilities(model, scores.data(), P.data(), nullptr)) return;
  for (std::size_t k = 0; k < n_classes; ++k) CHECK(P[k] >= 0 && P[k] <= 1 + 1e-9);
  CHECK(wordplane_labels(model, scores.data(), labels.data()) <= n_classes);
  wordplane_explanation* explanation;
  wordplane_status status =
      wordplane_explain(model, document.data(), document.size(), 0, &explanation, nullptr);
  CHECK(status == WORDPLANE_OK);
  double sum = explanation->bias, size = 1 + std::abs(sum);
  for (std::size_t i = 0; i < explanation->n_contributions; ++i) {
    const wordplane_contribution& one = explanation->contributions[i];
    CHECK(std::strlen(one.feature) <= one.feature_size && one.start <= one.end);
    CHECK(one.end < sizeof(kText) && one.field <= document.size());
    sum += one.value;
    size += std::abs(one.value);
  }
  CHECK(!std::isfinite(size) || std::abs(sum - explanation->score) <= 1e-6 * size);
  wordplane_free_explanation(explanation);
}

void load(std::string_view payload) {
  const std::string content = sealed(payload);
  wordplane_model* model;
  wordplane_error error;
  const wordplane_status status = wordplane_load(content.data(), content.size(), &model, &error);
  CHECK((status == WORDPLANE_OK) == (model != nullptr));
  CHECK(status == WORDPLANE_OK || std::strlen(error.text) > 0);
  if (model) use(model);
  wordplane_free(model);
}

std::string mutated(std::string part, std::size_t most) {
  const std::size_t size = part.size();
  part.resize(std::max(size, most));
  auto* const bytes = reinterpret_cast<std::uint8_t*>(part.data());
  part.resize(LLVMFuzzerMutate(bytes, size, part.size()));
  return part;
}

// One of the numbers of the JSON header is another value.
std::string with_another_value(std::string header, std::minstd_rand& random) {
  constexpr std::string_view kDigits = "0123456789";
  constexpr std::string_view kValues[] = {
      "0",          "-1",    "1",     "2",      "3",
      "17",         "255",   "65536", "0.5",    "2147483648",
      "4294967296", "1e-9",  "true",  "null",   "[]",
      "{}",         "[1,2]", "1e308", "-1e308", "9223372036854775807",
      "\\\"a\\\""};
  const std::size_t begin = header.find_first_of(kDigits, random() % header.size());
  if (begin == header.npos) return header;
  const std::size_t end = std::min(header.find_first_not_of(kDigits, begin), header.size());
  return header.replace(begin, end - begin, kValues[random() % std::size(kValues)]);
}

}  // namespace

// Of a payload that is not packed, the header or the arrays change; the length of the header, which
// comes first, is right again.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned int seed) {
  const std::string_view payload(reinterpret_cast<const char*>(data), size);
  std::uint64_t length = 0;
  if (size > kLengthSize) std::memcpy(&length, data, kLengthSize);
  std::minstd_rand random(seed);
  if (length == 0 || length > size - kLengthSize || random() % 32 == 0)
    return LLVMFuzzerMutate(data, size, most);
  std::string header(payload.substr(kLengthSize, length));
  std::string arrays(payload.substr(kLengthSize + length));
  if (const auto how = random() % 4; how < 2)
    header = with_another_value(header, random);
  else if (how == 2)
    header = mutated(header, most - arrays.size() - kLengthSize);
  else if (!arrays.empty())
    arrays = mutated(arrays, arrays.size());
  const std::string changed = little_endian(header.size(), kLengthSize) + header + arrays;
  if (changed.size() > most) return size;
  std::ranges::copy(changed, data);
  return changed.size();
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view payload(reinterpret_cast<const char*>(data), size);
  load(payload);
  if (size % 4 == 0) load(packed(payload));
  return 0;
}
