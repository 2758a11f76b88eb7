// test: deep
#include <doctest/doctest.h>
#include <sinter/base/error.hpp>
#include <sinter/base/fault.hpp>
#include <sinter/runtime/cuda/faults.hpp>

#include <cstring>
#include <string>
#include <vector>

using namespace sinter;
using namespace sinter::detail;

namespace {

schedule::Plan plan_with_checks() {
  schedule::Plan plan;
  plan.launches.resize(3);
  for (const std::size_t i : {0u, 2u}) {
    plan.launches[i].checks = {{.code = schedule::Code::divisor, .op = Op::remainder, .dtype = i32},
                               {.code = schedule::Code::bind, .op = Op::gather}};
  }
  return plan;
}

}  // namespace

TEST_CASE("cuda_faults: launches with checks have a word each, 64 bytes apart") {
  const runtime::CudaFaults none{schedule::Plan()}, faults(plan_with_checks());
  CHECK(none.bytes() == 0);
  CHECK_FALSE(none.any());
  CHECK(faults.bytes() == 128);
  CHECK(faults.has(0));
  CHECK_FALSE(faults.has(1));
  CHECK(faults.offset(0) == 0);
  CHECK(faults.offset(2) == 64);
}

TEST_CASE("cuda_faults: the fault of the first faulty launch is thrown") {
  const schedule::Plan plan = plan_with_checks();
  const runtime::CudaFaults faults(plan);
  std::vector<std::byte> words(faults.bytes());
  faults.throw_first(plan, words.data());
  const Fault index{.number = 2, .value = 7, .bound = 5}, zero{.number = 1};
  std::memcpy(words.data() + 64, &index, sizeof(Fault));
  CHECK_THROWS_AS(faults.throw_first(plan, words.data()), IndexError);
  std::memcpy(words.data(), &zero, sizeof(Fault));
  CHECK_THROWS_AS(faults.throw_first(plan, words.data()), ValueError);
}
