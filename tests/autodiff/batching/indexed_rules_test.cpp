// test: moved
#include <sinter/autodiff/batching/indexed_rules.hpp>

#include "batches.hpp"

using namespace batches;

namespace {

// Indices of two samples, of which one reads x[at] of x[3].
Vector<Storage> gathered(std::int64_t at) {
  Sample sample;
  const Value x = sample.x({3}), indices = sample.indices({1}, 3);
  sample.graph.outputs = {sample.builder.gather(x, indices, 0)};
  const SampleBatch batch(sample, {true, true}, 2);
  Storage numbers = Storage::allocate(6 * sizeof(float)), places = Storage::allocate(16);
  for (int i = 0; i < 6; ++i) static_cast<float*>(numbers.data())[i] = static_cast<float>(i);
  static_cast<std::int64_t*>(places.data())[0] = 0;
  static_cast<std::int64_t*>(places.data())[1] = at;
  return runtime::interpret(batch.graph, Vector<Storage>{numbers, places});
}

}  // namespace

TEST_CASE("batch_indexed_rules: gather with each choice of batched operands") {
  check([](Sample& s) -> Vector<Value> {
    const Value x = s.x({2, s.size(4), 3}), at = s.indices({s.size(5)}, 4);
    return {s.builder.gather(x, at, 1)};
  });
  check([](Sample& s) -> Vector<Value> {
    const Value x = s.x({s.size(3), 2}), at = s.indices({2, s.size(2)}, 2);
    return {s.builder.gather(x, at, 1)};
  });
  check([](Sample& s) -> Vector<Value> {
    return {s.builder.gather(s.x({s.size(3), 2}), s.indices({}, 3), 0)};
  });
}

TEST_CASE("batch_indexed_rules: scatter_add with each choice of batched operands") {
  check([](Sample& s) -> Vector<Value> {
    const Extent n = s.size(4), m = s.size(5);
    const Value x = s.x({2, n, 3}), at = s.indices({m}, 4);
    return {s.builder.scatter_add(x, at, s.x({2, m, 3}), 1)};
  });
  check([](Sample& s) -> Vector<Value> {
    const Extent n = s.size(3);
    const Value x = s.x({n, 2}), at = s.indices({2, 2}, 2);
    return {s.builder.scatter_add(x, at, s.x({n, 2, 2}), 1)};
  });
  check([](Sample& s) -> Vector<Value> {
    const Value x = s.x({s.size(3)}), at = s.indices({}, 3);
    return {s.builder.scatter_add(x, at, s.x({}), 0)};
  });
}

TEST_CASE("batch_indexed_rules: an index out of range is no element of another sample") {
  CHECK(static_cast<const float*>(gathered(-3)[0].data())[1] == 3);
  CHECK(static_cast<const float*>(gathered(2)[0].data())[1] == 5);
  for (const std::int64_t wrong : {3, -4, 100, -100}) CHECK_THROWS_AS(gathered(wrong), IndexError);
}

TEST_CASE("batch_indexed_rules: dot_general keeps the order of its axes") {
  check([](Sample& s) -> Vector<Value> {
    const Extent n = s.size(2), k = s.size(3), m = s.size(4);
    const Value x = s.x({n, k}), y = s.x({k, m});
    return {s.builder.dot_general(x, y, {{}, {}, {1}, {0}}),
            s.builder.dot_general(y, x, {{}, {}, {0}, {1}})};
  });
  check([](Sample& s) -> Vector<Value> {
    const Extent b = s.size(2), n = s.size(3), k = s.size(2), m = s.size(4);
    const Value x = s.x({n, b, k, 3}), y = s.x({k, m, b});
    return {s.builder.dot_general(x, y, {{1}, {2}, {2}, {0}})};
  });
  check([](Sample& s) -> Vector<Value> {
    const Extent k = s.size(5);
    const Value x = s.x({k}), y = s.x({k});
    return {s.builder.dot_general(x, y, {{}, {}, {0}, {0}}),
            s.builder.dot_general(x, y, {{}, {}, {}, {}}),
            s.builder.dot_general(x, y, {{0}, {0}, {}, {}})};
  });
}
