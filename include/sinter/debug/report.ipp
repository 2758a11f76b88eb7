#pragma once

#include <sinter/debug/report.hpp>
#include <sinter/debug/report/page.hpp>
#include <sinter/debug/report_files.hpp>
#include <sinter/jit/state/state.hpp>

namespace sinter::inline SINTER_ABI::detail::debug {

SINTER_INLINE void write_report(jit::State& state, const std::string& path, Where where) {
  detail::write_file(path, report_page(detail::facts_of(state)), where);
}

SINTER_INLINE bool install_reports() {
  jit::state_observer() = {.created = detail::note_created,
                           .destroyed = detail::note_destroyed,
                           .call_began = detail::note_call_began,
                           .call_ended = detail::note_call_ended};
  return true;
}

}  // namespace sinter::inline SINTER_ABI::detail::debug
