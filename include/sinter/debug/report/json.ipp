#pragma once

#include <cmath>   // std::isfinite
#include <cstdio>  // std::snprintf

#include <sinter/base/text.hpp>
#include <sinter/debug/report/json.hpp>
#include <sinter/io/json.hpp>
#include <sinter/jit/interface/options.hpp>

namespace sinter::inline SINTER_ABI::detail::debug {

SINTER_INLINE std::string json_number(double number) {
  if (!std::isfinite(number)) return "null";
  char buffer[32];
  std::snprintf(buffer, sizeof(buffer), "%.9g", number);
  return buffer;
}

SINTER_INLINE std::string json_values(const std::vector<std::string>& values) {
  std::string result = "[";
  for (const std::string& value : values) {
    if (result.size() > 1) result += ", ";
    result += value;
  }
  return result + "]";
}

SINTER_INLINE std::string json_numbers(const std::vector<std::int64_t>& numbers) {
  std::vector<std::string> values;
  for (const std::int64_t number : numbers) values.push_back(std::to_string(number));
  return json_values(values);
}

SINTER_INLINE std::string json_utf8(std::string_view value) {
  std::string result;
  while (true) {
    const std::size_t valid = io::valid_utf8(value);
    result += value.substr(0, valid);
    if (valid == value.size()) return json_text(result);
    result += '?';
    value.remove_prefix(valid + 1);
  }
}

SINTER_INLINE JsonObject& JsonObject::add(std::string_view key, std::string_view json) {
  if (!members_.empty()) members_ += ", ";
  members_ += text(json_text(key), ": ", json);
  return *this;
}

SINTER_INLINE JsonObject& JsonObject::add(std::string_view key, std::int64_t number) {
  return add(key, std::to_string(number));
}

SINTER_INLINE JsonObject& JsonObject::add(std::string_view key, double number) {
  return add(key, json_number(number));
}

SINTER_INLINE JsonObject& JsonObject::add_flag(std::string_view key, bool flag) {
  return add(key, std::string_view(flag ? "true" : "false"));
}

SINTER_INLINE JsonObject& JsonObject::add_text(std::string_view key, std::string_view value) {
  return add(key, json_utf8(value));
}

SINTER_INLINE std::int64_t StringTable::index(const std::string& value) {
  const auto [known, is_new] = numbers_.insert({value, static_cast<std::int64_t>(list_.size())});
  if (is_new) list_.push_back(value);
  return known->second;
}

SINTER_INLINE std::string StringTable::json() const {
  std::vector<std::string> values;
  for (const std::string& one : list_) values.push_back(json_utf8(one));
  return json_values(values);
}

}  // namespace sinter::inline SINTER_ABI::detail::debug
