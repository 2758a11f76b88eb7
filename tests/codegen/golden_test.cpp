#include <doctest/doctest.h>
#include <sinter/codegen/cpp/emit_cpp.hpp>
#include <sinter/codegen/cuda/emit_cuda.hpp>

#include "cases.hpp"
#include "harness.hpp"

using namespace kernels;

namespace {

// Compares `text` with the file, byte for byte; SINTER_UPDATE_GOLDEN=1 writes the file.
void check_golden(const std::string& file, const std::string& text) {
  const std::string path = std::string(SINTER_SOURCE_DIR) + "/tests/golden/" + file;
  if (std::getenv("SINTER_UPDATE_GOLDEN") != nullptr) write_file(path, text);
  INFO(file, " differs; SINTER_UPDATE_GOLDEN=1 writes what codegen gives now");
  CHECK(read_file(path) == text);
}

void check_both(const std::string& name, const Kernel& kernel) {
  const Source cpp = codegen::emit_cpp(kernel, {}), cuda = codegen::emit_cuda(kernel, {});
  check_golden(name + ".cpp", codegen::cpp_prelude({&cpp, 1}) + cpp.text);
  check_golden(name + ".cu", codegen::cuda_prelude({&cuda, 1}) + cuda.text);
}

}  // namespace

TEST_CASE("golden: two sines in one kernel") {
  Sizes sizes({10000}, false);
  check_both("sin_sin", unary_chain("sin_sin", sizes, Op::sin, Op::sin, f32));
}

TEST_CASE("golden: a bias, a scale and a relu of any shape") {
  Sizes sizes({0, 0}, true);
  check_both("bias_relu", bias_relu("bias_relu", sizes, f32));
}

TEST_CASE("golden: softmax of 64 rows of 10") {
  Sizes sizes({64, 10}, false);
  check_both("softmax", softmax("softmax", sizes, f32));
}

TEST_CASE("golden: a product by tiles, with a bias and tanh") {
  Sizes sizes({64, 128, 64}, false);
  check_both("product", product("product", sizes, false, f32, 4, 2));
}
