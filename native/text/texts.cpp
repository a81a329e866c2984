#include "text/texts.h"

#include <cstring>
#include <stdexcept>
#include <string>

#include "text/arrow.h"
#include "text/unicode.h"

namespace wordplane {

namespace {

// Arrow structs own what their release callback frees.
template <class T>
struct Owned : T {
  Owned() : T{} {}
  Owned(Owned&& other) noexcept : T(other) { other.release = nullptr; }
  Owned& operator=(Owned&&) = delete;
  ~Owned() {
    if (this->release) this->release(this);
  }
};

void check_stream(int code, ArrowArrayStream* stream) {
  if (code == 0) return;
  const char* why = stream->get_last_error(stream);
  throw std::runtime_error(std::string("the Arrow stream failed: ") +
                           (why ? why : "no reason given"));
}

template <class Offset>
void append_offset_strings(const ArrowArray& array, std::vector<std::string_view>& rows) {
  const auto* offsets = static_cast<const Offset*>(array.buffers[1]) + array.offset;
  const auto* data = static_cast<const char*>(array.buffers[2]);
  for (std::int64_t i = 0; i < array.length; ++i) {
    if (offsets[i] < 0 || offsets[i] > offsets[i + 1])
      throw std::invalid_argument("the Arrow array has string offsets that do not ascend");
    rows.emplace_back(data + offsets[i], static_cast<std::size_t>(offsets[i + 1] - offsets[i]));
  }
}

// A string view is 16 bytes: the length, then the bytes themselves (up to 12) or
// a prefix, the number of a data buffer and an offset into it.
void append_view_strings(const ArrowArray& array, std::vector<std::string_view>& rows) {
  const auto* views = static_cast<const char*>(array.buffers[1]) + 16 * array.offset;
  const std::int64_t n_data = array.n_buffers - 3;  // validity, views, ..., sizes
  const auto* sizes = static_cast<const std::int64_t*>(array.buffers[array.n_buffers - 1]);
  for (std::int64_t i = 0; i < array.length; ++i) {
    const char* view = views + 16 * i;
    std::int32_t field[4];  // length, prefix, buffer, offset
    std::memcpy(field, view, 16);
    if (field[0] < 0)
      throw std::invalid_argument("the Arrow array has a string of negative length");
    if (field[0] <= 12) {
      rows.emplace_back(view + 4, static_cast<std::size_t>(field[0]));
      continue;
    }
    if (field[2] < 0 || field[2] >= n_data || field[3] < 0 ||
        std::int64_t{field[3]} + field[0] > sizes[field[2]])
      throw std::invalid_argument("the Arrow array has a string outside its buffers");
    rows.emplace_back(static_cast<const char*>(array.buffers[2 + field[2]]) + field[3],
                      static_cast<std::size_t>(field[0]));
  }
}

void refuse_nulls(const ArrowArray& array, std::size_t first_row) {
  const auto* valid = static_cast<const std::uint8_t*>(array.buffers[0]);
  if (array.null_count == 0 || !valid) return;
  for (std::int64_t i = 0; i < array.length; ++i) {
    const std::int64_t bit = array.offset + i;
    if (!(valid[bit >> 3] >> (bit & 7) & 1))
      throw std::invalid_argument("document " + std::to_string(first_row + i) +
                                  " is null; fill or drop missing texts first");
  }
}

void check_utf8(std::string_view text, std::size_t row) {
  const std::size_t valid = valid_utf8_prefix(text);
  if (valid != text.size())
    throw std::invalid_argument("document " + std::to_string(row) + " is not valid UTF-8 at byte " +
                                std::to_string(valid));
}

// Moves an Arrow struct that the caller still owns here.
template <class T>
std::unique_ptr<Owned<T>> take_over(T* source) {
  auto taken = std::make_unique<Owned<T>>();
  static_cast<T&>(*taken) = *source;
  source->release = nullptr;
  return taken;
}

// The rows of a column that arrives in chunks.
struct Chunks {
  explicit Chunks(const ArrowSchema& schema)
      : format(schema.dictionary ? "dictionary" : schema.format) {
    if (format != "u" && format != "U" && format != "vu")
      throw std::invalid_argument("the texts are an Arrow column of type '" + format +
                                  "', expected strings; cast the column to string first");
  }

  void append(Owned<ArrowArray> array) {
    if (array.length > 0) {
      refuse_nulls(array, rows.size());
      if (format == "u")
        append_offset_strings<std::int32_t>(array, rows);
      else if (format == "U")
        append_offset_strings<std::int64_t>(array, rows);
      else
        append_view_strings(array, rows);
    }
    arrays->push_back(std::move(array));
  }

  std::string format;
  std::vector<std::string_view> rows;
  std::shared_ptr<std::vector<Owned<ArrowArray>>> arrays =
      std::make_shared<std::vector<Owned<ArrowArray>>>();
};

}  // namespace

Texts::Texts(std::vector<std::string_view> rows, std::shared_ptr<const void> owner)
    : rows_(std::move(rows)), owner_(std::move(owner)) {
  for (std::size_t i = 0; i < rows_.size(); ++i) check_utf8(rows_[i], i);
}

Texts Texts::from_valid(std::vector<std::string_view> rows, std::shared_ptr<const void> owner) {
  Texts texts;
  texts.rows_ = std::move(rows);
  texts.owner_ = std::move(owner);
  return texts;
}

Texts Texts::from_lines(std::string_view data, std::shared_ptr<const void> owner) {
  std::vector<std::string_view> rows;
  std::size_t begin = 0;
  while (begin < data.size()) {
    const std::size_t end = std::min(data.find('\n', begin), data.size());
    std::string_view line = data.substr(begin, end - begin);
    if (end != data.size() && !line.empty() && line.back() == '\r') line.remove_suffix(1);
    check_utf8(line, rows.size());  // at once, while its bytes are near
    rows.push_back(line);
    begin = end + 1;
  }
  return from_valid(std::move(rows), std::move(owner));
}

Texts Texts::join(const std::vector<const Texts*>& parts) {
  Texts joined;
  auto owners = std::make_shared<std::vector<std::shared_ptr<const void>>>();
  for (const Texts* part : parts) {
    joined.rows_.insert(joined.rows_.end(), part->rows_.begin(), part->rows_.end());
    owners->push_back(part->owner_);
  }
  joined.owner_ = std::move(owners);
  return joined;
}

Texts Texts::from_arrow(ArrowArrayStream* source) {
  const auto stream = take_over(source);
  Owned<ArrowSchema> schema;
  check_stream(stream->get_schema(stream.get(), &schema), stream.get());
  Chunks chunks(schema);
  while (true) {
    Owned<ArrowArray> array;
    check_stream(stream->get_next(stream.get(), &array), stream.get());
    if (!array.release) break;
    chunks.append(std::move(array));
  }
  return Texts(std::move(chunks.rows), std::move(chunks.arrays));
}

Texts Texts::from_arrow(ArrowSchema* schema, ArrowArray* array) {
  const auto held = take_over(schema);
  Chunks chunks(*held);
  chunks.append(std::move(*take_over(array)));
  return Texts(std::move(chunks.rows), std::move(chunks.arrays));
}

std::vector<std::size_t> Texts::blank() const {
  std::vector<std::size_t> blank;
  for (std::size_t row = 0; row < size(); ++row) {
    const char* at = rows_[row].data();
    const char* const stop = at + rows_[row].size();
    bool white = true;
    while (white && at != stop) white = flags_of(decode(at)) & kWhite;
    if (white) blank.push_back(row);
  }
  return blank;
}

std::size_t Texts::batch_end(std::size_t begin, std::size_t bytes) const {
  std::size_t end = begin, held = 0;
  while (end < size() && held < bytes) held += rows_[end++].size() + 1;
  return end;
}

Texts Texts::take(const std::int64_t* rows, std::size_t n) const {
  Texts taken;
  taken.owner_ = owner_;
  taken.rows_.reserve(n);
  for (std::size_t i = 0; i < n; ++i) {
    if (rows[i] < 0 || static_cast<std::size_t>(rows[i]) >= size())
      throw std::out_of_range("row " + std::to_string(rows[i]) + " of " + std::to_string(size()));
    taken.rows_.push_back(rows_[static_cast<std::size_t>(rows[i])]);
  }
  return taken;
}

}  // namespace wordplane
