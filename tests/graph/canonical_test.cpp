#include <doctest/doctest.h>
#include <sinter/graph/builder.hpp>
#include <sinter/graph/canonical.hpp>
#include <sinter/graph/hash.hpp>

using namespace sinter;
using namespace sinter::detail;

namespace {

// n rows, of which m are read, next to unused values.
Graph rows(std::uint32_t n, std::uint32_t m) {
  const Extent count = Extent::symbol(n, {.min = 2}), wanted = Extent::symbol(m);
  Graph graph;
  Builder build(graph);
  const Value x = build.input({f32, {count, 4}});
  build.input({f32, {wanted, count + wanted}});
  graph.outputs = {build.expand(build.reshape(x, {1, count, 4}), {wanted, count, 4})};
  return graph;
}

}  // namespace

TEST_CASE("canonical_hash: symbols at one position stand for the same") {
  const CanonicalHash one = canonical_hash(rows(0, 1)), other = canonical_hash(rows(9, 5));
  CHECK(one.hash == other.hash);
  CHECK(one.symbols == Vector<std::uint32_t>{0, 1});
  CHECK(other.symbols == Vector<std::uint32_t>{9, 5});
}

TEST_CASE("with_canonical_symbols: equal graphs are equal with their symbols") {
  for (const auto& [n, m] : {std::pair{0u, 1u}, {1u, 0u}, {9u, 5u}}) {
    const Graph graph = rows(n, m);
    const Graph canonical = with_canonical_symbols(graph, canonical_hash(graph).symbols);
    CHECK(hash_with_symbols(canonical) == hash_with_symbols(rows(0, 1)));
    CHECK(hash_of(canonical) == hash_of(graph));
  }
}
