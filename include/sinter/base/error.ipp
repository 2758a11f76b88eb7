#pragma once

#include <sinter/base/error.hpp>

namespace sinter::inline SINTER_ABI::detail {

SINTER_INLINE std::string to_string(const Report& report) {
  std::string result = text(report.op, ": ", report.what);
  const auto line = [&result](std::string label, const std::string& value) {
    if (!value.empty()) result += text("\n  ", pad(std::move(label), 6), value);
  };
  for (const auto& [label, value] : report.facts) line(label, value);
  line("rule", report.rule);
  line("fix", report.fix);
  line("at", sinter::to_string(report.where));
  if (!report.see.empty()) line("see", "docs/errors.md#" + report.see);
  return result;
}

SINTER_INLINE Report as_called(Report report) {
  const CalledFunction& called = detail::call_in_progress;
  if (called.name == nullptr) return report;
  report.op = called.name;
  if (called.where.line() != 0) report.where = called.where;
  if (called.path != nullptr && !called.path->empty()) {
    report.facts.emplace_back("in", *called.path);
  }
  return report;
}

}  // namespace sinter::inline SINTER_ABI::detail
