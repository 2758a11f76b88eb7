#include <doctest/doctest.h>
#include <sinter/jit/interface/parts.hpp>
#include <sinter/jit/parts.hpp>

using namespace sinter::detail;

TEST_CASE("parts: all of them are installed") {
  CHECK(jit::install_parts());
  const jit::Parts& all = jit::parts();
  CHECK((all.log_hints != nullptr));
  CHECK((all.run_checked != nullptr));
  CHECK((all.interpret_checked != nullptr));
}
