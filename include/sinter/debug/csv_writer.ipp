#pragma once

#include <sinter/base/error.hpp>
#include <sinter/base/text.hpp>
#include <sinter/debug/csv_writer.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail::debug {

SINTER_INLINE std::string csv_text(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + '"';
}

SINTER_INLINE std::string csv_line(const std::vector<CsvCell>& cells) {
  std::string result;
  for (const CsvCell& cell : cells) result += (&cell == cells.data() ? "" : ",") + cell.text();
  return result + "\r\n";
}

}  // namespace detail::debug

SINTER_INLINE CsvCell::CsvCell(float number) : text_(detail::text(number)) {}
SINTER_INLINE CsvCell::CsvCell(double number) : text_(detail::text(number)) {}
SINTER_INLINE CsvCell::CsvCell(std::string_view text) : text_(detail::debug::csv_text(text)) {}

SINTER_INLINE CsvWriter::CsvWriter(std::string path, std::vector<std::string> columns, Open open,
                                   Where where)
    : columns_(columns.size()), file_("CsvWriter", std::move(path), open == Open::append, where) {
  if (file_.is_empty()) {
    file_.write(detail::debug::csv_line(std::vector<CsvCell>(columns.begin(), columns.end())));
  }
}

SINTER_INLINE void CsvWriter::row(const std::vector<CsvCell>& cells, Where where) {
  if (cells.size() != columns_) {
    throw ValueError({.op = "CsvWriter::row",
                      .what = "the row does not fit the columns",
                      .facts = {{"cells", std::to_string(cells.size())},
                                {"columns", std::to_string(columns_)},
                                {"file", file_.path()}},
                      .rule = "a row has a cell for each column",
                      .fix = "pass as many cells as columns; \"\" is an empty one",
                      .where = where});
  }
  file_.write(detail::debug::csv_line(cells));
}

}  // namespace sinter::inline SINTER_ABI
