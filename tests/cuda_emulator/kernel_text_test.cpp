#include "kernel_text.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "program.hpp"

using namespace emulator;

namespace {

std::string first_line(const std::string& text) {
  const std::string all = host_text(text).text;
  return all.substr(0, all.find('\n'));
}

}  // namespace

TEST_CASE("kernel_text: inline assembly becomes a call with its operands") {
  CHECK(first_line("asm volatile(\"cvt %0, %1;\" : \"=f\"(r) : \"h\"(f(v, 1)) : \"memory\");") ==
        "emulated_ptx(\"cvt %0, %1;\", emulated::output('f', r), emulated::input('h', f(v, 1)));");
  CHECK(first_line("asm(\"a;\" \"b;\" :: \"r\"(x));") ==
        "emulated_ptx(\"a;b;\", emulated::input('r', x));");
  CHECK(first_line("asm(\"\" : \"+f\"(v));") == "emulated_ptx(\"\", emulated::output('f', v));");
}

TEST_CASE("kernel_text: lines keep their numbers") {
  const std::string text = "asm(\"a;\"\n    \"b;\"\n    : \"=r\"(x));\nint y;\n";
  const std::string all = host_text(text).text;
  CHECK(std::count(all.begin(), all.begin() + static_cast<long>(all.find("int y")), '\n') == 3);
}

TEST_CASE("kernel_text: dynamic shared memory becomes a pointer") {
  CHECK(first_line("extern __shared__ __align__(16) unsigned char shared[];") ==
        "unsigned char * const shared = (unsigned char *)emulated_dynamic_shared();");
}

TEST_CASE("kernel_text: each kernel is found, with its bound") {
  const KernelText all = host_text(
      "extern \"C\" __global__ void __launch_bounds__(256, 1) first(int n) {}\n"
      "__global__ void second();  // __global__ void third()\n"
      "__global__ void second() {}\n");
  CHECK(all.kernels == std::vector<std::string>{"first", "second"});
  CHECK(contains(all.text, "emulated_bound_first = 256;"));
}

TEST_CASE("kernel_text: variables of the device are told from its functions") {
  CHECK(first_line("__device__ float table[4];") == "__emulated_global__ float table[4];");
  CHECK(first_line("__device__ __align__(16) int x = 3;") ==
        "__emulated_global__ __align__(16) int x = 3;");
  CHECK(first_line("static __device__ float f(int x) { return x; }") ==
        "static __device__ float f(int x) { return x; }");
}

TEST_CASE("kernel_text: headers are refused, with the line") {
  CHECK_THROWS_WITH(host_text("int x;\n#include <cuda_fp16.h>\n"),
                    "kernels.cu(2): error: there are no headers to include");
}
