#include <doctest/doctest.h>
#include <sinter/jit/interface/nearest.hpp>

using namespace sinter::detail::jit;

namespace {

constexpr std::string_view names[] = {"backend", "background", "fullgraph", "name"};

}  // namespace

TEST_CASE("nearest: the name with the fewest changes") {
  CHECK(nearest_name("fulgraph", names) == "fullgraph");
  CHECK(nearest_name("backgrund", names) == "background");
  CHECK(nearest_name("bakend", names) == "backend");
  CHECK(nearest_name("nmae", names) == "name");
}

TEST_CASE("nearest: nothing is near a name that has little in common with all of them") {
  CHECK(nearest_name("zzzzzzz", names).empty());
  CHECK(nearest_name("", names).empty());
  CHECK(nearest_name("name", {}).empty());
}
