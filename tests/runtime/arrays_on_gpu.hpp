#pragma once
// Operations on arrays of the interpreter, noted for a GPU.

#include <cstdint>
#include <span>
#include <vector>

#include <sinter/device/host/scoped_device.hpp>
#include <sinter/graph/builder.hpp>

#include "../gpu_graphs.hpp"
#include "arrays.hpp"

namespace arrays {

/// The elements of `x`, dense.
inline sinter::detail::Storage dense_elements(const Array& x) {
  const sinter::Where here = sinter::Where::current();
  const Array result = sinter::detail::runtime::interpreter::make_dense(x.dtype, x.shape, here);
  copy(x, result);
  return result.storage;
}

inline sinter::detail::AxisList axis_list(const Sizes& axes) { return {axes.begin(), axes.end()}; }

/// Notes for the GPU that `write` applied to `operands` gives `result`. Only the interpreter has
/// layouts: operands that differ only in layout are checked once.
template <class Write>
void note(const Vector<Array>& operands, const Array& result, const Write& write) {
  if (sinter::current_device().is_cpu()) return;
  sinter::detail::Graph graph;
  sinter::detail::Builder build(graph);
  Vector<sinter::detail::Value> values;
  Vector<sinter::detail::Storage> inputs;
  for (const Array& x : operands) {
    const std::span<const std::int64_t> shape(x.shape.begin(), x.shape.end());
    values.push_back(build.input({x.dtype, sinter::Shape(shape)}));
    inputs.push_back(dense_elements(x));
  }
  graph.outputs = {write(build, values)};
  gpu_graphs::note(graph, inputs, {}, {dense_elements(result)});
}

}  // namespace arrays
