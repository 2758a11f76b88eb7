#pragma once
// Small problems for the tests of this room.

#include <sinter/debug/fault/trial.hpp>
#include <sinter/graph/builder.hpp>

namespace fault_tests {

using namespace sinter;
using namespace sinter::detail;

inline Storage floats(std::initializer_list<float> list) {
  const Storage result = Storage::allocate(list.size() * sizeof(float));
  std::copy(list.begin(), list.end(), static_cast<float*>(result.data()));
  return result;
}

inline float at(const Storage& storage, std::size_t i) {
  return static_cast<const float*>(storage.data())[i];
}

/// tanh(x) * y + exp(x), of two elements.
inline debug::Problem small_problem() {
  debug::Problem result;
  Builder build(result.graph);
  const Value x = build.input({f32, {2}}), y = build.input({f32, {2}});
  const Value product = build.mul(build.elementwise(Op::tanh, {x}), y);
  result.graph.outputs = {build.add(product, build.elementwise(Op::exp, {x}))};
  result.inputs = {floats({0.5f, 1}), floats({2, 3})};
  return result;
}

}  // namespace fault_tests
