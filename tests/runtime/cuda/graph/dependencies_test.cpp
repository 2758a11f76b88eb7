#include <doctest/doctest.h>
#include <sinter/graph/custom/custom_code.hpp>
#include <sinter/graph/custom/stream_kernel.hpp>
#include <sinter/runtime/cuda/graph/dependencies.hpp>

#include <vector>

using namespace sinter;
using namespace sinter::detail;
using schedule::Access;
using schedule::Home;
using Order = Vector<Vector<std::int32_t>>;

namespace {

// A plan of bytes: each launch reads all its buffers but the last, which it writes.
struct Bytes {
  std::int32_t input(Extent bytes = 64) {
    const std::int32_t result = add(bytes, Home::input, 0);
    plan.buffers.back().position = static_cast<std::int32_t>(plan.inputs.size());
    plan.inputs.push_back(result);
    return result;
  }
  std::int32_t output(Extent bytes = 64) {
    const std::int32_t result = add(bytes, Home::output, 0);
    plan.buffers.back().position = static_cast<std::int32_t>(plan.outputs.size());
    plan.outputs.push_back(result);
    return result;
  }
  std::int32_t arena(Extent offset, Extent bytes = 64) { return add(bytes, Home::arena, offset); }
  std::int32_t add(Extent bytes, Home home, Extent offset) {
    plan.buffers.push_back({.dtype = u8, .elements = bytes, .home = home, .offset = offset});
    return static_cast<std::int32_t>(plan.buffers.size()) - 1;
  }
  void launch(Vector<std::int32_t> buffers, Access last = Access::write) {
    schedule::Kernel kernel;
    kernel.arguments.resize(buffers.size(), {.dtype = u8, .access = Access::read, .elements = 64});
    kernel.arguments.back().access = last;
    kernel.arguments.insert(kernel.arguments.begin(),
                            {.dtype = u8, .access = Access::local, .elements = 8});
    plan.launches.push_back(
        {.kernel = static_cast<std::int32_t>(plan.kernels.size()), .buffers = std::move(buffers)});
    plan.kernels.push_back(std::move(kernel));
  }
  Order order(Vector<schedule::Update> updates = {}) const {
    return runtime::launch_dependencies(plan, updates);
  }
  schedule::Plan plan{};
};

}  // namespace

TEST_CASE("dependencies: a launch depends on the writers of its inputs, without duplicates") {
  Bytes b;
  const auto x = b.input(), y = b.output(), one = b.arena(0), two = b.arena(64),
             three = b.arena(128);
  b.launch({x, one});
  b.launch({x, two});  // beside the first
  b.launch({one, three});
  b.launch({one, two, three, y});  // waits for one through three
  CHECK(b.order() == Order{{}, {}, {0}, {2, 1}});
}

TEST_CASE("dependencies: a launch depends on earlier readers and writers of its outputs") {
  Bytes b;
  const auto x = b.input(), y = b.output(), z = b.output(), one = b.arena(0);
  b.launch({x, one});
  b.launch({one, y});
  b.launch({one, z});
  b.launch({x, one});                    // after both that read it
  b.launch({x, y}, Access::read_write);  // adds to y
  CHECK(b.order() == Order{{}, {0}, {0}, {2, 1}, {1}});
}

TEST_CASE("dependencies: overlapping arena buffers alias") {
  Bytes b;
  const auto x = b.input(), y = b.output(), z = b.output();
  const auto one = b.arena(0, 100), two = b.arena(64, 64), three = b.arena(128, 64);
  b.launch({x, one});
  b.launch({one, y});
  b.launch({x, two});    // over the end of one
  b.launch({x, three});  // beside both
  b.launch({two, three, z});
  CHECK(b.order() == Order{{}, {0}, {1}, {}, {3, 2}});
}

TEST_CASE("dependencies: a partial overwrite does not hide earlier uses of the rest") {
  Bytes b;
  const auto x = b.input(), whole = b.arena(0, 128), left = b.arena(0, 64), right = b.arena(64, 64);
  b.launch({x, whole});
  b.launch({x, left});
  b.launch({x, right});  // after the first, not after the second
  b.launch({whole, right, left});
  b.launch({x, whole});
  b.launch({x, right});
  CHECK(b.order() == Order{{}, {0}, {0}, {2, 1}, {3}, {4}});
}

TEST_CASE("dependencies: buffers at symbolic offsets alias unless proven disjoint") {
  const Extent n = Extent::symbol(0, {0, 1 << 20}), m = Extent::symbol(1, {0, 1 << 20});
  Bytes b;
  const auto x = b.input(), one = b.arena(0), two = b.arena(64, n), three = b.arena(64 + n, m),
             four = b.arena(64 + m, n);
  b.launch({x, one});
  b.launch({x, two});
  b.launch({x, three});
  b.launch({x, four});
  b.launch({x, two});
  CHECK(b.order() == Order{{}, {}, {}, {2, 1}, {3}});
}

TEST_CASE("dependencies: an in-place update depends on the readers of the input") {
  Bytes b;
  const auto x = b.input(), y = b.input(), z = b.output(), next = b.output();
  b.launch({x, y, z});
  b.launch({y, next});
  CHECK(b.order() == Order{{}, {}});
  CHECK(b.order({{.input = 0, .output = 1}}) == Order{{}, {0}});
}

TEST_CASE("dependencies: control flow may read and write all its buffers") {
  Bytes b;
  const auto x = b.input(), y = b.output(), one = b.arena(0);
  b.launch({x, one});
  b.plan.controls.push_back({.op = Op::cond});
  b.plan.launches.push_back({.buffers = {x, one, y}, .control = 0});
  b.launch({x, one});
  CHECK(b.order() == Order{{}, {0}, {1}});
}

TEST_CASE("dependencies: what a library enqueues reads its operands, and runs in order") {
  struct Nothing : StreamKernel {
    void prepare(std::span<const RawTensor>, std::span<const RawTensor>, int) const override {}
    void enqueue(std::span<const RawTensor>, std::span<const RawTensor>, int,
                 void*) const override {}
  };
  CustomCode code;
  code.on_stream = make_shared_ptr<const Nothing>();
  const auto shared = make_shared_ptr<const CustomCode>(std::move(code));
  Bytes b;
  const auto x = b.input(), one = b.arena(0), two = b.arena(64), y = b.output(), z = b.output();
  b.launch({x, one});
  for (const std::int32_t result : {y, z}) {
    b.plan.controls.push_back(
        {.op = Op::custom, .inputs = 1, .results = 1, .code = shared, .types = {{u8, {64}}}});
    const auto control = static_cast<std::int32_t>(b.plan.controls.size()) - 1;
    b.plan.launches.push_back({.buffers = {one, result}, .control = control});
  }
  b.launch({one, two});  // beside both, for these only read
  CHECK(b.order() == Order{{}, {0}, {1}, {0}});
}
