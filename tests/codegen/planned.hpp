#pragma once
// Plans of functions of tensors for a GPU.

#include <vector>

#include <sinter/pass/pipeline.hpp>
#include <sinter/schedule/gpu_target.hpp>
#include <sinter/schedule/plan.hpp>
#include <sinter/sinter.hpp>
#include <sinter/trace/subgraph/body.hpp>

namespace kernels {

using Tensors = std::vector<Tensor>;

/// The plan of function(tensors), which gives tensors, for inputs of `types`.
template <class Function>
schedule::Plan planned(const Vector<TensorType>& types, const Function& function,
                       const schedule::Target& target = schedule::gpu_target()) {
  sinter::detail::Body body;
  {
    const sinter::detail::BodyScope scope(body);
    for (const TensorType& type : types) {
      sinter::detail::add_variable(body, type, Where::current());
    }
    const Tensors inputs = body.variables;
    body.results = function(inputs);
  }
  Tensors captured;
  const Graph graph = pass::optimize(sinter::detail::graph_of(body, captured), {});
  return schedule::plan(graph, {.row_tiles = true, .target = target});
}

}  // namespace kernels
