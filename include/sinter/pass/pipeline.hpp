#pragma once
// The passes in their order: the table of contents of the middle of the compiler.

#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/pass/options.hpp>

namespace sinter::inline SINTER_ABI::detail::pass {

/// A smaller graph that computes the same outputs from the same inputs. Passes run in rounds until
/// nothing changes. Equal nodes become one and nodes that no output needs disappear in each of
/// them: rewriting does that. No pass merges common subexpressions: graph/builder.hpp does.
/// SINTER_LOGS=graph prints what each pass did.
Graph optimize(const Graph& graph, Options options = {});

}  // namespace sinter::inline SINTER_ABI::detail::pass

#ifdef SINTER_DEFINITIONS
#include <sinter/pass/pipeline.ipp>
#endif
