#pragma once

#include <sinter/base/error.hpp>

namespace sinter::inline SINTER_ABI::detail {

SINTER_INLINE void Facts::for_each(
    FunctionRef<void(const TextPart& label, const TextPart& value)> visit) const {
  for (const Fact& fact : list_) visit(fact.label, fact.value);
  if (stored_ == nullptr) return;
  for (const auto& [label, value] : *stored_) visit(label, value);
}

SINTER_INLINE std::string to_string(const ReportParts& report) {
  std::string result = text(report.op, ": ", report.what);
  const auto line = [&result](const TextPart& label, const TextPart& part) {
    const std::string value = text(part);
    if (!value.empty()) result += text("\n  ", pad(text(label), 6), value);
  };
  report.facts.for_each(line);
  line("in", report.module);
  line("rule", report.rule);
  line("fix", report.fix);
  line("at", sinter::to_string(report.where));
  const std::string section = text(report.see);
  if (!section.empty()) line("see", text("docs/errors.md#", section));
  return result;
}
SINTER_INLINE std::string to_string(const Report& report) {
  return to_string(ReportParts::of(report));
}

SINTER_INLINE ReportParts as_called(ReportParts report) {
  const CalledFunction& called = detail::call_in_progress;
  if (called.name == nullptr) return report;
  report.op = called.name;
  if (called.where.line() != 0) report.where = called.where;
  if (called.path != nullptr) report.module = *called.path;
  return report;
}

}  // namespace sinter::inline SINTER_ABI::detail
