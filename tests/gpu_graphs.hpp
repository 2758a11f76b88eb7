#pragma once
// If a test is moved to a GPU, runs the graphs that it interpreted on the GPU as well: all graphs
// of a test case in one program, when the case ends.

#include <cstdint>
#include <vector>

#include <sinter/device/host/storage.hpp>
#include <sinter/graph/graph.hpp>

namespace gpu_graphs {

/// Records that `graph` gives `expected` for `inputs` and these sizes according to the interpreter.
/// A test that is moved to a GPU fails if the GPU gives something else. Repeated graphs are
/// skipped.
void note(const sinter::detail::Graph& graph,
          const sinter::detail::Vector<sinter::detail::Storage>& inputs,
          const std::vector<std::int64_t>& symbols,
          const sinter::detail::Vector<sinter::detail::Storage>& expected);

}  // namespace gpu_graphs
