#include <doctest/doctest.h>

#include <sinter/graph/builder.hpp>
#include <sinter/graph/custom/user_text.hpp>
#include <sinter/schedule/lower/custom_kernel.hpp>

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;

namespace {

// A node of an operation whose function has this text, from f32[2, n] to f32[n].
Node node_of(std::string text) {
  CustomCode code{.name = "test::f", .cpp = std::move(text)};
  code.cpp_function = user_function(code.cpp, "f");
  code.text_hash = Hasher().add(code.cpp).result();
  const SharedPtr<const CustomCode> shared = make_shared_ptr<const CustomCode>(std::move(code));
  return {.op = Op::custom,
          .attributes = {{"code", shared}, {"operands", constant(1)}},
          .results = {{f32, {Extent::symbol(7)}}}};
}

CustomKernel lowered(std::string text, bool guarded = false) {
  const Node node = node_of(std::move(text));
  const TensorType type{f32, {2, Extent::symbol(7)}};
  return lower_custom(node, {&type, 1}, custom_code(node).cpp_function, guarded);
}

}  // namespace

TEST_CASE("custom_kernel: sizes are what the function has parameters for") {
  const Extent n = Extent::symbol(7);
  CHECK(lowered("void f(const float* x, float* y);").launch.sizes.size() == 1);
  const auto one = lowered("void f(const float* x, float* y, long n);").launch.sizes;
  REQUIRE(one.size() == 2);
  CHECK(same(one[0], n));
  const auto two = lowered("void f(const float* x, float* y, long rows, long n);").launch.sizes;
  REQUIRE(two.size() == 3);
  CHECK(same(two[0], Extent(2)));
  CHECK(same(two[1], n));
  const auto all = lowered("void f(const float* x, float* y, long a, long b, long c);");
  CHECK(all.launch.sizes.size() == 4);
  CHECK_THROWS_AS(lowered("void f(const float*, float*, long, long, long, long);"), ValueError);
}

TEST_CASE("custom_kernel: the kernel has no sizes of its own, so all sizes share it") {
  const CustomKernel made = lowered("void f(const float* x, float* y, long n);");
  CHECK(made.kernel.name == "test_f");
  CHECK(made.kernel.symbols.size() == 2);
  CHECK(made.kernel.arguments.size() == 2);
  CHECK(made.kernel.arguments[1].access == Access::write);
  CHECK(stores_first(made.kernel, 1));
  CHECK_FALSE(stores_first(made.kernel, 0));
  CHECK(same(made.launch.bytes_written, Extent::symbol(7) * 4));
  CHECK(hash_of(made.kernel) !=
        hash_of(lowered("void f(const float* x, float* y, long m);").kernel));
}

TEST_CASE("custom_kernel: a guarded kernel has a check, and knows the size of each argument") {
  const CustomKernel made = lowered("void f(const float* x, float* y, long n);", true);
  CHECK(made.launch.sizes.size() == 4);
  REQUIRE(made.launch.checks.size() == 1);
  CHECK(made.launch.checks[0].called.name == std::string("test::f"));
}
