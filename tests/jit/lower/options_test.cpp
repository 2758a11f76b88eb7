#include <doctest/doctest.h>
#include <sinter/jit/lower/options.hpp>

#include "jit/support.hpp"

using namespace testing;

TEST_CASE(
    "options: a member decides how its code is generated, the enclosing function everything else") {
  jit::LowerOptions outer{.updates = {{0, 0}}, .tunes_in_background = true};
  const CompileOptions own{
      .backend = Backend::aot_eager, .mode = Mode::max_autotune, .numerics = Numerics::strict};
  const jit::MemberOptions member = jit::member_options_of(own);
  const jit::LowerOptions both = jit::with_member_options(outer, member);
  CHECK(both.backend == Backend::aot_eager);
  CHECK(both.numerics == Numerics::strict);
  CHECK(both.tunes);
  CHECK(both.graphs);
  CHECK(both.tuning_seconds == own.autotune_seconds);
  CHECK(both.tunes_in_background);
  CHECK(both.updates.size() == 1);
}

TEST_CASE("options: the tuning budget matters only with tuning, CUDA Graphs only on a GPU") {
  const jit::LowerOptions plain, budget{.tuning_seconds = 3}, graphs{.graphs = true};
  CHECK(jit::same_code(plain, budget));
  CHECK(jit::same_code(plain, graphs));
  const jit::LowerOptions tuned{.tunes = true, .tuning_seconds = 1};
  CHECK_FALSE(jit::same_code(plain, tuned));
  CHECK_FALSE(jit::same_code(tuned, {.tunes = true, .tuning_seconds = 3}));
  CHECK_FALSE(jit::same_code({.device = cuda()}, {.device = cuda(), .graphs = true}));
}

TEST_CASE("options: those of a region are found by a path that ends with its text") {
  const jit::MemberOptions member{.numerics = Numerics::strict, .fullgraph = true};
  const std::string region = jit::region_of_options(member);
  CHECK(region == " [Backend::fused, Numerics::strict, fullgraph]");
  const std::string inside = "net.up" + region, outside = "net.up";
  REQUIRE(jit::member_options(&inside) != nullptr);
  CHECK(*jit::member_options(&inside) == member);
  CHECK(jit::member_options(&outside) == nullptr);
  CHECK(jit::member_options(nullptr) == nullptr);
}

TEST_CASE("options: an interpreted program interprets all its members") {
  jit::LowerOptions options;
  jit::interpret(options);
  CHECK(options.backend == Backend::eager);
  CHECK_FALSE(options.has_members);
}
