#include <doctest/doctest.h>

#include <vector>

#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/graph/builder.hpp>
#include <sinter/graph/callee.hpp>
#include <sinter/graph/hash.hpp>
#include <sinter/graph/print.hpp>
#include <sinter/graph/verify.hpp>

using namespace sinter;
using namespace sinter::detail;

namespace {

class Plain : public Callee {
 public:
  using Callee::Callee;
  SharedPtr<const Callee> with(Graph graph) const override {
    return make_shared_ptr<Plain>(std::move(graph));
  }
};

SharedPtr<const Callee> doubled(const Extent& rows) {
  Graph graph;
  Builder build(graph);
  const Value x = build.input({f32, {rows, 3}});
  graph.outputs = {build.add(x, x)};
  return make_shared_ptr<Plain>(std::move(graph));
}

Graph call_with(SharedPtr<const Callee> callee, std::int64_t rows) {
  Graph graph;
  Builder build(graph);
  const Value x = build.input({f32, {rows, 3}});
  Node node = call_of(std::move(callee), {rows});
  node.inputs = {x};
  graph.outputs = {build.append(std::move(node))};
  return graph;
}

}  // namespace

TEST_CASE("callee: the types of a call are those of its graph, for its sizes") {
  const Graph graph = call_with(doubled(Extent::symbol(0, {.min = 0})), 5);
  verify(graph);
  CHECK(same(graph.type(graph.outputs[0]), {f32, {5, 3}}));
  CHECK(callee_of(graph[graph.outputs[0].node]) != nullptr);
  CHECK(to_string(graph).find("callee=compiled") != std::string::npos);
}

TEST_CASE("callee: an operand of another type is an internal error") {
  CHECK_THROWS_AS(call_with(doubled(4), 5), InternalError);
}

TEST_CASE("callee: what is derived is derived once") {
  const auto callee = doubled(4);
  int times = 0;
  const auto derive = [&]() -> DerivedCallee {
    ++times;
    return {callee->with(callee->graph()), {0}, {}};
  };
  const Hash key = Hasher().add("gradient").result();
  const DerivedCallee& first = callee->derived(key, derive);
  CHECK(&callee->derived(key, derive) == &first);
  CHECK(times == 1);
}

TEST_CASE("callee: graphs that call different callees differ, wherever these are in memory") {
  Vector<Hash> hashes;
  for (int i = 0; i < 4; ++i) hashes.push_back(hash_of(call_with(doubled(4), 4)));
  CHECK(hashes[0] != hashes[1]);
  CHECK(hashes[1] != hashes[2]);
  CHECK(hashes[2] != hashes[3]);
}
