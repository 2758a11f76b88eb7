#include <doctest/doctest.h>
#include <sinter/debug/report/facts.hpp>
#include <sinter/jit/state/state.hpp>

#include "debug/report/json_value.hpp"
#include "jit/support.hpp"

using namespace testing;
using namespace sinter::detail::debug;

namespace {

Json facts_without_profile(jit::State& state) {
  return JsonReader::value(facts_json(state.history(), [](StringTable&) { return "null"; }));
}

Tensor twice(const Tensor& x) { return x * 2.0f + 1.0f; }

}  // namespace

TEST_CASE("report facts: a recording says why it was made, and how many calls it served") {
  auto f = compile(twice, {.dynamic = Dynamic::off, .name = "twice"});
  f(ones({3}));
  f(ones({4}));
  f(ones({4}));
  const Json facts = facts_without_profile(*f.state());
  const auto& recordings = facts["recordings"].list;
  REQUIRE(recordings.size() == 2);
  CHECK(recordings[0]["reason"].text == "");
  CHECK(recordings[0]["calls"].integer() == 1);
  CHECK(recordings[0]["last"].text == "false");
  CHECK(recordings[1]["reason"].text == f.explain().recompiles.at(0));
  CHECK(recordings[1]["calls"].integer() == 2);
  CHECK(recordings[1]["last"].text == "true");
  CHECK(recordings[1]["guards"].list.size() == f.explain().guards.size());
  CHECK(facts["profile"].text == "null");
  CHECK(facts["options"]["dynamic"].text == "off");
}

TEST_CASE("report facts: each recording knows the sizes of a call that it served") {
  auto f = compile(twice, {.name = "twice"});
  Tensor x = ones({5}), y = ones({7}, f64);
  mark_dynamic(x, 0), mark_dynamic(y, 0);
  f(x), f(y);
  const auto history = f.state()->history();
  REQUIRE(history.variants.size() == 2);
  CHECK(history.variants[0]->use->symbols == std::vector<std::int64_t>{5});
  CHECK(history.variants[1]->use->symbols == std::vector<std::int64_t>{7});
}

TEST_CASE("report facts: the summary is the first line") {
  auto f = compile(twice, {.name = "a \"name\"\nof two lines"});
  f(ones({3}));
  const std::string facts = facts_json(f.state()->history(), [](StringTable&) { return "null"; });
  const Json summary = JsonReader::value(summary_of(facts) + "\n");
  CHECK(summary["name"].text == "a \"name\"\nof two lines");
  CHECK(summary["calls"].integer() == 1);
  CHECK(summary["launches"].integer() == 1);
  CHECK(contains(summary["where"].text, "facts_test.cpp:"));
  CHECK(summary_of("no facts") == "{}");
}

TEST_CASE("report facts: inputs and outputs have the names of leaves") {
  nn::Linear layer(3, 2);
  auto f = compile([](nn::Linear& l, const Tensor& x) {
    l.bias = *l.bias + 1.0f;
    return l(x);
  });
  f(layer, ones({4, 3}));
  const Json facts = facts_without_profile(*f.state());
  const Json& graph = facts["programs"][0]["recorded"];
  std::string names;
  for (const Json& node : graph["nodes"].list) names += node[8].text + ";";
  for (const Json& output : graph["outputs"].list) names += output[1].text + ";";
  CHECK(contains(names, "weight;"));
  CHECK(contains(names, "result;"));
  CHECK(contains(names, "new "));
}
