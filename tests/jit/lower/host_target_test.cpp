#include <doctest/doctest.h>
#include <sinter/jit/lower/host_target.hpp>

#include <cstdlib>

using namespace sinter;
using namespace sinter::detail;

TEST_CASE("host_target: vectors have the width of this machine") {
  const int bits = jit::host_vector_bits();
  CHECK((bits == 128 || bits == 256 || bits == 512));
}

TEST_CASE("host_target: the answer stays the same, and machines with AMX have 512-bit vectors") {
  CHECK(jit::host_has_amx() == jit::host_has_amx());
  const bool chosen = std::getenv("SINTER_VECTOR_BITS") != nullptr;
  if (!chosen && jit::host_has_amx()) CHECK(jit::host_vector_bits() == 512);
}
