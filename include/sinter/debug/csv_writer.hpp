#pragma once
// CsvWriter: numbers of a training as a table of comma-separated values.

#include <concepts>     // std::integral
#include <cstddef>      // std::size_t
#include <cstdint>      // std::int64_t
#include <string>       // std::string
#include <string_view>  // std::string_view
#include <vector>       // std::vector

#include <sinter/config.hpp>
#include <sinter/debug/append_file.hpp>

namespace sinter::inline SINTER_ABI {

/// A cell of a row: a number, written so that it reads back as the same, or a text.
class CsvCell {
 public:
  CsvCell(float number);
  CsvCell(double number);
  CsvCell(std::integral auto number) : text_(std::to_string(number)) {}
  CsvCell(std::string_view text);
  CsvCell(const char* text) : CsvCell(std::string_view(text)) {}
  CsvCell(const std::string& text) : CsvCell(std::string_view(text)) {}

  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// Writes rows to a file, as RFC 4180 has it; a row is complete in the file when row() returns.
class CsvWriter {
 public:
  enum class Open : unsigned char { anew, append };

  /// A file at `path` with a first line of `columns`; with `append` a file that has lines gets no
  /// further line of columns. Folders are made. Throws IoError.
  CsvWriter(std::string path, std::vector<std::string> columns, Open open = Open::anew,
            Where where = Where::current());

  /// Throws ValueError unless there is a cell for each column; IoError.
  void row(const std::vector<CsvCell>& cells, Where where = Where::current());

 private:
  std::size_t columns_;
  detail::debug::AppendFile file_;
};

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/debug/csv_writer.ipp>
#endif
