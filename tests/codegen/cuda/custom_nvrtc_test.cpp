// test: emulator
// NVRTC compiles the texts of users, as kernels of their own and within generated ones.

#include <doctest/doctest.h>
#include <sinter/jit/lower/lowering_probe.hpp>
#include <sinter/sinter.hpp>

#include <string>
#include <vector>

#include "cuda_emulator/emulator.hpp"
#include "nvrtc_check.hpp"

using namespace sinter;
using namespace sinter::detail;

namespace {

// The texts that a thread compiles for a GPU.
class KeptUnits : public jit::LoweringProbe {
 public:
  KeptUnits() { jit::lowering_probe = this; }
  ~KeptUnits() override { jit::lowering_probe = nullptr; }
  void printed(compiler::TranslationUnit& unit) override {
    texts.push_back(compiler::assemble(unit).text);
  }
  std::vector<std::string> texts{};
};

const auto swish = custom_op<"nvrtc::swish">({
    .cuda = "__device__ float swish(float x) { return x / (1 + expf(-x)); }",
});
const auto clipped = custom_op<"nvrtc::clipped">({
    .cuda = "template <class T> __device__ T clipped(T x, T low) { return x < low ? low : x; }",
});
const auto steps = custom_op<"nvrtc::steps">({
    .cuda = R"(
#define STEP 2
__device__ float step(float x) { return STEP * x + 1; }
__global__ void steps(const float* x, float* y, long n) {
  const long first = blockIdx.x * (long)blockDim.x + threadIdx.x;
  for (long i = first; i < n; i += gridDim.x * (long)blockDim.x) y[i] = step(x[i]);
})",
});
const auto half_bits = custom_op<"nvrtc::half_bits">({
    .shape =
        [](const TensorSpec& x) {
          return TensorSpec{x.shape, i32};
        },
    .cuda = R"(
extern "C" __global__ void __launch_bounds__(256)
half_bits(const unsigned short* x, int* bits, long rows, long columns) {
  const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
  if (i < rows * columns) bits[i] = x[i];
})",
});

// The texts of a program of all of them, among operations that are fused with them.
std::vector<std::string> texts() {
  const KeptUnits kept;
  const emulator::Emulator machine;
  const auto f = compile([](const Tensor& x) {
    const Tensor y = clipped(swish(sin(x)) * 3.0f, cos(x));
    const Tensor z = steps(y + 1.0f) - x;
    return std::pair{sum(z, 1), half_bits(z.to(f16)) + 1};
  });
  const Tensor x = ones({4, 8});
  f(x.to(cuda()));
  const auto g = compile([](const Tensor& v) { return clipped(v, v * 2.0) + 1.0; });
  g(ones({4}, f64).to(cuda()));
  return kept.texts;
}

}  // namespace

TEST_CASE("cuda custom: NVRTC compiles texts of elements and of pointers, for sm_80 and sm_90") {
  const std::vector<std::string> units = texts();
  REQUIRE(units.size() == 2);
  CHECK(units[0].find("swish(float x)") != std::string::npos);
  CHECK(units[0].find("void steps(") != std::string::npos);
  if (nvrtc() == nullptr) {
    MESSAGE("skipped: ", nvrtc_missing());
    return;
  }
  for (const std::string& unit : units) kernels::check_no_spills(unit);
  bool succeeded = true;
  std::string broken = units[0];
  broken.replace(broken.find("STEP * x + 1"), 4, "STOP");
  const std::string log = kernels::nvrtc_log(broken, "sm_80", succeeded);
  CHECK_FALSE(succeeded);
  CHECK(log.find("nvrtc::steps") != std::string::npos);  // lines of the text have its name
}
