#include <doctest/doctest.h>
#include <sinter/codegen/cpp/emit_cpp.hpp>
#include <sinter/codegen/cpp/prelude/finalizer.hpp>

using namespace sinter;
using namespace sinter::detail;

TEST_CASE(
    "cpp_finalizer: a text that asks for the last thread gets the helper, other texts do not") {
  const Source asks{Language::cpp, "f", "if (!ends_last(context, threads)) return;", {}};
  const Source fills{Language::cpp, "g", "fill_f32(to, 8, 0.0f);", {}};
  const std::string first = codegen::cpp_prelude(std::span(&asks, 1));
  const std::string second = codegen::cpp_prelude(std::span(&fills, 1));
  CHECK(first.find("INLINE bool ends_last(Context* context, long threads)") != std::string::npos);
  CHECK(first.find("struct Context") < first.find("INLINE bool ends_last"));
  CHECK(second.find("INLINE void fill_f32(float* to, long count, float v)") != std::string::npos);
  CHECK(second.find("ends_last") == std::string::npos);
}
