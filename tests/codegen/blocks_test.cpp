#include <doctest/doctest.h>
#include <sinter/codegen/blocks.hpp>
#include <sinter/schedule/block_parts.hpp>

#include "../schedule/causal_kernel.hpp"

using namespace sinter;

namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("blocks: one function calls the parts for block after block of rows") {
  const std::string text = codegen::block_function(causal::causal_kernel(), "mix", {});
  for (const char* const part : {"mix_part0(", "mix_part1(", "mix_part2("}) {
    CHECK(contains(text, std::string("static __attribute__((noinline)) void ") + part));
    CHECK(contains(text, std::string("    ") + part + "buffers"));
  }
  CHECK(contains(text, "extern \"C\" void mix("));
  CHECK(contains(text, "for (long block = first; block < last; ++block)"));
  CHECK(text == codegen::block_function(causal::causal_kernel(), "mix", {}));
}

TEST_CASE("blocks: what a mask leaves out is not computed, but under strict rules") {
  const schedule::Kernel kernel = causal::causal_kernel();
  CHECK(contains(codegen::block_function(kernel, "mix", {}), "const long end = "));
  CHECK_FALSE(contains(codegen::block_function(kernel, "mix", {.strict = true}), "long end = "));
}

TEST_CASE("blocks: other kernels are written as they were") {
  schedule::Kernel kernel = causal::causal_kernel();
  const auto part = schedule::parts_of(kernel).parts[1].kernel;
  CHECK(contains(codegen::cpp_function(part, "rows", {}), "extern \"C\" void rows("));
}
