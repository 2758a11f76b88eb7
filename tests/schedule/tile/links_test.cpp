#include <doctest/doctest.h>
#include <sinter/schedule/tile/links.hpp>

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
std::vector<std::size_t> products(const std::vector<Lowered>& kernels) {
  std::vector<std::size_t> result;
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    if (kernels[k].is_product) result.push_back(k);
  }
  return result;
}

// Layers of a product and a reduction: for each two neighbours, whether they may share a kernel.
std::vector<bool> neighbours(const std::vector<int>& widths) {
  Program p;
  Value x = p.input({32, widths[0]});
  for (std::size_t i = 0; i + 1 < widths.size(); ++i) {
    if (i > 0) x = p.softmax(x);
    x = product(p, x, p.input({widths[i], widths[i + 1]}));
  }
  const auto kernels = lowered(p, {x});
  const Traces traces(p.graph, kernels);
  const Links links(kernels, traces);
  const std::vector<std::size_t> at = products(kernels);
  std::vector<bool> result;
  for (std::size_t i = 0; i + 1 < at.size(); ++i)
    result.push_back(links.may_share(at[i], at[i + 1]));
  return result;
}

}  // namespace

// The copy would go on reading the traces of the other.
static_assert(!std::is_move_constructible_v<Links>);

TEST_CASE("block_links: two products share a kernel if a reduction lies between them") {
  CHECK(neighbours({8, 16, 8}) == std::vector<bool>{true});
  CHECK(neighbours({8, 4, 8}) == std::vector<bool>{true});
  Program p;
  const Value hidden = product(p, p.input({32, 8}), p.input({8, 16}));
  const auto kernels = lowered(p, {product(p, p.apply(Op::tanh, hidden), p.input({16, 8}))});
  REQUIRE(products(kernels).size() == 2);
  const Traces traces(p.graph, kernels);
  const Links links(kernels, traces);
  CHECK_FALSE(links.may_share(products(kernels)[0], products(kernels)[1]));
}

TEST_CASE("block_links: of a chain those share one that hand on the widest rows around") {
  CHECK(neighbours({8, 8, 16, 8}) == std::vector<bool>{false, true});
  CHECK(neighbours({8, 16, 8, 16, 8}) == std::vector<bool>{true, false, true});
}

TEST_CASE("block_links: equal layers are cut alike, however many there are") {
  for (const std::size_t count : {4u, 9u}) {
    const std::vector<bool> cut(count - 2, false);
    CHECK(neighbours(std::vector<int>(count, 8)) == cut);
  }
}

TEST_CASE("block_links: a stream hands on what is longer than it is deep, or is of heads") {
  // Whether products of `rows` and `columns` may share a kernel, and what lies between two that do.
  const auto between = [](int heads, std::int64_t depth, std::int64_t columns) {
    Program p;
    const Value x = p.softmax(p.input({heads, 32, depth}));
    const Value y = p.input({heads, columns, depth}), z = p.input({heads, columns, 4});
    const Value soft = p.softmax(p.build.dot_general(x, y, {{0}, {0}, {2}, {2}}));
    const Value out = p.softmax(p.build.dot_general(soft, z, {{0}, {0}, {2}, {1}}));
    const auto kernels = lowered(p, {out});
    REQUIRE(kernels.size() == 5);
    const Traces traces(p.graph, kernels);
    return Links(kernels, traces, true).between();
  };
  const std::vector<bool> middle{false, true, true, true, false}, none(5, false);
  CHECK(between(1, 8, 16) == middle);
  CHECK(between(1, 16, 8) == none);
  CHECK(between(2, 16, 8) == middle);
}

TEST_CASE("block_links: a stream of heads goes over products too that are the same for all heads") {
  // Whether a softmax of heads, whose rows are `turned`, may hand on what it makes of another
  // product, which has a factor without heads, as a gradient that does not depend on them has.
  const auto shared = [](bool turned, bool heads) {
    Program p;
    const Value x = p.input({heads ? 4 : 1, 32, 16}), y = p.input({heads ? 4 : 1, 8, 16});
    const Value all = p.build.expand(p.build.reshape(p.input({16}), {1, 1, 16}), p.build.shape(x));
    const DotAxes axes{{0}, {0}, {2}, {2}};
    const Value scores = p.build.dot_general(x, y, axes), more = p.build.dot_general(all, y, axes);
    const Value both = p.build.mul(p.softmax(scores), p.softmax(more));
    const Value out = p.build.dot_general(both, y, {{0}, {0}, {2}, {1}});
    auto kernels = lowered(p, {out});
    for (Lowered& one : kernels) one.again = turned ? Again::turned : Again::no;
    const std::vector<std::size_t> at = products(kernels);
    REQUIRE(at.size() == 3);
    const Traces traces(p.graph, kernels);
    const std::vector<bool> between = Links(kernels, traces, true).between();
    CHECK(between[at[0]] == between[at[1]]);
    return static_cast<bool>(between[at[0]]);
  };
  CHECK(shared(false, true));
  CHECK(shared(true, true));
  CHECK_FALSE(shared(false, false));
  CHECK_FALSE(shared(true, false));
}
