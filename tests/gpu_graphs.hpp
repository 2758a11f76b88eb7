#pragma once
// Graphs that a test interprets, once more on a GPU where the test is moved to one: all those of a
// test case in one program, when the case ends.

#include <cstdint>
#include <vector>

#include <sinter/device/host/storage.hpp>
#include <sinter/graph/graph.hpp>

namespace gpu_graphs {

/// `graph` gives `expected` for `inputs` and these sizes, as the interpreter says: a test that is
/// moved to a GPU fails where it gives anything else there. A graph that came before is left out.
void note(const sinter::detail::Graph& graph, const std::vector<sinter::detail::Storage>& inputs,
          const std::vector<std::int64_t>& symbols,
          const std::vector<sinter::detail::Storage>& expected);

}  // namespace gpu_graphs
