#include <doctest/doctest.h>

#include <string>

#include <sinter/codegen/cuda/custom.hpp>
#include <sinter/graph/custom/user_text.hpp>

using namespace sinter;
using namespace sinter::detail;

TEST_CASE("cuda custom: a kernel of the user is a function that the generated kernel calls") {
  CustomCode code{.name = "test::f"};
  code.cuda =
      "extern \"C\" __global__ void __launch_bounds__(64) f(const float* x, float* y, long n) {}";
  code.cuda_function = user_function(code.cuda, "f");
  schedule::Kernel kernel;
  kernel.custom = make_shared_ptr<const CustomCode>(std::move(code));
  kernel.arguments = {{f32, schedule::Access::read}, {f32, schedule::Access::write}};
  kernel.symbols = {Extent::symbol(0), Extent::symbol(1)};
  const std::string text = codegen::cuda_custom_function(kernel, "test_f_1");
  CHECK(text.find("__device__ void SINTER_NO_BOUNDS(64) f(") != std::string::npos);
  CHECK(text.find("__global__ void __launch_bounds__(256) test_f_1(const float* p0, float* p1, "
                  "long n0,\n    long n1, Context* context) {\n") != std::string::npos);
  CHECK(text.find("::f((const float*)p0, (float*)p1, n0);") != std::string::npos);
  const codegen::CudaLaunch launch = codegen::cuda_custom_launch(kernel);
  CHECK(launch.threads == 256);
  CHECK(same(launch.blocks, max(ceil_div(Extent::symbol(1), 256), 1)));
}
