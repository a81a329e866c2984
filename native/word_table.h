// Two hash tables that give numbers to things in order of first appearance:
// WordTable to words, PairTable to pairs (number of the first n-1 words, last word).
// Open addressing, linear probing, at most half full.
#pragma once

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

  // Makes room for one more entry. Invalidates slots.
  void grow_for(std::size_t n_entries) {
    if (2 * (n_entries + 1) <= slots_.size()) return;
    std::vector<Slot> old(2 * slots_.size());
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
  std::vector<Slot> slots_;
};

inline void check_room(std::size_t n_entries) {
  if (n_entries >= kMaxId)
    throw std::invalid_argument(
        "more than 2,147,483,647 distinct words or n-grams; use feature hashing instead");
}

class WordTable {
  // A word of up to 7 bytes is its own key; a longer one has its hash, marked by the top byte.
  static std::uint64_t key_of(std::string_view word) {
    std::uint64_t key = 0;
    if (word.size() <= 7) {
      std::memcpy(&key, word.data(), word.size());
      return key | static_cast<std::uint64_t>(word.size()) << 56;
    }
    const char* at = word.data();
    std::size_t left = word.size();
    key = left;
    for (; left > 8; at += 8, left -= 8) {
      std::uint64_t eight;
      std::memcpy(&eight, at, 8);
      key = mix(key ^ eight) + eight;
    }
    std::uint64_t last = 0;
    std::memcpy(&last, word.data() + word.size() - 8, 8);
    return mix(key ^ last) | 0xFFull << 56;
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

  std::uint32_t find(std::string_view word) const { return probe(*this, word, key_of(word)).id; }

  // The slot of `word`, which is new if it had no number before; good until the next intern.
  Slot& intern(std::string_view word) {
    slots_.grow_for(size());
    const std::uint64_t key = key_of(word);
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
    slots_.grow_for(size());
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
  std::vector<std::uint64_t> keys_;
};

}  // namespace wordplane
