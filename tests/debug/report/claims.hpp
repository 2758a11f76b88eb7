#pragma once
// What explain(), stats() and profile() say, as JSON for the checks of a page.

#include <sinter/debug/report/json.hpp>
#include <sinter/sinter.hpp>

#include <string>
#include <vector>

#include "jit/support.hpp"

namespace testing {

inline std::string stats_claims(const Stats& stats) {
  return debug::JsonObject()
      .add("calls", stats.calls)
      .add("graphs", stats.graphs)
      .add("breaks", stats.breaks)
      .add("recompiles", stats.recompiles)
      .add("launches", stats.launches)
      .add("kernels", stats.kernels)
      .add("bytes_read", stats.bytes_read)
      .add("bytes_written", stats.bytes_written)
      .add("peak_bytes", stats.peak_bytes)
      .add("kernels_compiled", stats.kernels_compiled)
      .add("disk_hits", stats.disk_hits)
      .str();
}

inline std::string kernel_claims(const Explanation& explanation) {
  std::vector<std::string> kernels;
  for (const KernelInfo& kernel : explanation.kernels) {
    std::vector<std::string> lines;
    for (const Where& line : kernel.lines) lines.push_back(debug::json_utf8(to_string(line)));
    kernels.push_back(debug::JsonObject()
                          .add_text("name", kernel.name)
                          .add_text("source", kernel.source)
                          .add("read", kernel.bytes_read)
                          .add("written", kernel.bytes_written)
                          .add("lines", debug::json_values(lines))
                          .str());
  }
  return debug::json_values(kernels);
}

inline std::string break_claims(const Explanation& explanation) {
  std::vector<std::string> breaks;
  for (const Break& found : explanation.breaks) {
    breaks.push_back(debug::JsonObject()
                         .add_text("reason", found.reason)
                         .add_text("line", to_string(found.where))
                         .add_text("fix", found.fix)
                         .str());
  }
  return debug::json_values(breaks);
}

inline std::string profile_claims(const sinter::detail::Profile& profile) {
  std::vector<std::string> kernels;
  for (const auto& kernel : profile.kernels) {
    kernels.push_back(debug::JsonObject()
                          .add_text("name", kernel.name)
                          .add("runs", kernel.runs)
                          .add("seconds", kernel.seconds)
                          .add("read", kernel.bytes_read)
                          .add("written", kernel.bytes_written)
                          .add("roof", share_of_roof(kernel, profile.roof))
                          .str());
  }
  return debug::json_values(kernels);
}

/// What a page of `function` has to show; `profile` is null without a profile.
template <class F>
std::string claims_of(const Compiled<F>& function, const sinter::detail::Profile* profile) {
  const Explanation explanation = function.explain();
  std::vector<std::string> recompiles;
  for (const std::string& one : explanation.recompiles) recompiles.push_back(debug::json_utf8(one));
  return debug::JsonObject()
      .add("stats", stats_claims(function.stats()))
      .add("kernels", kernel_claims(explanation))
      .add("breaks", break_claims(explanation))
      .add("recompiles", debug::json_values(recompiles))
      .add("profile", profile == nullptr ? "null" : profile_claims(*profile))
      .str();
}

}  // namespace testing
