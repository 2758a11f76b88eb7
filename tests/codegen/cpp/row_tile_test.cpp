#include <doctest/doctest.h>
#include <sinter/codegen/cpp/function.hpp>
#include <sinter/codegen/cpp/row_tile.hpp>
#include <sinter/schedule/host_target.hpp>
#include <sinter/schedule/launch/call_invariant.hpp>
#include <sinter/schedule/plan.hpp>
#include <sinter/schedule/tile/subkernels.hpp>

#include "schedule/causal_kernel.hpp"

using namespace sinter;
using namespace sinter::detail;

namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("row_tile: one function calls the subkernels for each row tile") {
  const std::string text = codegen::row_tile_function(causal::causal_kernel(), "mix", {});
  for (const char* const part : {"mix_part0(", "mix_part1(", "mix_part2("}) {
    CHECK(contains(text, std::string("static __attribute__((noinline)) void ") + part));
    CHECK(contains(text, std::string("    ") + part + "buffers"));
  }
  CHECK(contains(text, "extern \"C\" void mix("));
  CHECK(contains(text, "for (long block = first; block < last; ++block)"));
  CHECK(text == codegen::row_tile_function(causal::causal_kernel(), "mix", {}));
}

TEST_CASE("row_tile: masked elements are not computed, unless strict") {
  const schedule::Kernel kernel = causal::causal_kernel();
  CHECK(contains(codegen::row_tile_function(kernel, "mix", {}), "const long end = "));
  CHECK_FALSE(contains(codegen::row_tile_function(kernel, "mix", {.strict = true}), "long end = "));
}

TEST_CASE("row_tile: panels of call-invariant inputs are kept between calls") {
  programs::Program p;
  const auto product = [&](Value x, Value y) {
    return p.build.dot_general(x, y, {.lhs_contract = {1}, .rhs_contract = {0}});
  };
  const Value x = p.input({32, 20}), first = p.input({20, 30}), second = p.input({30, 70});
  p.graph.outputs = {product(p.softmax(product(x, first)), second)};
  schedule::Plan plan =
      schedule::plan(p.graph, {.row_tiles = true, .target = schedule::host_target()});
  REQUIRE(plan.kernels.size() == 1);
  CHECK(codegen::packed_inputs_of(plan.kernels[0], {}).empty());
  schedule::mark_call_invariant(plan, {});
  const Vector<schedule::PackedInput> kept = codegen::packed_inputs_of(plan.kernels[0], {});
  REQUIRE(kept.size() == 2);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const auto buffer = plan.launches[0].buffers[static_cast<std::size_t>(kept[i].input)];
    CHECK(plan.buffers[static_cast<std::size_t>(buffer)].position == 1 + static_cast<int>(i));
    CHECK(kept[i].bytes >= (i == 0 ? 20 * 30 : 30 * 70) * 4);
  }
  const std::string text = codegen::row_tile_function(plan.kernels[0], "rows", {});
  CHECK(contains(text, "if (packs_all && thread > 0) return;"));
  CHECK(contains(text, "if (packs_all && lasting0) lasting0[1] = 1;"));
}

TEST_CASE("row_tile: threads divide the columns of products that no subkernel reads") {
  const auto text_of = [](bool behind) {
    programs::Program p;
    const Value x = p.input({8, 20}), w = p.input({20, 300});
    const auto product = [&](Value y) {
      return p.build.dot_general(y, w, {.lhs_contract = {1}, .rhs_contract = {0}});
    };
    p.graph.outputs = {behind ? p.softmax(product(x)) : product(p.softmax(x))};
    schedule::Plan plan =
        schedule::plan(p.graph, {.row_tiles = true, .target = schedule::host_target()});
    REQUIRE(plan.kernels.size() == (behind ? 2 : 1));
    schedule::mark_call_invariant(plan, {});
    return codegen::cpp_function(plan.kernels[0], "rows",
                                 {.target = {.vectors = {.bits = 512}}, .strict = true});
  };
  const std::string text = text_of(false);
  CHECK(contains(text, "const Cut::Product products[] = {{20, 300, 64, is_packed1 ? 0 : 48}};"));
  CHECK(contains(text, "rows_part0(buffers0, part_sizes, context, 0, 1);"));
  CHECK(contains(text, "rows_part1(buffers1, part_sizes, context, part, parts);"));
  CHECK(contains(text, "rows_part1_pack(buffers1, all_sizes, part, parts);"));
  CHECK_FALSE(contains(text_of(true), "Cut"));
}
