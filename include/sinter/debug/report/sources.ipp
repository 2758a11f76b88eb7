#pragma once

#include <cstdio>   // std::FILE
#include <cstdlib>  // std::atoll

#include <sinter/base/container/sorted_map.hpp>
#include <sinter/debug/report/json.hpp>
#include <sinter/debug/report/sources.hpp>

namespace sinter::inline SINTER_ABI::detail::debug {

namespace detail {

// Lines before and after a line that is named.
inline constexpr std::int64_t context_lines = 4;
inline constexpr std::size_t most_file_bytes = std::size_t{4} << 20;

SINTER_INLINE std::string content_of(const std::string& path) {
  std::string result;
  std::FILE* const file = std::fopen(path.c_str(), "r");
  if (file == nullptr) return result;
  char buffer[4096];
  for (std::size_t count = 1; count != 0 && result.size() < most_file_bytes;) {
    count = std::fread(buffer, 1, sizeof(buffer), file);
    result.append(buffer, count);
  }
  std::fclose(file);
  return result;
}

SINTER_INLINE std::string excerpt_json(const std::string& content,
                                       const SortedSet<std::int64_t>& lines) {
  std::vector<std::string> result;
  std::int64_t number = 1;
  for (std::size_t at = 0; at < content.size(); ++number) {
    const std::size_t end = std::min(content.find('\n', at), content.size());
    if (lines.count(number) != 0) {
      const std::string line = json_utf8(std::string_view(content).substr(at, end - at));
      result.push_back(json_values({std::to_string(number), line}));
    }
    at = end + 1;
  }
  return json_values(result);
}

}  // namespace detail

SINTER_INLINE std::string excerpts_json(const std::vector<std::string>& places) {
  SortedMap<std::string, SortedSet<std::int64_t>> files;
  for (const std::string& place : places) {
    const std::size_t colon = place.rfind(':');
    if (colon == std::string::npos || place.find('\n') != std::string::npos) continue;
    const std::int64_t line = std::atoll(place.c_str() + colon + 1);
    if (line <= 0) continue;
    SortedSet<std::int64_t>& lines = files[place.substr(0, colon)];
    for (std::int64_t i = -detail::context_lines; i <= detail::context_lines; ++i) {
      lines.insert(line + i);
    }
  }
  JsonObject result;
  for (const auto& [path, lines] : files) {
    const std::string content = detail::content_of(path);
    if (!content.empty()) result.add(path, detail::excerpt_json(content, lines));
  }
  return result.str();
}

}  // namespace sinter::inline SINTER_ABI::detail::debug
