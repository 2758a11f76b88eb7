// test: deep
#include <doctest/doctest.h>
#include <sinter/graph/builder.hpp>
#include <sinter/runtime/cuda/graph/control_words.hpp>

#include <set>
#include <vector>

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::runtime;

namespace {

// A plan of one launch of `control`, whose buffers are inputs, then outputs, then of the arena; its
// bodies have one launch each, which reads their inputs and writes their outputs.
schedule::Plan plan_of(schedule::Control control, std::vector<std::pair<int, int>> bodies) {
  schedule::Plan plan;
  schedule::Launch launch{.kernel = -1};
  const auto add = [](schedule::Plan& to, schedule::Home home, int position) {
    to.buffers.push_back({f32, 4, home, position});
  };
  for (int i = 0; i < control.inputs; ++i) add(plan, schedule::Home::input, i);
  for (int i = 0; i < control.results; ++i) add(plan, schedule::Home::output, i);
  for (int i = 0; i < control.states; ++i) add(plan, schedule::Home::arena, 0);
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    launch.buffers.push_back(static_cast<std::int32_t>(i));
  }
  for (const auto& [inputs, outputs] : bodies) {
    control.bodies.push_back(static_cast<std::int32_t>(plan.bodies.size()));
    schedule::Plan body;
    for (int i = 0; i < inputs; ++i) add(body, schedule::Home::input, i);
    for (int i = 0; i < outputs; ++i) add(body, schedule::Home::output, i);
    add(body, schedule::Home::arena, 0);
    body.arena_bytes = 40;
    schedule::Launch one;
    for (std::size_t i = 0; i < body.buffers.size(); ++i) {
      one.buffers.push_back(static_cast<std::int32_t>(i));
    }
    one.sizes = {7};
    one.checks.resize(1);
    body.launches = {one};
    plan.bodies.push_back(std::move(body));
  }
  launch.control = 0;
  plan.controls = {std::move(control)};
  plan.launches = {launch};
  return plan;
}

std::uint64_t value(const ControlWords& words, long word) {
  return words.values()[static_cast<std::size_t>(word)];
}

struct Laid {
  explicit Laid(schedule::Plan of)
      : plan(std::move(of)), faults(plan, Bodies::included), words(plan, faults) {
    words.set_sizes({});
    for (std::size_t i = 0; i < plan.buffers.size(); ++i) words.set_buffer(i, 100 * (i + 1));
    words.set_addresses(1 << 20, 2 << 20, 3 << 20);
  }
  const ControlLayout& layout() const { return words.layout().controls[0]; }
  schedule::Plan plan;
  CudaFaults faults;
  ControlWords words;
};

}  // namespace

TEST_CASE("control_words: bodies of a branch use the buffers of the enclosing plan") {
  Laid laid(plan_of({.op = Op::cond, .inputs = 2, .results = 1}, {{1, 1}, {1, 1}}));
  const ControlLayout& layout = laid.layout();
  CHECK(layout.table == -1);
  CHECK(value(laid.words, layout.condition) == 100);
  REQUIRE(layout.bodies.size() == 2);
  for (std::size_t i = 0; i < 2; ++i) {
    const std::vector<long>& arguments = layout.bodies[i].arguments[0];
    REQUIRE(arguments.size() == 5);
    CHECK(value(laid.words, arguments[0]) == 200);
    CHECK(value(laid.words, arguments[1]) == 300);
    CHECK(value(laid.words, arguments[2]) == (2 << 20) + 256 * i);
    CHECK(value(laid.words, arguments[3]) == 7);
    CHECK(value(laid.words, arguments[4]) == (3 << 20) + LoopTable::fault_bytes * i);
  }
  CHECK(layout.fault_count == 2);
  CHECK(laid.words.arena_bytes({}) == 512);
}

TEST_CASE("control_words: the state of a loop is double-buffered") {
  Laid laid(plan_of({.op = Op::while_loop, .inputs = 2, .results = 1, .states = 1, .bytes = {16}},
                    {{2, 1}, {2, 1}}));
  const ControlLayout& layout = laid.layout();
  const auto in_table = [&](std::size_t at) {
    return value(laid.words, layout.table + static_cast<long>(at));
  };
  CHECK(in_table(LoopTable::states) == 1);
  CHECK(in_table(LoopTable::sequences) == 0);
  CHECK(in_table(LoopTable::length) == LoopTable::no_length);
  const auto at = [&](std::size_t what) { return in_table(LoopTable::head_words + what); };
  const auto at_word = [&](std::size_t what) {
    return value(laid.words, static_cast<long>(at(what)));
  };
  CHECK(at_word(LoopTable::source) == 100);
  CHECK(at_word(LoopTable::result) == 300);
  CHECK(at_word(LoopTable::other) == 400);
  CHECK(at_word(LoopTable::state_bytes) == 16);
  const std::vector<long>& decides = layout.bodies[0].arguments[0];
  const std::vector<long>& steps = layout.bodies[1].arguments[0];
  CHECK(decides[0] == static_cast<long>(at(LoopTable::current)));
  CHECK(decides[2] == layout.condition);
  CHECK(steps[0] == static_cast<long>(at(LoopTable::current)));
  CHECK(value(laid.words, steps[1]) == 200);
  CHECK(steps[2] == static_cast<long>(at(LoopTable::next)));
  const std::uint64_t condition = value(laid.words, layout.condition);
  CHECK(condition > (1 << 20));
  CHECK(condition < (1 << 20) + 8 * laid.words.count());
}

TEST_CASE("control_words: a scan has a word for its position in each sequence") {
  Laid laid(plan_of({.op = Op::scan,
                     .inputs = 2,
                     .results = 2,
                     .states = 1,
                     .xs = 1,
                     .reverse = true,
                     .length = 9,
                     .bytes = {16, 8, 4}},
                    {{2, 2}}));
  const ControlLayout& layout = laid.layout();
  const long table = layout.table;
  const auto head = [&](LoopTable::Head word) {
    return value(laid.words, table + static_cast<long>(word));
  };
  CHECK(head(LoopTable::sequences) == 2);
  CHECK(head(LoopTable::reverse) == 1);
  const auto length = static_cast<long>(head(LoopTable::length));
  CHECK(value(laid.words, length) == 9);
  const std::vector<long>& arguments = layout.bodies[0].arguments[0];
  const long sequences = table + long{LoopTable::head_words} + long{LoopTable::state_words};
  const std::vector<std::pair<std::uint64_t, std::uint64_t>> expected{{200, 8}, {400, 4}};
  for (long i = 0; i < 2; ++i) {
    const long at = sequences + i * static_cast<long>(LoopTable::sequence_words);
    const auto in = [&](long what) { return static_cast<long>(value(laid.words, at + what)); };
    const auto& [first, bytes] = expected[static_cast<std::size_t>(i)];
    CHECK(value(laid.words, in(LoopTable::first)) == first);
    CHECK(value(laid.words, in(LoopTable::step_bytes)) == bytes);
    CHECK(in(LoopTable::position) == arguments[i == 0 ? 1 : 3]);
  }
  CHECK(std::set<long>(arguments.begin(), arguments.end()).size() == arguments.size());
}

TEST_CASE("control_words: words are uploaded when one of them has changed") {
  Laid laid(plan_of({.op = Op::cond, .inputs = 2, .results = 1}, {{1, 1}, {1, 1}}));
  CHECK(laid.words.take_changed());
  CHECK_FALSE(laid.words.take_changed());
  laid.words.set_buffer(1, 200);
  laid.words.set_sizes({});
  laid.words.set_addresses(1 << 20, 2 << 20, 3 << 20);
  CHECK_FALSE(laid.words.take_changed());
  laid.words.set_buffer(1, 208);
  CHECK(laid.words.take_changed());
  laid.words.set_addresses(1 << 20, 4 << 20, 3 << 20);
  CHECK(laid.words.take_changed());
}
