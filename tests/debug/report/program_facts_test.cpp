#include <doctest/doctest.h>
#include <sinter/debug/report/program_facts.hpp>
#include <sinter/jit/state/state.hpp>

#include "debug/report/json_value.hpp"
#include "jit/support.hpp"

using namespace testing;
using namespace sinter::detail::debug;

namespace {

Tensor normalized(const Tensor& x, const Tensor& w) {
  const Tensor y = matmul(softmax(x, -1), w);
  const Tensor z = cumsum(y, 0) / sum(y);
  return matmul(sort(z, 0).values, transpose(w, 0, 1)) + sum(z * y);
}

}  // namespace

TEST_CASE("report program: each node that is computed has a kernel, each launch has its nodes") {
  auto f = compile(normalized);
  f(ones({8, 16}), ones({16, 4}));
  const jit::History history = f.state()->history();
  const jit::Variant& variant = *history.variants.at(0);
  StringTable strings;
  ProgramFacts programs(strings);
  CHECK(programs.add(variant.recording.graph, variant.runnable, {}, {}) ==
        std::vector<std::int64_t>{0});
  CHECK(programs.add(variant.recording.graph, variant.runnable, {}, {}) ==
        std::vector<std::int64_t>{0});  // known
  const Json read = JsonReader::value(programs.json() + "\n");
  REQUIRE(read.list.size() == 1);
  const Json& program = read[0];
  const std::size_t groups = program["groups"].list.size();
  std::vector<int> nodes_of(groups), launches_of(groups);
  for (const Json& node : program["scheduled"]["nodes"].list) {
    const bool is_leaf = node[0].text == "input" || node[0].text == "constant";
    CHECK((is_leaf || !node[7].list.empty()));
    for (const Json& kernel : node[7].list)
      ++nodes_of.at(static_cast<std::size_t>(kernel.integer()));
  }
  for (const Json& launch : program["launches"].list) {
    for (const Json& group : launch["groups"].list) {
      ++launches_of.at(static_cast<std::size_t>(group.integer()));
    }
  }
  for (std::size_t i = 0; i < groups; ++i) {
    INFO(program["groups"][i][0].text);
    CHECK(nodes_of[i] > 0);
    CHECK(launches_of[i] == 1);
    CHECK(contains(program["groups"][i][0].text, "kernel " + std::to_string(i) + ", "));
  }
}

TEST_CASE("report program: buffers lie in the arena, and those that live together do not overlap") {
  auto f = compile(normalized);
  f(ones({8, 16}), ones({16, 4}));
  const jit::History history = f.state()->history();
  const jit::Variant& variant = *history.variants.at(0);
  StringTable strings;
  ProgramFacts programs(strings);
  programs.add(variant.recording.graph, variant.runnable, {}, {});
  const Json memory = JsonReader::value(programs.json() + "\n")[0]["memory"];
  CHECK(memory["arena"].integer() == f.stats().peak_bytes);
  CHECK(memory["inputs"].integer() == 4 * (8 * 16 + 16 * 4));
  CHECK(memory["outputs"].integer() == 4 * 8 * 16);
  const auto& buffers = memory["buffers"].list;
  const auto meet = [](const Json& a, const Json& b, std::size_t start, std::size_t end) {
    return a[start].integer() < b[end].integer() && b[start].integer() < a[end].integer();
  };
  CHECK(!buffers.empty());
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const Json& a = buffers[i];
    const std::int64_t end = a[0].integer() + a[1].integer();
    CHECK(end <= memory["arena"].integer());
    CHECK(a[2].integer() <= a[3].integer());
    CHECK(a[3].integer() < static_cast<std::int64_t>(memory["steps"].list.size()));
    for (std::size_t j = 0; j < i; ++j) {
      const Json& b = buffers[j];
      const bool apart = end <= b[1].integer() || b[0].integer() + b[1].integer() <= a[1].integer();
      CHECK((apart || !meet(a, b, 2, 3)));  // a result may lie where an operand ends
    }
  }
}
