#pragma once
// Runs a function in a child process, which may crash.

#include <string>  // std::string

#include <sinter/base/container/function_ref.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::debug {

/// The result of `run`, which a fork of this process calls; "signal N" if that ends by a signal, or
/// takes more than five minutes. The child does not continue threads of this process. GPUs must not
/// be in use.
std::string in_child(FunctionRef<std::string()> run);

/// True if `text` is that of a child that ended by a signal.
bool is_crash(const std::string& text);

}  // namespace sinter::inline SINTER_ABI::detail::debug

#ifdef SINTER_DEFINITIONS
#include <sinter/debug/fault/child.ipp>
#endif
