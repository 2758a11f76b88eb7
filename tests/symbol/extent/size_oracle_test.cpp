#include <doctest/doctest.h>
#include <sinter/symbol/extent/extent.hpp>
#include <sinter/symbol/extent/size_oracle.hpp>

#include <thread>

using namespace sinter;
using namespace sinter::detail;

namespace {

struct Always final : SizeOracle {
  bool decide(Extent, Relation, Extent, Where) override { return true; }
  std::int64_t value(Extent, Where) override { return 3; }
  std::int64_t shown(Extent, Where) override { return 3; }
};

}  // namespace

TEST_CASE("relation: has the text and the meaning of C++") {
  CHECK(to_string(Relation::less_equal) == "<=");
  CHECK(holds(3, Relation::equal, 3));
  CHECK(!holds(3, Relation::not_equal, 3));
  CHECK(holds(3, Relation::less, 4));
  CHECK(holds(3, Relation::less_equal, 3));
  CHECK(!holds(3, Relation::greater, 3));
  CHECK(holds(3, Relation::greater_equal, 3));
}

TEST_CASE("size_oracle: is one per thread") {
  Always oracle;
  current_size_oracle() = &oracle;
  CHECK(Extent::symbol(0).value() == 3);
  SizeOracle* other = &oracle;
  std::thread([&other] { other = current_size_oracle(); }).join();
  CHECK(other == nullptr);
  current_size_oracle() = nullptr;
}
