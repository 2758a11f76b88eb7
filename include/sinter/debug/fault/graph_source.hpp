#pragma once
// A problem as a C++ program that builds it, runs it and says whether it still fails.

#include <string>  // std::string

#include <sinter/config.hpp>
#include <sinter/debug/fault/problem.hpp>
#include <sinter/debug/fault/trial.hpp>

namespace sinter::inline SINTER_ABI::detail::debug {

/// The text of a function `name` that returns `graph`, behind those of its bodies.
std::string graph_function(const Graph& graph, const std::string& name);

/// The whole program. `about` is a comment at its top, without slashes.
///
/// Throws ValueError for graphs that call compiled functions.
std::string program_text(const Problem& problem, FailureKind fault, const std::string& about);

}  // namespace sinter::inline SINTER_ABI::detail::debug

#ifdef SINTER_DEFINITIONS
#include <sinter/debug/fault/graph_source.ipp>
#endif
