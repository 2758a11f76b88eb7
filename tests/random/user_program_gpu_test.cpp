// test: emulator gpu
// Random programs in the language of users on an emulated GPU: they give what the host gives.

#include <doctest/doctest.h>

#include "cuda_emulator/gpus.hpp"
#include "user_program_check.hpp"

using namespace user_program;

TEST_CASE("user programs: fused on a GPU, they give what they give plain on the host") {
  SINTER_GPUS(gpus, 1);
  check_all("fused on a GPU", Backend::fused, cuda(), 6, 2000);
}
