// test: moved
#include <sinter/autodiff/batching/batching.hpp>

#include "batches.hpp"

using namespace batches;
using namespace sinter::detail::autodiff;

TEST_CASE("batching: an axis moves to its place, and the others keep their order") {
  Graph graph;
  Builder build(graph);
  const Value x = build.input({f32, {2, 3, 4, 5}});
  CHECK(to_string(build.shape(move_axis(build, x, 1, 1))) == "[2, 3, 4, 5]");
  CHECK(to_string(build.shape(move_axis(build, x, 0, 2))) == "[3, 4, 2, 5]");
  CHECK(to_string(build.shape(move_axis(build, x, 3, 0))) == "[5, 2, 3, 4]");
}

TEST_CASE("batching: a size is a number of the graph, static or symbolic") {
  Graph graph;
  Builder build(graph);
  const Extent n = Extent::symbol(0);
  graph.outputs = {size_of(build, 7), size_of(build, n), size_of(build, n * 3),
                   fill(build, size_of(build, n), {2})};
  const std::vector<std::int64_t> sizes{4};
  const auto found = runtime::interpret(graph, {}, sizes);
  gpu_graphs::note(graph, {}, sizes, found);
  const auto first = [&](std::size_t i) { return *static_cast<std::int64_t*>(found[i].data()); };
  CHECK(first(0) == 7);
  CHECK(first(1) == 4);
  CHECK(first(2) == 12);
  CHECK(static_cast<std::int64_t*>(found[3].data())[1] == 4);
}

TEST_CASE("batching: axes of one sample lie behind that of the batch") {
  CHECK(behind_count({0, 2}) == AxisList{1, 3});
  CHECK(axes_from(2, 3) == AxisList{2, 3, 4});
}

TEST_CASE("batching: a draw is shared by the batches that began after it") {
  Node draw{.op = Op::random_bits, .attributes = {{"number", constant(3)}}};
  CHECK_FALSE(is_shared_draw(draw));
  draw = with_shared_draws(with_shared_draws(std::move(draw), 1), 1);
  CHECK(is_shared_draw(draw));
  Graph body;
  body.append(std::move(draw));
  Node loop{.op = Op::scan, .bodies = {body}};
  loop = with_shared_draws(std::move(loop), -1);
  CHECK(is_shared_draw(loop.bodies[0].nodes[0]));
  loop = with_shared_draws(with_shared_draws(std::move(loop), -1), -1);
  CHECK_FALSE(is_shared_draw(loop.bodies[0].nodes[0]));
  CHECK(number(loop.bodies[0].nodes[0], "number") == 3);
}
