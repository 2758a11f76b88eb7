#pragma once

#include <sinter/base/container/algorithm.hpp>
#include <sinter/debug/profile_facts.hpp>

namespace sinter::inline SINTER_ABI::detail::debug {

namespace detail {

// The most events of a call that a page shows.
inline constexpr std::size_t most_events = 20'000;

SINTER_INLINE std::string kernel_json(const KernelProfile& kernel, const Roofline& roof,
                                      StringTable& strings) {
  std::vector<std::int64_t> lines;
  for (const Where& line : kernel.lines) lines.push_back(strings.index(sinter::to_string(line)));
  return JsonObject()
      .add_text("name", kernel.name)
      .add("runs", kernel.runs)
      .add("threads", std::int64_t{kernel.threads})
      .add("gpu", std::int64_t{kernel.gpu})
      .add("least", kernel.least)
      .add("seconds", kernel.seconds)
      .add("read", kernel.bytes_read)
      .add("written", kernel.bytes_written)
      .add("operations", kernel.operations)
      .add("roof", share_of_roof(kernel, roof))
      .add("lines", json_numbers(lines))
      .str();
}

SINTER_INLINE CallEvent median_call(const Profile& profile) {
  std::vector<CallEvent> calls = profile.calls;
  stable_sort(calls, [](const CallEvent& a, const CallEvent& b) {
    return a.end - a.start < b.end - b.start;
  });
  return calls[calls.size() / 2];
}

// [kernel, thread, GPU or -1, start, end] of each, in microseconds since the call began.
SINTER_INLINE std::string events_json(const Profile& profile, const CallEvent& call) {
  std::vector<std::string> result;
  for (const KernelEvent& event : profile.events) {
    const bool is_inside = event.end >= call.start && event.start <= call.end;
    if (!is_inside || result.size() == most_events) continue;
    result.push_back(
        json_values({std::to_string(event.kernel), std::to_string(event.thread),
                     std::to_string(event.gpu), json_number(1e6 * (event.start - call.start)),
                     json_number(1e6 * (event.end - call.start))}));
  }
  return json_values(result);
}

}  // namespace detail

SINTER_INLINE std::string profile_json(const Profile* profile, StringTable& strings) {
  if (profile == nullptr || profile->calls.empty()) return "null";
  const CallEvent call = detail::median_call(*profile);
  double seconds = 0;
  for (const CallEvent& one : profile->calls) seconds += one.end - one.start;
  std::vector<std::string> kernels;
  for (const KernelProfile& kernel : profile->kernels) {
    kernels.push_back(detail::kernel_json(kernel, profile->roof, strings));
  }
  const std::string roof = JsonObject()
                               .add("threads", std::int64_t{profile->roof.threads})
                               .add("bytes_per_second", profile->roof.bytes_per_second)
                               .add("operations_per_second", profile->roof.operations_per_second)
                               .str();
  return JsonObject()
      .add("calls", static_cast<std::int64_t>(profile->calls.size()))
      .add("seconds", seconds)
      .add("roof", roof)
      .add("kernels", json_values(kernels))
      .add("call", 1e6 * (call.end - call.start))
      .add("events", detail::events_json(*profile, call))
      .str();
}

}  // namespace sinter::inline SINTER_ABI::detail::debug
