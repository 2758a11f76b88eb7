#include <doctest/doctest.h>
#include <sinter/codegen/cpp/finalizer.hpp>
#include <sinter/schedule/host_target.hpp>
#include <sinter/schedule/plan.hpp>

#include "schedule/programs.hpp"

using namespace sinter;
using namespace sinter::detail;

TEST_CASE("finalizer: the last thread to end calls it, with its buffers and sizes") {
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

TEST_CASE("finalizer: a partial reduction starts from the identity") {
  programs::Program p;
  p.graph.outputs = {p.build.reduce(Op::max, p.input({640, 32}), {0})};
  const schedule::Plan plan = schedule::plan(p.graph, {.target = schedule::host_target()});
  const std::string text = codegen::function_with_finalizers(plan.kernels[0], "columns", {});
  CHECK(text.find("fill_f32(out1 + (32*i0), 32, (-__builtin_inff()));") != std::string::npos);
}

TEST_CASE("finalizer: a kernel without one is a single function") {
  programs::Program p;
  p.graph.outputs = {p.apply(Op::sin, p.input({64}))};
  const schedule::Plan plan = schedule::plan(p.graph, {.target = schedule::host_target()});
  const std::string text = codegen::function_with_finalizers(plan.kernels[0], "sines", {});
  CHECK(text.find("ends_last") == std::string::npos);
  CHECK(text.find("extern \"C\" void sines(") != std::string::npos);
}
