#include <doctest/doctest.h>
#include <sinter/codegen/cpp/function.hpp>
#include <sinter/schedule/host_target.hpp>
#include <sinter/schedule/plan.hpp>
#include <sinter/schedule/tile/subkernels.hpp>

#include "schedule/causal_kernel.hpp"
#include "schedule/programs.hpp"
#include "texts.hpp"

using namespace kernels;

TEST_CASE("function: a row tile, and each of its parts, is written by the same call") {
  const Kernel kernel = causal::causal_kernel();
  CHECK(contains(codegen::cpp_function(kernel, "rows", {}), "rows_part0("));
  const Kernel part = schedule::subkernels_of(kernel).kernels[1].kernel;
  const std::string text = codegen::cpp_function(part, "rows", {});
  CHECK(contains(text, "extern \"C\" void rows("));
  CHECK_FALSE(contains(text, "rows_part0("));
}

TEST_CASE("function: its caller decides its linkage") {
  Sizes sizes({8, 64}, false);
  const Kernel kernel = bias_relu("b", sizes, f32);
  const std::string text = codegen::cpp_function(kernel, "b", {}, codegen::Linkage::internal);
  CHECK(contains(text, "static void b("));
  CHECK_FALSE(contains(text, "extern"));
}

TEST_CASE("function: a product keeps the panels of a call-invariant argument") {
  Sizes sizes({64, 128, 32}, false);
  Kernel kernel = product("p", sizes, true, f32, 4, 4);
  CHECK(codegen::packed_inputs_of(kernel, {}).empty());
  kernel.arguments[1].call_invariant = true;
  const auto kept = codegen::packed_inputs_of(kernel, {});
  REQUIRE(kept.size() == 1);
  CHECK(kept[0].input == 1);
  CHECK(kept[0].bytes >= 128 * 32 * 4);
}

TEST_CASE("function: the last thread to end calls a finalizer, with its buffers and sizes") {
  programs::Program p;
  const Extent rows = Extent::symbol(0, {.min = 0});
  p.graph.outputs = {p.build.reduce(Op::sum, p.input({rows, 32}), {0})};
  const schedule::Plan plan = schedule::plan(p.graph, {.target = schedule::host_target()});
  REQUIRE(plan.kernels.size() == 1);
  const std::string text = codegen::function_with_finalizers(plan.kernels[0], "columns", {});
  const auto has = [&](std::string_view part) { return text.find(part) != std::string::npos; };
  CHECK(has("static void columns_main(void* const* buffers"));
  CHECK(has("static void columns_finish0(void* const* buffers"));
  CHECK(has("extern \"C\" void columns(void* const* buffers"));
  CHECK(
      has("  columns_main(buffers, sizes, context, thread, threads);\n"
          "  if (!ends_last(context, threads)) return;\n"
          "  columns_finish0(buffers + 2, sizes + 1, context, 0, 1);\n"));
}

TEST_CASE("function: a partial reduction starts from the identity") {
  programs::Program p;
  p.graph.outputs = {p.build.reduce(Op::max, p.input({640, 32}), {0})};
  const schedule::Plan plan = schedule::plan(p.graph, {.target = schedule::host_target()});
  const std::string text = codegen::function_with_finalizers(plan.kernels[0], "columns", {});
  CHECK(text.find("fill_f32(out1 + (32*i0), 32, (-__builtin_inff()));") != std::string::npos);
}

TEST_CASE("function: a kernel without a finalizer is a single function") {
  programs::Program p;
  p.graph.outputs = {p.apply(Op::sin, p.input({64}))};
  const schedule::Plan plan = schedule::plan(p.graph, {.target = schedule::host_target()});
  const std::string text = codegen::function_with_finalizers(plan.kernels[0], "sines", {});
  CHECK(text.find("ends_last") == std::string::npos);
  CHECK(text.find("extern \"C\" void sines(") != std::string::npos);
}
