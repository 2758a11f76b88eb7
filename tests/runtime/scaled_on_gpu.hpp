#pragma once
// A small GPU program with an input that may be a host scalar.

#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/device/cuda/copy.hpp>
#include <sinter/graph/builder.hpp>
#include <sinter/jit/lower/lower.hpp>

namespace {

using namespace sinter;
using namespace sinter::detail;

// A program of x * y + x, where x has 4 elements and y is a number.
struct Scaled {
  Scaled() {
    Graph graph;
    Builder builder(graph);
    const Value x = builder.input({f32, {4}}), y = builder.input({f32, {}});
    const Value wide = builder.expand(builder.reshape(y, {1}), {4});
    graph.outputs = {builder.add(builder.mul(x, wide), x)};
    program = jit::lower(graph, {.device = cuda(), .graphs = true}).program;
  }
  // Element 3 for x = {1, 2, 3, 4}.
  float run(float number) const {
    const float numbers[]{1, 2, 3, 4};
    const Storage x = copied_to(Storage::borrow(numbers, sizeof(numbers)), cuda());
    const Storage y = Storage::allocate(16, cuda());
    void* const inputs[]{x.data(), &number};
    void* const outputs[]{y.data()};
    program->run(inputs, outputs, {});
    return static_cast<const float*>(host_bytes(y))[3];
  }
  SharedPtr<const jit::Program> program;
};

}  // namespace
