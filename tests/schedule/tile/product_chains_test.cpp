#include <doctest/doctest.h>
#include <sinter/schedule/tile/product_chains.hpp>

#include <type_traits>

#include "lowered.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;
using lowered_programs::lowered;
using lowered_programs::product;
using programs::Program;

namespace {

// The positions of the products, in order.
std::vector<std::size_t> products(const Vector<LoweredKernel>& kernels) {
  std::vector<std::size_t> result;
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    if (kernels[k].is_product) result.push_back(k);
  }
  return result;
}

// Layers of a product and a reduction: for each pair of neighbours, whether they may share a
// kernel.
Vector<bool> neighbours(const std::vector<int>& widths) {
  Program p;
  Value x = p.input({32, widths[0]});
  for (std::size_t i = 0; i + 1 < widths.size(); ++i) {
    if (i > 0) x = p.softmax(x);
    x = product(p, x, p.input({widths[i], widths[i + 1]}));
  }
  const auto kernels = lowered(p, {x});
  const NodeAccesses accesses(p.graph, kernels);
  const ProductChains chains(kernels, accesses);
  const std::vector<std::size_t> at = products(kernels);
  Vector<bool> result;
  for (std::size_t i = 0; i + 1 < at.size(); ++i)
    result.push_back(chains.may_share(at[i], at[i + 1]));
  return result;
}

}  // namespace

// A copy would refer to the accesses of the original.
static_assert(!std::is_move_constructible_v<ProductChains>);

TEST_CASE("product chains: two products share a kernel if there is a reduction between them") {
  CHECK(neighbours({8, 16, 8}) == Vector<bool>{true});
  CHECK(neighbours({8, 4, 8}) == Vector<bool>{true});
  Program p;
  const Value hidden = product(p, p.input({32, 8}), p.input({8, 16}));
  const auto kernels = lowered(p, {product(p, p.apply(Op::tanh, hidden), p.input({16, 8}))});
  REQUIRE(products(kernels).size() == 2);
  const NodeAccesses accesses(p.graph, kernels);
  const ProductChains chains(kernels, accesses);
  CHECK_FALSE(chains.may_share(products(kernels)[0], products(kernels)[1]));
}

TEST_CASE(
    "product chains: in a chain, the pairs with the widest rows between them share a kernel") {
  CHECK(neighbours({8, 8, 16, 8}) == Vector<bool>{false, true});
  CHECK(neighbours({8, 16, 8, 16, 8}) == Vector<bool>{true, false, true});
}

TEST_CASE("product chains: repeated layers are cut at the same places, however many there are") {
  for (const std::size_t count : {4u, 9u}) {
    const Vector<bool> cut(count - 2, false);
    CHECK(neighbours(std::vector<int>(count, 8)) == cut);
  }
}

TEST_CASE(
    "product chains: streaming pairs pass rows longer than their sums, or are batched over "
    "heads") {
  // The kernels that may share one with others, for scores of this depth and this many columns.
  const auto between = [](int heads, std::int64_t depth, std::int64_t columns) {
    Program p;
    const Value x = p.softmax(p.input({heads, 32, depth}));
    const Value y = p.input({heads, columns, depth}), z = p.input({heads, columns, 4});
    const Value soft = p.softmax(p.build.dot_general(x, y, {{0}, {0}, {2}, {2}}));
    const Value out = p.softmax(p.build.dot_general(soft, z, {{0}, {0}, {2}, {1}}));
    const auto kernels = lowered(p, {out});
    REQUIRE(kernels.size() == 5);
    const NodeAccesses accesses(p.graph, kernels);
    return ProductChains(kernels, accesses, true).chained_kernels();
  };
  const Vector<bool> middle{false, true, true, true, false}, none(5, false);
  CHECK(between(1, 8, 16) == middle);
  CHECK(between(1, 16, 8) == none);
  CHECK(between(2, 16, 8) == middle);
}

TEST_CASE(
    "product chains: streaming over heads includes products that are the same for all heads") {
  // Whether a softmax over heads, with `transposed` rows, may be chained with another product that
  // has a factor without heads, such as a gradient that does not depend on the head.
  const auto shared = [](bool transposed, bool heads) {
    Program p;
    const Value x = p.input({heads ? 4 : 1, 32, 16}), y = p.input({heads ? 4 : 1, 8, 16});
    const Value all = p.build.expand(p.build.reshape(p.input({16}), {1, 1, 16}), p.build.shape(x));
    const DotAxes axes{{0}, {0}, {2}, {2}};
    const Value scores = p.build.dot_general(x, y, axes), more = p.build.dot_general(all, y, axes);
    const Value both = p.build.mul(p.softmax(scores), p.softmax(more));
    const Value out = p.build.dot_general(both, y, {{0}, {0}, {2}, {1}});
    auto kernels = lowered(p, {out});
    for (LoweredKernel& one : kernels)
      one.rematerialized = transposed ? Rematerialized::transposed : Rematerialized::no;
    const std::vector<std::size_t> at = products(kernels);
    REQUIRE(at.size() == 3);
    const NodeAccesses accesses(p.graph, kernels);
    const Vector<bool> between = ProductChains(kernels, accesses, true).chained_kernels();
    CHECK(between[at[0]] == between[at[1]]);
    return static_cast<bool>(between[at[0]]);
  };
  CHECK(shared(false, true));
  CHECK(shared(true, true));
  CHECK_FALSE(shared(false, false));
  CHECK_FALSE(shared(true, false));
}
