// The common case of CSV: rows of equally many fields, read column by column.
// Python side: data/formats/plain_csv.py
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace wordplane {

struct CsvLayout {
  char delimiter;
  std::size_t n_fields;              // of each row
  std::vector<std::size_t> columns;  // those that are wanted, ascending
};

struct CsvRows {
  std::vector<std::vector<std::string_view>> columns;  // of the data, or of `unquoted`
  std::shared_ptr<const std::string> unquoted;         // fields in which quotes were doubled
  std::vector<std::int64_t> lines;  // that end before each row, a line within a field, too
  std::size_t n_bytes = 0;          // of these rows
  std::int64_t n_lines = 0;         // that end within them
};

// The first rows of the data, at most so many; the last one needs no newline if it is the end of a
// file, and otherwise is left out. Nothing if a row is unusual: another number of fields, quotes
// other than around whole fields and doubled inside, an empty line, a carriage return that is not
// followed by a newline, a zero byte, bytes that are not UTF-8.
std::optional<CsvRows> csv_rows(std::string_view data, const CsvLayout& layout,
                                std::size_t most_rows, bool is_end);

}  // namespace wordplane
