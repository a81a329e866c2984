// Two hash tables that give numbers to things in order of first appearance:
// WordTable to words, PairTable to pairs (number of the first n-1 words, last word).
// Open addressing, linear probing, at most five eighths full.
#pragma once

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "huge_vector.h"

namespace wordplane {

inline constexpr std::uint32_t kNone = 0xFFFFFFFF;
inline constexpr std::uint32_t kMaxId = 0x7FFFFFFF;  // one bit is left to tell words from n-grams

inline std::uint64_t mix(std::uint64_t x) {
  x ^= x >> 32;
  x *= 0x9E3779B97F4A7C15u;
  x ^= x >> 29;
  x *= 0xBF58476D1CE4E5B9u;
  return x ^ x >> 32;
}

// The slots of both tables. `mark` is free for the user of the table: the counter
// keeps there where the current document counts this entry.
class Slots {
 public:
  struct Slot {
    std::uint64_t key;
    std::uint32_t id = kNone;
    std::uint32_t mark;
  };

  Slots() : slots_(16) {}

  // The slot of the first entry for which same(slot) holds, or the free slot where it belongs.
  template <class Same>
  Slot& probe(std::uint64_t key, Same&& same) {
    return const_cast<Slot&>(std::as_const(*this).probe(key, same));
  }
  template <class Same>
  const Slot& probe(std::uint64_t key, Same&& same) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t i = mix(key) & mask;
    while (slots_[i].id != kNone && !(slots_[i].key == key && same(slots_[i].id)))
      i = (i + 1) & mask;
    return slots_[i];
  }

  void prefetch(std::uint64_t key) const {
    __builtin_prefetch(&slots_[mix(key) & (slots_.size() - 1)]);
  }

  // Makes room for `n_entries` in all. Invalidates slots.
  void reserve(std::size_t n_entries) {
    std::size_t n_slots = slots_.size();
    while (8 * n_entries > 5 * n_slots) n_slots *= 2;
    if (n_slots == slots_.size()) return;
    HugeVector<Slot> old(n_slots);
    old.swap(slots_);
    const std::size_t mask = slots_.size() - 1;
    for (const Slot& slot : old) {
      if (slot.id == kNone) continue;
      std::size_t i = mix(slot.key) & mask;
      while (slots_[i].id != kNone) i = (i + 1) & mask;
      slots_[i] = slot;
    }
  }

 private:
  HugeVector<Slot> slots_;
};

inline void check_room(std::size_t n_entries) {
  if (n_entries >= kMaxId)
    throw std::invalid_argument(
        "more than 2,147,483,647 distinct words or n-grams; use feature hashing instead");
}

class WordTable {
  template <class T>
  static std::uint64_t load(const char* at) {
    T value;
    std::memcpy(&value, at, sizeof(T));
    return value;
  }

  template <class Self>
  static auto& probe(Self& self, std::string_view word, std::uint64_t key) {
    return self.slots_.probe(
        key, [&](std::uint32_t id) { return word.size() <= 7 || self.word(id) == word; });
  }

 public:
  using Slot = Slots::Slot;

  std::size_t size() const { return ends_.size(); }
  std::string_view word(std::uint32_t id) const {
    const std::size_t begin = id == 0 ? 0 : ends_[id - 1];
    return {bytes_.data() + begin, ends_[id] - begin};
  }
  const std::string& bytes() const { return bytes_; }
  const std::vector<std::size_t>& ends() const { return ends_; }

  // A word of up to 7 bytes is its own key; a longer one has its hash, marked by the top byte.
  static std::uint64_t key_of(std::string_view word) {
    const char* at = word.data();
    const std::size_t n = word.size();
    if (n > 7) {
      std::uint64_t hash = n;
      for (std::size_t i = 0; i + 8 < n; i += 8) hash = mix(hash ^ load<std::uint64_t>(at + i));
      return mix(hash ^ load<std::uint64_t>(at + n - 8)) | 0xFFull << 56;
    }
    std::uint64_t bytes = 0;
    if (n >= 4) {  // two loads that may overlap
      bytes = load<std::uint32_t>(at) | load<std::uint32_t>(at + n - 4) << 8 * (n - 4);
    } else if (n > 0) {
      bytes = load<std::uint8_t>(at) | load<std::uint8_t>(at + n / 2) << 8 * (n / 2) |
              load<std::uint8_t>(at + n - 1) << 8 * (n - 1);
    }
    return bytes | static_cast<std::uint64_t>(n) << 56;
  }

  void prefetch(std::uint64_t key) const { slots_.prefetch(key); }

  std::uint32_t find(std::string_view word) const { return probe(*this, word, key_of(word)).id; }

  // The slot of `word`, which is new if it had no number before; good until the next intern.
  Slot& intern(std::string_view word) { return intern(word, key_of(word)); }
  Slot& intern(std::string_view word, std::uint64_t key) {
    slots_.reserve(size() + 1);
    Slot& slot = probe(*this, word, key);
    if (slot.id == kNone) {
      check_room(size());
      slot = {key, static_cast<std::uint32_t>(size()), kNone};
      bytes_ += word;
      ends_.push_back(bytes_.size());
    }
    return slot;
  }

  // Frees the table; words stay readable by number.
  void forget_slots() { slots_ = Slots(); }

 private:
  Slots slots_;
  std::string bytes_;
  std::vector<std::size_t> ends_;
};

// The numbers of all words in the order of their bytes, which is that of their code points.
std::vector<std::uint32_t> alphabetical(const WordTable& words);

class PairTable {
 public:
  using Slot = Slots::Slot;

  static std::uint64_t key_of(std::uint32_t first, std::uint32_t last) {
    return static_cast<std::uint64_t>(first) << 32 | last;
  }

  std::size_t size() const { return keys_.size(); }
  std::uint32_t first(std::uint32_t id) const {
    return static_cast<std::uint32_t>(keys_[id] >> 32);
  }
  std::uint32_t last(std::uint32_t id) const { return static_cast<std::uint32_t>(keys_[id]); }

  void prefetch(std::uint64_t key) const { slots_.prefetch(key); }
  std::uint32_t find(std::uint64_t key) const { return slots_.probe(key, any).id; }

  Slot& intern(std::uint64_t key) {
    slots_.reserve(size() + 1);
    Slot& slot = slots_.probe(key, any);
    if (slot.id == kNone) {
      check_room(size());
      slot = {key, static_cast<std::uint32_t>(size()), kNone};
      keys_.push_back(key);
    }
    return slot;
  }

  void forget_slots() { slots_ = Slots(); }

 private:
  static bool any(std::uint32_t) { return true; }

  Slots slots_;
  HugeVector<std::uint64_t> keys_;
};

}  // namespace wordplane
