#pragma once
// The files that SINTER_REPORT and SINTER_DUMP leave of each compiled function.

#include <string>  // std::string

#include <sinter/base/where.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

class State;

}  // namespace sinter::inline SINTER_ABI::detail::jit

namespace sinter::inline SINTER_ABI::detail::debug {

/// Writes the page of `state`. Throws IoError.
void write_report(jit::State& state, const std::string& path, Where where);

/// Writes a page for each "function_NNN_name.json" in `directory`, and index.html. Returns their number.
///
/// Throws IoError.
std::size_t write_reports_of_dump(const std::string& directory, Where where = Where::current());

/// Writes what each function that is alive did so far, as at the end of the process.
void write_all_reports();

/// Has functions that are compiled from now on reported. Idempotent.
bool install_reports();

}  // namespace sinter::inline SINTER_ABI::detail::debug

#ifdef SINTER_DEFINITIONS
#include <sinter/debug/report_files.ipp>
#endif
