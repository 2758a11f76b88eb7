// What gdb_test.cpp looks at under gdb: a value of each kind that tools/sinter_gdb.py prints.

#include <sinter/core.hpp>
#include <sinter/typed.hpp>

using namespace sinter;

void stop(const detail::Node&) { asm volatile(""); }

int main() {
  const Tensor none;
  const Tensor lazy = ones({2, 3}) + 1.5f;
  const Tensor ready = from_vector(std::vector<float>{1, 2.5f, -3, 4, 5, 6}, {2, 3});
  const Tensor many = arange(100);
  many.to_vector<std::int64_t>();
  const Tensor halves = ready.to(bf16);
  halves.to_vector<bfloat16>();
  const TensorOf<float, 2, 3> typed(ready);
  const Scalar scalar(3.5);
  const Extent size = 12, negative = -3, symbol = Extent::symbol(0), sum = symbol * 2 + 1;
  const Shape shape{64, sum}, empty{};
  detail::Graph graph;
  const detail::NodeId x = graph.append({.op = detail::Op::input, .results = {{f32, {64, 2}}}});
  graph.append({.op = detail::Op::exp, .inputs = {detail::Value(x)}, .results = {{f32, {64, 2}}}});
  graph.outputs.push_back(1);
  const detail::Node& node = graph.nodes[1];
  stop(node);
}
