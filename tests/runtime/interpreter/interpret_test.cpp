// test: moved
#include <doctest/doctest.h>
#include <sinter/base/philox.hpp>
#include <sinter/graph/builder.hpp>
#include <sinter/graph/verify.hpp>
#include <sinter/runtime/interpreter/interpret.hpp>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "example.hpp"
#include "gpu_graphs.hpp"

using namespace sinter;
using namespace sinter::detail;
using example::Example;
using runtime::interpret;

namespace {

template <class T>
Storage storage_of(const std::vector<T>& values) {
  const Storage storage = Storage::allocate(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(storage.data(), values.data(), values.size() * sizeof(T));
  return storage;
}

template <class T>
std::vector<T> values_of(const Storage& storage) {
  std::vector<T> result(storage.bytes() / sizeof(T));
  if (!result.empty()) std::memcpy(result.data(), storage.data(), storage.bytes());
  return result;
}

using Floats = std::vector<float>;
using Longs = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("interpreter: has a rule for every operation of the table") {
  for (std::size_t i = 0; i < op_count; ++i) {
    const Op op = static_cast<Op>(i);
    INFO(info(op).name);
    Graph graph;
    Builder build(graph);
    Example example{build};
    const Value result = example.write(op);
    graph.outputs = {result};
    REQUIRE(graph[result.node].op == op);
    verify(graph);

    const auto outputs = interpret(graph, example.inputs);

    gpu_graphs::note(graph, example.inputs, {}, outputs);
    REQUIRE(outputs.size() == 1);
    const TensorType& type = graph.type(result);
    CHECK(outputs[0].bytes() ==
          static_cast<std::size_t>(numel(type.shape).number()) * info(type.dtype).size);
  }
}

TEST_CASE("interpreter: softmax agrees with a plain loop") {
  Graph graph;
  Builder build(graph);
  const Value x = build.input({f32, {2, 3}});
  const auto row = [&](Value value) { return build.expand(build.reshape(value, {2, 1}), {2, 3}); };
  const Value e = build.elementwise(Op::exp, {build.sub(x, row(build.reduce(Op::max, x, {1})))});
  graph.outputs = {build.div(e, row(build.reduce(Op::sum, e, {1})))};
  const Floats in{1, 2, 3, -1, 0, INFINITY};

  const Floats out = values_of<float>(interpret(graph, Vector{storage_of(in)})[0]);

  const double total = std::exp(-2.0) + std::exp(-1.0) + 1;
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(std::abs(static_cast<double>(out[i]) - std::exp(static_cast<double>(in[i]) - 3) / total) <
          1e-7);
    CHECK(std::isnan(out[3 + i]));  // inf - inf
  }
}

TEST_CASE("interpreter: views of views") {
  Graph graph;
  Builder build(graph);
  const Value x = build.input({i64, {2, 3, 4}});
  const Value y = build.flip(build.permute(x, {2, 0, 1}), {0, 2});  // (4, 2, 3)
  const Value z = build.slice(y, {1, 0, 1}, {2, 1, 1}, {2, 2, 2});  // (2, 2, 2)
  graph.outputs = {build.reshape(build.expand(build.reshape(z, {8, 1}), {8, 2}), {16})};
  Longs in(24);
  for (std::size_t i = 0; i < 24; ++i) in[i] = static_cast<std::int64_t>(i);

  const Longs out = values_of<std::int64_t>(interpret(graph, Vector{storage_of(in)})[0]);

  Longs wanted;
  for (std::size_t a = 0; a < 2; ++a) {
    for (std::size_t b = 0; b < 2; ++b) {
      for (std::size_t c = 0; c < 2; ++c) {
        const std::size_t p = 3 - (1 + 2 * a), q = 2 - (1 + c);
        wanted.insert(wanted.end(), 2, in[b * 12 + q * 4 + p]);
      }
    }
  }
  CHECK(out == wanted);
}

TEST_CASE("interpreter: symbolic sizes have the values of the call") {
  Graph graph;
  Builder build(graph);
  const Extent n = Extent::symbol(0), m = Extent::symbol(1);
  const Value x = build.input({f32, {n, m}});
  const Value padded = build.pad(x, {1, 0}, {n, 0}, constant(2.0));
  graph.outputs = {build.reduce(Op::sum, padded, {0}), build.reshape(x, {n * m})};

  for (const std::int64_t rows : {0, 1, 3}) {
    const std::int64_t sizes[]{rows, 2};
    const Floats in(static_cast<std::size_t>(rows * 2), 1.0f);
    const auto outputs = interpret(graph, Vector{storage_of(in)}, sizes);
    const float sum = static_cast<float>(rows + 2 * (rows + 1));
    CHECK(values_of<float>(outputs[0]) == Floats{sum, sum});
    CHECK(values_of<float>(outputs[1]) == in);
  }
  const auto size = [&](Extent symbol) { return same(symbol, n) ? std::int64_t{1} : 3; };
  CHECK(values_of<float>(interpret(graph, Vector{storage_of(Floats{1, 2, 3})}, size)[0]) ==
        Floats{5, 6, 7});
}

TEST_CASE("interpreter: outputs that are inputs share their memory; inputs are never written") {
  Graph graph;
  Builder build(graph);
  const Value x = build.input({f32, {2, 3}});
  const Value y = build.add(x, x);
  graph.outputs = {x, build.reshape(x, {6}), build.permute(x, {1, 0}), y, y};
  const Floats in{1, 2, 3, 4, 5, 6};
  const Storage input = Storage::borrow(in.data(), in.size() * sizeof(float));

  const auto outputs = interpret(graph, Vector{input});

  CHECK(outputs[0] == input);
  CHECK(outputs[1] == input);
  CHECK(values_of<float>(outputs[2]) == Floats{1, 4, 2, 5, 3, 6});
  CHECK(values_of<float>(outputs[3]) == Floats{2, 4, 6, 8, 10, 12});
  CHECK(outputs[4] == outputs[3]);
  CHECK(in == Floats{1, 2, 3, 4, 5, 6});
}

TEST_CASE("interpreter: a view that is an output gets its own memory of its size") {
  Graph graph;
  Builder build(graph);
  const Value x = build.input({f32, {4}});
  graph.outputs = {build.slice(x, {0}, {1}, {2}), build.expand(build.slice(x, {3}, {1}, {1}), {3}),
                   build.constant(constant(7.0), {f32, {2}}), build.iota({i64, {2, 2}}, 1)};
  const Storage input = storage_of(Floats{1, 2, 3, 4});

  const auto outputs = interpret(graph, Vector{input});

  CHECK(values_of<float>(outputs[0]) == Floats{1, 2});
  CHECK_FALSE(outputs[0] == input);
  CHECK(values_of<float>(outputs[1]) == Floats{4, 4, 4});
  CHECK(values_of<float>(outputs[2]) == Floats{7, 7});
  CHECK(values_of<std::int64_t>(outputs[3]) == Longs{0, 1, 0, 1});
}

TEST_CASE("interpreter: frees values after their last use") {
  Graph graph;
  Builder build(graph);
  const std::int64_t size = 1 << 20;
  const Value x = build.input({f32, {size}});
  Value y = x;
  for (int i = 0; i < 20; ++i) y = build.neg(y);
  build.elementwise(Op::exp, {y});  // unused
  graph.outputs = {y};
  const Storage input = storage_of(Floats(static_cast<std::size_t>(size), 1.0f));

  reset_memory_stats();
  const std::int64_t before = memory_stats().live_bytes;
  const auto outputs = interpret(graph, Vector{input});

  CHECK(memory_stats().allocations == 20);
  CHECK(memory_stats().peak_bytes - before == 2 * size * 4);
  CHECK(memory_stats().live_bytes - before == size * 4);
}

TEST_CASE("interpreter: rounds at every operation") {
  Graph graph;
  Builder build(graph);
  const Value x = build.input({f16, {1}});
  const Value big = build.constant_like(x, 60000.0);
  graph.outputs = {build.sub(build.add(x, big), big)};
  const std::vector<half> in{half(10000.0f)};
  const auto out = values_of<half>(interpret(graph, Vector{storage_of(in)})[0]);
  CHECK(std::isinf(static_cast<float>(out[0])));
}

TEST_CASE("interpreter: random bits depend on seed, offset, draw number and position") {
  Graph graph;
  Builder build(graph);
  const Value seed = build.input({i64, {}}), offset = build.input({i64, {}});
  graph.outputs = {Example{build}.random_bits(seed, offset)};
  const auto bits = values_of<std::uint32_t>(
      interpret(graph, Vector{storage_of(Longs{-5}), storage_of(Longs{1L << 40})})[0]);
  REQUIRE(bits.size() == 6);
  for (std::size_t i = 0; i < 6; ++i) {
    CHECK(bits[i] == random_words(static_cast<std::uint64_t>(-5), 1UL << 40, 3, i / 4)[i % 4]);
  }
}

TEST_CASE("interpreter: faults in data name the line of the operation") {
  Graph graph;
  Builder build(graph);
  const Value x = build.input({i64, {2}}), y = build.input({i64, {2}});
  build.at(Where::current());
  const auto line = Where::current().line() - 1;
  graph.outputs = {build.gather(x, y, 0), build.elementwise(Op::remainder, {x, y})};

  const auto line_of_error = [&](Longs indices) {
    try {
      interpret(graph, Vector{storage_of(Longs{1, 2}), storage_of(indices)});
    } catch (const IndexError& error) {
      return static_cast<int>(error.where().line());
    } catch (const ValueError& error) {
      return -static_cast<int>(error.where().line());
    }
    return 0;
  };

  CHECK(line_of_error({1, 1}) == 0);
  CHECK(line_of_error({1, 2}) == static_cast<int>(line));
  CHECK(line_of_error({0, 1}) == -static_cast<int>(line));
}

TEST_CASE("interpreter: inputs that do not match the graph are an InternalError") {
  Graph graph;
  Builder build(graph);
  graph.outputs = {build.neg(build.input({f32, {4}}))};
  CHECK_THROWS_AS(interpret(graph, {}), InternalError);
  CHECK_THROWS_AS(interpret(graph, Vector{storage_of(Floats{1, 2, 3})}), InternalError);
  Graph symbolic;
  Builder(symbolic).input({f32, {Extent::symbol(5)}});
  CHECK_THROWS_AS(interpret(symbolic, Vector{Storage()}), InternalError);
}

TEST_CASE("interpreter: throws while it is forbidden") {
  Graph graph;
  runtime::interpreter_is_forbidden() = true;
  CHECK_THROWS_AS(interpret(graph, {}), InternalError);
  runtime::interpreter_is_forbidden() = false;
  CHECK(interpret(graph, {}).empty());
}

TEST_CASE("interpreter: a graph without outputs, and rank 0") {
  Graph graph;
  Builder build(graph);
  const Value x = build.input({f64, {}});
  graph.outputs = {build.mul(x, build.constant_like(x, 3))};
  const std::vector<double> in{2.5};
  CHECK(values_of<double>(interpret(graph, Vector{storage_of(in)})[0]) == std::vector<double>{7.5});
}
