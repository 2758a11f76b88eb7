#pragma once
// report(): one HTML file about a compiled function: recordings, breaks, graphs, kernels, memory.

#include <string>  // std::string

#include <sinter/base/where.hpp>
#include <sinter/config.hpp>
#include <sinter/jit/compile.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail::debug {

/// Writes the page of `state`. Throws IoError.
void write_report(jit::State& state, const std::string& path, Where where);

/// Has functions that are compiled from now on reported, if SINTER_REPORT or SINTER_DUMP is set.
bool install_reports();

}  // namespace detail::debug

/// Writes what explain() and stats() of `function` say now as a page, which needs no server and
/// loads nothing. Times are those of the last profile() that measured its kernels.
///
/// Throws IoError if the file cannot be written.
template <class F>
void report(const Compiled<F>& function, const std::string& path, Where where = Where::current()) {
  detail::debug::write_report(*function.state(), path, where);
}

namespace detail::debug {
// In every translation unit, so that SINTER_REPORT and SINTER_DUMP are served from the start.
[[maybe_unused]] static const bool reports_are_installed = install_reports();
}  // namespace detail::debug

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/debug/report.ipp>
#endif
