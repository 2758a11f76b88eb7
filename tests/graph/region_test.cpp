#include <doctest/doctest.h>
#include <sinter/graph/builder.hpp>
#include <sinter/graph/region.hpp>

#include <string>

using namespace sinter;
using namespace sinter::detail;

TEST_CASE("region: is what follows the name of a module") {
  const std::string with = "encoder.head [Numerics::strict]", alone = " [fullgraph]",
                    without = "encoder.head", other = "table.a]";
  CHECK(region_of(nullptr).empty());
  CHECK(region_of(&without).empty());
  CHECK(region_of(&other).empty());
  CHECK(region_of(&with) == " [Numerics::strict]");
  CHECK(region_of(&alone) == alone);
}

TEST_CASE("region: equal nodes of different regions stay apart, those of one are one") {
  const std::string strict = "a [strict]", again = "b [strict]", plain = "c";
  Graph graph;
  Builder builder(graph);
  const Value x = builder.input({f32, {4}});
  const auto in = [&](const std::string& path) {
    builder.at({}, &path);
    return builder.elementwise(Op::exp, {x});
  };
  CHECK(in(strict) == in(again));
  CHECK_FALSE(in(strict) == in(plain));
}
