#include <doctest/doctest.h>
#include <sinter/codegen/cpp/nest/function_head.hpp>

using namespace sinter;
using namespace sinter::detail;
using codegen::function_head;
using codegen::Linkage;

TEST_CASE("function_head: the caller of a function decides its linkage") {
  const std::string parameters =
      "void f(void* const* buffers, const long* sizes, Context* context, long thread, "
      "long threads)";
  CHECK(function_head("f", Linkage::exported) == "extern \"C\" " + parameters);
  CHECK(function_head("f", Linkage::internal) == "static " + parameters);
  CHECK(function_head("f", Linkage::not_inlined) ==
        "static __attribute__((noinline)) " + parameters);
}
