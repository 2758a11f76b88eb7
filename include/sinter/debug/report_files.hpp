#pragma once
// The files that SINTER_REPORT and SINTER_DUMP leave of each compiled function.

#include <string>       // std::string
#include <string_view>  // std::string_view

#include <sinter/base/where.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

class State;

}  // namespace sinter::inline SINTER_ABI::detail::jit

namespace sinter::inline SINTER_ABI::detail {

struct Profile;

}  // namespace sinter::inline SINTER_ABI::detail

namespace sinter::inline SINTER_ABI::detail::debug {

/// Writes a page for each "function_NNN_name.json" in `directory`, and index.html. Returns their
/// number.
///
/// Throws IoError.
std::size_t write_reports_of_dump(const std::string& directory, Where where = Where::current());

/// Writes what each function that is alive did so far, as at the end of the process.
void write_all_reports();

namespace detail {

/// The facts of `state`, with the latest profile if it measured kernels of the last call, or else
/// with `sampled`, which may be null.
std::string facts_of(jit::State& state, const Profile* sampled = nullptr);
void write_file(const std::string& path, std::string_view content, Where where);

/// What the observer of compiled functions does: see jit::StateObserver.
bool note_created(jit::State& state);
void note_destroyed(jit::State& state);
bool note_call_began(const jit::State& state);
void note_call_ended(const jit::State& state);

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::detail::debug

#ifdef SINTER_DEFINITIONS
#include <sinter/debug/report_files.ipp>
#endif
