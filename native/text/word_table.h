// Two hash tables that give numbers to things in order of first appearance:
// WordTable to words, PairTable to pairs (number of the first n-1 words, last word).
// Open addressing, linear probing, at most five eighths full. Places depend on a secret key
// (common/hash_key.h), numbers do not.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/hash_key.h"
#include "common/huge_vector.h"

namespace wordplane {

inline constexpr std::uint32_t kNone = 0xFFFFFFFF;
inline constexpr std::uint32_t kMaxId = 0x7FFFFFFF;  // one bit is left to tell words from n-grams

// Where in a table a key belongs: its lower bits are mixed enough for that.
inline std::uint64_t place_of(std::uint64_t key) {
  return fold_product(key ^ kHashKey.first, kHashKey.second);
}

// The slots of both tables. `mark` is free for the user of the table: the counter
// keeps there where this entry was counted last.
template <class Key>
class Slots {
 public:
  struct Slot {
    Key key;
    std::uint32_t id = kNone;
    std::uint32_t mark;
  };

  Slots() : slots_(16), mask_(slots_.size() - 1) {}

  // The slot of the first entry for which same(slot) holds, or the free slot where it belongs.
  template <class Same>
  Slot& probe(const Key& key, Same&& same) {
    return const_cast<Slot&>(std::as_const(*this).probe(key, same));
  }
  template <class Same>
  const Slot& probe(const Key& key, Same&& same) const {
    const Slot* slot = &slots_[place_of(key) & mask_];
    while (slot->id != kNone && !(slot->key == key && same(slot->id)))
      slot = &slots_[static_cast<std::size_t>(slot - slots_.data() + 1) & mask_];
    return *slot;
  }

  void prefetch(const Key& key) const { __builtin_prefetch(&slots_[place_of(key) & mask_]); }

  // Makes room for n entries at once; there are none yet.
  void reserve(std::size_t n) {
    slots_ = HugeVector<Slot>(std::bit_ceil(std::max<std::size_t>(8 * (n + 2) / 5, 16)));
    mask_ = slots_.size() - 1;
  }

  // Puts an entry in the free slot where it belongs and makes room for the next one, which
  // moves the slots. Where the entry is then:
  Slot& put(Slot& free, const Key& key, std::uint32_t id) {
    free = {key, id, kNone};
    if (8 * (std::size_t{id} + 2) <= 5 * slots_.size()) return free;
    grow();
    return probe(key, [&](std::uint32_t other) { return other == id; });
  }

 private:
  void grow() {
    HugeVector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    mask_ = slots_.size() - 1;
    for (const Slot& slot : old) {
      if (slot.id == kNone) continue;
      std::size_t i = place_of(slot.key) & mask_;
      while (slots_[i].id != kNone) i = (i + 1) & mask_;
      slots_[i] = slot;
    }
  }

  HugeVector<Slot> slots_;
  std::size_t mask_;
};

inline void check_room(std::size_t n_entries) {
  if (n_entries >= kMaxId)
    throw std::invalid_argument(
        "more than 2,147,483,647 distinct words or n-grams; use feature hashing instead");
}

// A word of up to 15 bytes, with its length in the last; a longer one has its hash in the place
// of its first bytes, and 16 for its length.
struct WordKey {
  std::uint64_t low, high;

  bool operator==(const WordKey&) const = default;
  bool whole() const { return high >> 56 < 16; }
  friend std::uint64_t place_of(const WordKey& key) {
    return fold_product(key.low ^ kHashKey.first, key.high ^ kHashKey.second);
  }
};

class WordTable {
  static std::uint64_t load(const char* at) {
    std::uint64_t value;
    std::memcpy(&value, at, sizeof(value));
    return value;
  }
  static WordKey key_of_long(std::string_view word) {
    std::uint64_t hash = kHashKey.first ^ word.size();
    const auto add = [&](std::size_t i) {
      hash = fold_product(hash ^ load(word.data() + i), kHashKey.second);
    };
    for (std::size_t i = 0; i + 8 < word.size(); i += 8) add(i);
    add(word.size() - 8);
    return {hash, std::uint64_t{16} << 56};
  }

  template <class Self>
  static auto& probe(Self& self, std::string_view word, const WordKey& key) {
    return self.slots_.probe(
        key, [&](std::uint32_t id) { return key.whole() || self.word(id) == word; });
  }

 public:
  using Slot = Slots<WordKey>::Slot;

  std::size_t size() const { return ends_.size(); }
  std::string_view word(std::uint32_t id) const {
    const std::size_t begin = id == 0 ? 0 : ends_[id - 1];
    return {bytes_.data() + begin, ends_[id] - begin};
  }
  const std::string& bytes() const { return bytes_; }
  const std::vector<std::size_t>& ends() const { return ends_; }

  static WordKey key_of(std::string_view word) {
    if (word.size() > 15) return key_of_long(word);
    char padded[16] = {};
    std::memcpy(padded, word.data(), word.size());
    return key_of_padded({padded, word.size()});
  }
  // The same for a word with readable bytes behind it, 16 from its start.
  static WordKey key_of_padded(std::string_view word) {
    static constexpr char kMask[32] = {'\xff', '\xff', '\xff', '\xff', '\xff', '\xff',
                                       '\xff', '\xff', '\xff', '\xff', '\xff', '\xff',
                                       '\xff', '\xff', '\xff', '\xff'};
    const std::size_t n = word.size();
    if (n > 15) return key_of_long(word);
    const char* mask = kMask + 16 - n;  // n bytes of ones, then zeros
    return {load(word.data()) & load(mask),
            (load(word.data() + 8) & load(mask + 8)) | static_cast<std::uint64_t>(n) << 56};
  }

  void prefetch(const WordKey& key) const { slots_.prefetch(key); }
  void prefetch(std::string_view word) const { prefetch(key_of(word)); }

  std::uint32_t find(std::string_view word) const { return find(word, key_of(word)).id; }
  // The slot of `word`; its id is kNone if there is no such word.
  const Slot& find(std::string_view word, const WordKey& key) const {
    return probe(*this, word, key);
  }

  // The slot of `word`, which is new if it had no number before; good until the next intern.
  Slot& intern(std::string_view word) { return intern(word, key_of(word)); }
  Slot& intern(std::string_view word, const WordKey& key) {
    Slot& slot = probe(*this, word, key);
    return slot.id != kNone ? slot : add(slot, word, key);
  }

  void reserve(std::size_t n_words, std::size_t n_bytes) {
    slots_.reserve(n_words);
    bytes_.reserve(n_bytes);
    ends_.reserve(n_words);
  }
  // Frees the table; words stay readable by number.
  void forget_slots() { slots_ = {}; }

 private:
  [[gnu::noinline]] Slot& add(Slot& free, std::string_view word, const WordKey& key) {
    check_room(size());
    bytes_ += word;
    ends_.push_back(bytes_.size());
    return slots_.put(free, key, static_cast<std::uint32_t>(size() - 1));
  }

  Slots<WordKey> slots_;
  std::string bytes_;
  std::vector<std::size_t> ends_;
};

// The numbers of all words in the order of their bytes, which is that of their code points.
std::vector<std::uint32_t> alphabetical(const WordTable& words, int threads = 1);

class PairTable {
 public:
  using Slot = Slots<std::uint64_t>::Slot;

  static std::uint64_t key_of(std::uint32_t first, std::uint32_t last) {
    return static_cast<std::uint64_t>(first) << 32 | last;
  }

  std::size_t size() const { return keys_.size(); }
  std::uint64_t key(std::uint32_t id) const { return keys_[id]; }
  std::uint32_t first(std::uint32_t id) const { return static_cast<std::uint32_t>(key(id) >> 32); }
  std::uint32_t last(std::uint32_t id) const { return static_cast<std::uint32_t>(key(id)); }

  void prefetch(std::uint64_t key) const { slots_.prefetch(key); }
  // The slot of the pair; its id is kNone if there is no such pair.
  const Slot& find(std::uint64_t key) const { return slots_.probe(key, any); }

  Slot& intern(std::uint64_t key) {
    Slot& slot = slots_.probe(key, any);
    return slot.id != kNone ? slot : add(slot, key);
  }

  void reserve(std::size_t n) {
    slots_.reserve(n);
    keys_.reserve(n);
  }
  void forget_slots() { slots_ = {}; }

 private:
  static bool any(std::uint32_t) { return true; }
  [[gnu::noinline]] Slot& add(Slot& free, std::uint64_t key) {
    check_room(size());
    keys_.push_back(key);
    return slots_.put(free, key, static_cast<std::uint32_t>(size() - 1));
  }

  Slots<std::uint64_t> slots_;
  HugeVector<std::uint64_t> keys_;
};

}  // namespace wordplane
