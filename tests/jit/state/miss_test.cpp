#include <doctest/doctest.h>
#include <sinter/jit/state/miss.hpp>

using namespace sinter;
using namespace sinter::detail;

TEST_CASE("miss: what a stance allows if a call after the first fits no variant") {
  using jit::OnMiss;
  const auto under = [](Stance stance) {
    const ScopedStance scope(stance);
    return jit::on_recompile();
  };
  CHECK(under(Stance::standard) == OnMiss::compile);
  CHECK(under(Stance::force_compiled) == OnMiss::compile);
  CHECK(under(Stance::eager_on_recompile) == OnMiss::interpret);
  CHECK(under(Stance::fail_on_recompile) == OnMiss::refuse);
}
