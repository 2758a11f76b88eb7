#include <doctest/doctest.h>
#include <sinter/runtime/host/custom_launch.hpp>
#include <sinter/runtime/host/profiler.hpp>

using namespace sinter;
using namespace sinter::detail;

namespace {

// The sum of x, over as many numbers as x has.
struct Total : HostKernel {
  void operator()(std::span<const RawTensor> in, std::span<const RawTensor> out) const override {
    float& total = out[0].data<float>()[0] = 0;
    for (std::int64_t i = 0; i < in[0].size(0); ++i) total += in[0].data<float>()[i];
  }
};

}  // namespace

TEST_CASE("custom_launch: the function gets memory and the sizes of the call") {
  schedule::Control control;
  control.op = Op::custom;
  control.inputs = 1;
  control.code = make_shared_ptr<const CustomCode>(
      CustomCode{.name = "test::total", .call = make_shared_ptr<const Total>()});
  control.types = {{f32, {Extent::symbol(0)}}, {f32, {1}}};
  float x[] = {1, 2, 3}, total[64] = {};
  void* const pointers[] = {x, total};
  const std::int64_t three = 3, two = 2;
  runtime::run_custom(control, pointers, {&three, 1});
  CHECK(total[0] == 6);
  runtime::run_custom(control, pointers, {&two, 1});
  CHECK(total[0] == 3);
}
