#pragma once
// Builds the JSON of a report: objects, and a table of the strings that repeat.

#include <cstdint>      // std::int64_t
#include <string>       // std::string
#include <string_view>  // std::string_view
#include <vector>       // std::vector

#include <sinter/base/container/hash_map.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::debug {

/// A JSON object, member by member. Values are JSON, but for those of add_text().
class JsonObject {
 public:
  JsonObject& add(std::string_view key, std::string_view json);
  JsonObject& add(std::string_view key, std::int64_t number);
  JsonObject& add(std::string_view key, double number);
  JsonObject& add_flag(std::string_view key, bool flag);
  JsonObject& add_text(std::string_view key, std::string_view value);
  std::string str() const { return "{" + members_ + "}"; }

 private:
  std::string members_{};
};

/// A number as JSON: "null" if it is not finite.
std::string json_number(double number);
/// "[1, 2]"
std::string json_numbers(const std::vector<std::int64_t>& numbers);
/// "[a, b]" of values that are JSON.
std::string json_values(const std::vector<std::string>& values);
/// `value` as a JSON string; bytes that are not UTF-8 become '?'.
std::string json_utf8(std::string_view value);

/// Numbers strings by their first use.
class StringTable {
 public:
  std::int64_t index(const std::string& value);
  const std::vector<std::string>& list() const { return list_; }
  std::string json() const;

 private:
  HashMap<std::string, std::int64_t> numbers_{};
  std::vector<std::string> list_{};
};

}  // namespace sinter::inline SINTER_ABI::detail::debug

#ifdef SINTER_DEFINITIONS
#include <sinter/debug/report/json.ipp>
#endif
