#include <doctest/doctest.h>

#include <string>

#include <sinter/codegen/cpp/custom.hpp>
#include <sinter/graph/custom/user_text.hpp>

using namespace sinter;
using namespace sinter::detail;

namespace {

schedule::Kernel kernel_of(std::string text, std::size_t sizes) {
  CustomCode code{.name = "test::f", .cpp = text, .cuda = "__global__ " + text};
  code.cpp_function = user_function(code.cpp, "f");
  code.cuda_function = user_function(code.cuda, "f");
  schedule::Kernel kernel;
  kernel.custom = make_shared_ptr<const CustomCode>(std::move(code));
  kernel.arguments = {{f64, schedule::Access::read}, {f64, schedule::Access::write}};
  for (std::uint32_t i = 0; i < sizes; ++i) kernel.symbols.push_back(Extent::symbol(i));
  return kernel;
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("custom: a kernel calls the function of the user with pointers and sizes") {
  const schedule::Kernel kernel =
      kernel_of("#include <cmath>\nvoid f(const double* x, double* y, long n) {}", 2);
  const std::string text = codegen::custom_function(kernel, "test_f_1", codegen::Linkage::exported);
  CHECK(has(text, "::f((const double*)p0, (double*)p1, n0);"));
  CHECK(has(text, "#line 1 \"test::f\""));
  CHECK(text.find("#include <cmath>") < text.find("namespace {"));
  CHECK_FALSE(has(text, "GuardedCopy"));
}

TEST_CASE("custom: an elementwise function that does not fuse is called in a loop") {
  const schedule::Kernel kernel = kernel_of("double f(double x) { return x; }", 1);
  CHECK(has(codegen::custom_function(kernel, "test_f_1", codegen::Linkage::exported),
            "for (long i = 0; i < n0; i += 1) p1[i] = "));
}

TEST_CASE("custom: guarded kernels work on copies") {
  schedule::Kernel kernel = kernel_of("void f(const double* x, double* y, long n) {}", 4);
  kernel.guarded = true;
  const std::string text = codegen::custom_function(kernel, "test_f_1", codegen::Linkage::exported);
  CHECK(has(text, "GuardedCopy g1(buffers[1], n3 * 8, false);"));
  CHECK(has(text, "g0.check(context, 0, 1);"));
  CHECK(has(text, "(double*)p1, n0);"));
}

TEST_CASE("custom: an elementwise text gets a function of vectors of any type") {
  schedule::Kernel kernel = kernel_of("double f(double x) { return x; }", 1);
  schedule::Kernel fused;
  fused.instructions.push_back({.code = schedule::Code::compute, .op = Op::custom_elementwise});
  fused.instructions[0].custom = kernel.custom;
  const std::string name = user_function_name(*kernel.custom);
  CHECK(has(codegen::user_functions(fused, Language::cpp),
            "template <class V, class E = V>\nstatic inline V " + name + "_lanes(V a0) {"));
  CHECK(codegen::user_functions(schedule::Kernel(), Language::cpp).empty());
}
