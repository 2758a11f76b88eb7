#include <doctest/doctest.h>
#include <sinter/schedule/fuse/fuse.hpp>
#include <sinter/schedule/lower/kernels.hpp>

#include "programs.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;
using programs::Program;

namespace {

// The kernels of a program.
std::string kernels_of(Program& p, Value output) {
  p.graph.outputs = {output};
  const FusionAnalysis facts = analyze_fusion(p.graph);
  const FusionGroups groups = create_fusion_groups(p.graph, facts);
  const Target target;
  const FusionResult fusion{p.graph, facts, target, groups, find_live_out(p.graph, facts, groups)};
  std::string result;
  for (std::size_t i = 0; i < groups.groups.size(); ++i) {
    for (const LoweredKernel& lowered : lower(fusion, static_cast<std::int32_t>(i))) {
      verify(lowered.kernel);
      result += to_string(lowered.kernel);
    }
  }
  return result;
}

}  // namespace

TEST_CASE("kernels: a scatter_add copies first, then adds serially over the indices") {
  Program p;
  const Value x = p.input({5, 3}), at = p.input({4}, i64), y = p.input({4, 3});
  CHECK(kernels_of(p, p.build.scatter_add(x, at, y, 0)) ==
        "(read a0: f32[15], write a1: f32[15])\n"
        "  grid r0 < 5, r1 < 3\n"
        "  v0: f32 = a0[3*r0 + r1]\n"
        "  a1[3*r0 + r1] = v0\n"
        "(read a0: i64[4], read a1: f32[12], read_write a2: f32[15])\n"
        "  grid r1 < 3\n"
        "  loop r0 < 4\n"
        "    v0: i64 = a0[r0]\n"
        "    bind r2 = v0 in 5\n"
        "    v2: f32 = a1[3*r0 + r1]\n"
        "    a2[r1 + 3*r2] += v2\n");
}

TEST_CASE("kernels: the text names the nodes of arguments; they are verified to have their dtype") {
  Program p;
  p.graph.outputs = {p.apply(Op::exp, p.input({4}))};
  const FusionAnalysis facts = analyze_fusion(p.graph);
  const Target target;
  Vector<LoweredKernel> kernels = lower_all(fuse(p.graph, facts, target));
  CHECK(to_string(kernels).starts_with("kernel 0, of groups 0: %0 %1\n"));
  verify(kernels, p.graph);
  kernels[0].kernel.arguments[0].dtype = i64;
  CHECK_THROWS_AS(verify(kernels, p.graph), InternalError);
  kernels[0].nodes.pop_back();
  CHECK_THROWS_AS(verify(kernels, p.graph), InternalError);
}

TEST_CASE("kernels: a copy is one loop over all elements") {
  const LoweredKernel copy = lower_copy(3, 7, {f32, {4, 5}});
  CHECK(copy.nodes == Vector<NodeId>{3, 7});
  CHECK(to_string(copy.kernel) ==
        "(read a0: f32[20], write a1: f32[20])\n"
        "  grid r0 < 20\n"
        "  v0: f32 = a0[r0]\n"
        "  a1[r0] = v0\n");
}

TEST_CASE("kernels: values that do not vary along the row are computed before the loop") {
  Program p;
  const Value x = p.input({8, 4}), scale = p.input({8, 1});
  const Value wide = p.build.expand(p.apply(Op::neg, scale), {8, 4});
  const Value y = p.build.reduce(Op::sum, p.build.mul(x, wide), {1});
  CHECK(kernels_of(p, y) ==
        "(read a0: f32[32], read a1: f32[8], write a2: f32[8])\n"
        "  grid r0 < 8\n"
        "  v0: f32 = a1[r0]\n"
        "  v1: f32 = neg v0\n"
        "  loop r1 < 4\n"
        "    v2: f32 = a0[4*r0 + r1]\n"
        "    v3: f32 = mul v2 v1\n"
        "    v4: f32 = reduce sum v3\n"
        "  a2[r0] = v4\n");
}
