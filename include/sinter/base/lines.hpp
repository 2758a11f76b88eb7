#pragma once
// Lists of unique source lines of the user.

#include <string_view>  // std::string_view
#include <vector>       // std::vector

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/where.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// Appends `line`, unless `lines` has it or it is not known.
inline void add_line(std::vector<Where>& lines, const Where& line) {
  const bool is_new = none_of(lines, [&](const Where& other) {
    return other.line() == line.line() && std::string_view(other.file_name()) == line.file_name();
  });
  if (is_new && line.line() != 0) lines.push_back(line);
}

/// Appends those of `more` that `lines` does not have.
inline void add_lines(std::vector<Where>& lines, const std::vector<Where>& more) {
  for (const Where& line : more) add_line(lines, line);
}

}  // namespace sinter::inline SINTER_ABI::detail
