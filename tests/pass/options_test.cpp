#include <doctest/doctest.h>
#include <sinter/pass/options.hpp>

using namespace sinter;
using namespace sinter::detail;

TEST_CASE("options: results may round differently unless strict is asked for") {
  CHECK_FALSE(pass::Options{}.strict);
}
