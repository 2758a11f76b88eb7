// test: moved
// State of training loops: its memory, who shares it, and its values after a failed call.

#include <doctest/doctest.h>

#include <array>
#include <optional>

#include "jit/support.hpp"
#include "moved.hpp"

using namespace testing;
using sinter_test::by_device;

namespace {

struct Cell {
  Tensor weight = full({64}, 1.0f);
  std::optional<Tensor> bias{};
  SINTER_MODULE(Cell, weight, bias)
  Tensor forward(const Tensor& x) const {
    const Tensor y = x * weight;
    return bias ? y + *bias : y;
  }
};

struct Stack {
  std::vector<Cell> cells{std::vector<Cell>(2)};
  std::optional<Cell> head{};
  std::array<Cell, 1> last;
  Scalar steps = 0;
  SINTER_MODULE(Stack, cells, head, last, steps)

  void update(const Tensor& x) {
    for (Cell& cell : cells) cell.weight = cell.weight * 0.5f + cell(x);
    if (head) head->weight = head->weight + x;
    last[0].weight = last[0].weight * 0.5f;
    steps = steps + 1;
  }
  std::vector<const Tensor*> state() const {
    std::vector<const Tensor*> result{&cells[0].weight, &cells[1].weight, &last[0].weight,
                                      &steps.tensor()};
    if (head) result.push_back(&head->weight);
    return result;
  }
  std::vector<const void*> addresses() const {
    std::vector<const void*> result;
    for (const Tensor* tensor : state()) result.push_back(elements_of(*tensor).data());
    return result;
  }
};

void closed_step(Stack& stack, const Tensor& x) { stack.update(x); }

// The same in functions that are traced on every call.
auto open_step(const Tensor& offset) {
  return [offset](Stack& stack, const Tensor& x) { stack.update(x + offset); };
}

const int steps = by_device(1000, 30);

}  // namespace

TEST_CASE(
    "training state: state keeps its address for 1,000 steps, replayed or traced on every call") {
  const Tensor x = full({64}, 0.25f);
  const auto check = [&](const auto& compiled, Stack& stack) {
    compiled(stack, x);
    const auto addresses = stack.addresses();
    const auto allocations = compiled.stats().allocations;
    for (int i = 1; i < steps; ++i) compiled(stack, x);
    CHECK(stack.addresses() == addresses);
    CHECK(compiled.stats().allocations == allocations);
    CHECK(compiled.stats().recompiles == 0);
    CHECK(near(stack.steps.tensor(), Numbers(1, steps)));
  };
  Stack closed, open;
  closed.head = open.head = Cell();
  check(compile(closed_step), closed);
  check(compile(open_step(zeros({64}))), open);
  CHECK(near_tensor(open.cells[1].weight, closed.cells[1].weight));
}

TEST_CASE("training state: a tensor kept every 10th step is unchanged, and the state moves once") {
  const Tensor x = full({64}, 0.25f);
  const auto check = [&](const auto& compiled) {
    Stack stack, expected;
    compiled(stack, x), closed_step(expected, x);
    std::vector<std::pair<Tensor, Numbers>> snapshots;
    auto addresses = stack.addresses();
    auto allocations = compiled.stats().allocations;
    int moves = 0;
    for (int i = 1; i < 200; ++i) {
      if (i % 10 == 0) {
        snapshots.emplace_back(stack.cells[0].weight, numbers(expected.cells[0].weight));
      }
      compiled(stack, x), closed_step(expected, x);
      const auto now = stack.addresses();
      CHECK(std::equal(now.begin() + 1, now.end(), addresses.begin() + 1));
      moves += now[0] != addresses[0];
      CHECK((now[0] != addresses[0]) == (i % 10 == 0));
      CHECK(compiled.stats().allocations - allocations == (i % 10 == 0));
      addresses = now, allocations = compiled.stats().allocations;
    }
    CHECK(moves == 19);
    for (const auto& [snapshot, then] : snapshots) CHECK(near(snapshot, then));
    CHECK(near_tensor(stack.cells[0].weight, expected.cells[0].weight));
    CHECK(compiled.stats().recompiles == 0);
  };
  check(compile(closed_step));
  check(compile(open_step(zeros({64}))));
}

TEST_CASE("training state: a loop that captures its model and optimizer compiles once") {
  Cell model, expected;
  optim::AdamW adam, expected_adam;
  const auto body = [](Cell& cell, optim::AdamW& optimizer, const Tensor& x) {
    const auto [loss, gradients] = value_and_grad(cell, [&] { return mean(square(cell(x))); });
    optimizer.step(cell, gradients);
    return loss;
  };
  const auto step = compile([&](const Tensor& x) { return body(model, adam, x); });
  const Tensor x = full({64}, 2.0f);
  for (int i = 0; i < 50; ++i) {
    CHECK(near_tensor(step(x), body(expected, expected_adam, x), 1e-4));
  }
  CHECK(near_tensor(model.weight, expected.weight, 1e-4));
  CHECK(step.stats().recompiles == 0);
  CHECK(step.stats().variants == 1);
}

TEST_CASE("training state: updates before a break are applied at the end, and reads see them") {
  const auto body = [](Stack& stack, const Tensor& x) {
    stack.cells[0].weight = stack.cells[0].weight + x;
    const float seen = sum(stack.cells[0].weight).item<float>();
    stack.cells[0].weight = stack.cells[0].weight * (seen > 100 ? 0.5f : 2.0f);
    return stack.cells[0].weight + 0.0f;
  };
  const auto compiled = compile(body);
  Stack stack, expected;
  const void* const address = elements_of(stack.cells[0].weight).data();
  for (int i = 0; i < 8; ++i) {
    CHECK(near_tensor(compiled(stack, ones({64})), body(expected, ones({64}))));
    CHECK(near_tensor(stack.cells[0].weight, expected.cells[0].weight));
    CHECK(elements_of(stack.cells[0].weight).data() == address);
  }
}

TEST_CASE("training state: exceptions of the function leave arguments unchanged, at each point") {
  for (const bool breaks : {false, true}) {
    int thrown_at = 0;
    Tensor kept;
    const auto compiled = compile([&](Stack& stack, const Tensor& x) {
      const auto point = [&](int here) {
        if (here == thrown_at) throw std::runtime_error("point");
      };
      point(1);
      stack.cells[0].weight = stack.cells[0].weight + x;
      const Tensor noise = rand({64});
      kept = stack.cells[0].weight * 2.0f + noise * 0.0f;
      point(2);
      if (breaks) kept = kept + sum(kept).item<float>() * 0.0f;
      point(3);
      stack.cells[0].weight = stack.cells[0].weight * 2.0f;
      point(4);
      return stack.cells[0].weight + noise * 0.0f;
    });
    Stack stack;
    double value = 1;
    for (int i = 0; i < 15; ++i) {
      INFO("breaks " << breaks << ", call " << i);
      thrown_at = i % 5;
      const random::State random_before = random::state();
      if (thrown_at == 0) {
        CHECK(near(compiled(stack, ones({64})), Numbers(64, (value + 1) * 2)));
        value = (value + 1) * 2;
      } else {
        CHECK_THROWS_WITH_AS(compiled(stack, ones({64})), "point", std::runtime_error);
        CHECK(random::state().offset == random_before.offset);
      }
      CHECK(near(stack.cells[0].weight, Numbers(64, value)));
      if (thrown_at > 1) CHECK(near(kept, Numbers(64, (value + 1) * 2)));
    }
  }
}

TEST_CASE("training state: the log reports once per call site that state had to move, and why") {
  ScopedVariable logs("SINTER_LOGS", "perf");
  const auto compiled = compile(closed_step, {.name = "update"});
  Stack stack;
  std::vector<Tensor> history;
  const std::string log = said([&] {
    for (int i = 0; i < 5; ++i) {
      history.push_back(stack.cells[1].weight);
      compiled(stack, ones({64}));
    }
  });
  INFO(log);
  CHECK(count(log, "was not updated in place") == 1);
  CHECK(contains(log, "argument 0.cells.1.weight"));
}

TEST_CASE("training state: the log reports once why a function is traced on every call") {
  ScopedVariable logs("SINTER_LOGS", "perf");
  const Tensor offset = zeros({64});
  const std::string log = said([&] {
    const auto compiled = compile([offset](const Tensor& x) { return x + offset; });
    for (int i = 0; i < 3; ++i) compiled(ones({64}));
  });
  INFO(log);
  CHECK(count(log, "traced on every call") == 1);
  CHECK(contains(log, text("training_state_test.cpp:", __LINE__ - 5)));
  CHECK(contains(log, "f32[64]"));
  CHECK(contains(log, "assume_pure"));
}

TEST_CASE("training state: two arguments that share a tensor are independent values") {
  const auto body = [](Tensor& a, const Tensor& b) {
    a = a + b;
    return a - b;
  };
  const Tensor offset = zeros({4});
  const auto closed = compile(body);
  const auto open = compile([&](Tensor& a, const Tensor& b) {
    a = a + b + offset;
    return a - b;
  });
  for (int i = 0; i < 3; ++i) {
    Tensor a = ones({4}), c = ones({4});
    const Tensor b = a, d = c;
    CHECK(near(closed(a, b), Numbers(4, 1)));
    CHECK(near(open(c, d), Numbers(4, 1)));
    CHECK(near(a, Numbers(4, 2)));
    CHECK(near(c, Numbers(4, 2)));
    CHECK(near(b, Numbers(4, 1)));
    CHECK(near(d, Numbers(4, 1)));
  }
}

TEST_CASE("training state: a view of the old state keeps its values") {
  const auto body = [](Tensor& weight) {
    const Tensor before = reshape(weight, {8, 8});
    weight = weight * 2.0f;
    return before;
  };
  const Tensor offset = zeros({1});
  const auto check = [&](const auto& compiled) {
    Tensor weight = ones({64});
    for (int i = 0; i < 4; ++i) {
      CHECK(near(compiled(weight), Numbers(64, 1 << i)));
      CHECK(near(weight, Numbers(64, 2 << i)));
    }
  };
  check(compile(body));
  check(compile([&](Tensor& weight) { return body(weight) + offset; }));
  check(compile([&](Tensor& weight) {
    elements_of(offset);
    return body(weight);
  }));
}
