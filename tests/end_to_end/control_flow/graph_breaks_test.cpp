// test: moved
// Graph breaks at every place: results, gradients and state equal those of the uncompiled function.

#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <optional>

#include "jit/support.hpp"

using namespace testing;

namespace {

Tensor toy(const Tensor& a, const Tensor& b_in) {
  Tensor b = b_in;
  const Tensor x = a / (abs(a) + 1);
  if (sum(b) < 0) b = b * -1;  // toy_line
  return x * b;
}
constexpr unsigned toy_line = 19;

struct Step {
  Tensor weight = full({3}, 2.0f);
  bool reads = true;
  SINTER_MODULE(Step, weight, reads)
  Tensor forward(const Tensor& x) const {
    const Tensor y = x * weight;
    if (reads && sum(y).item<float>() > 100) return y * 0.5f;
    return y + 1.0f;
  }
};

struct Steps {
  std::vector<Step> list{std::vector<Step>(3)};
  SINTER_MODULE(Steps, list)
  Tensor forward(const Tensor& x) const {
    Tensor y = x;
    for (const Step& step : list) y = step(y);
    return y;
  }
};

}  // namespace

TEST_CASE(
    "graph breaks: toy_example has two graphs and one break, and the report says how to avoid it") {
  const Tensor a = vector({-1, 2, -3}), b = vector({1, -2, 3});
  const auto compiled = compile(toy);
  const std::string log = said([&] {
    for (const float shift : {0.0f, -100.0f, 100.0f, 0.0f}) {
      CHECK(near_tensor(compiled(a, b + shift), toy(a, b + shift)));
    }
  });
  CHECK(count(log, "graph break") == 1);
  CHECK(contains(log, text("graph_breaks_test.cpp:", toy_line)));
  const Explanation explanation = compiled.explain();
  CHECK(explanation.graphs.size() == 2);
  REQUIRE(explanation.breaks.size() == 1);
  CHECK(explanation.breaks[0].where.line() == toy_line);
  CHECK(contains(explanation.breaks[0].fix, "where"));
  CHECK(contains(to_string(explanation), text("graph_breaks_test.cpp:", toy_line)));
  CHECK(contains(to_json(explanation), "\"breaks\""));
  CHECK(compiled.stats().breaks == 1);
  CHECK(compiled.stats().graphs == 2);
}

TEST_CASE(
    "graph breaks: with fullgraph a break is an error at its line, and the same function without a "
    "break compiles") {
  const Tensor a = vector({-1, 2, -3}), b = vector({1, -2, 3});
  const auto whole = compile(toy, {.fullgraph = true});
  expect_mistake<GraphBreakError>([&] { whole(a, b); }, {"where(condition, x, y)", "cond"},
                                  toy_line, __FILE__);
  CHECK(whole.stats().recordings == 0);
  const auto chosen =
      compile([](const Tensor& x,
                 const Tensor& y) { return x / (abs(x) + 1) * where(sum(y) < 0, y * -1, y); },
              {.fullgraph = true});
  CHECK(near_tensor(chosen(a, b - 100.0f), toy(a, b - 100.0f)));
  CHECK(chosen.stats().graphs == 1);
  CHECK(chosen.stats().breaks == 0);
}

TEST_CASE("graph breaks: taking the other branch compiles only the segment after the break") {
  const Tensor a = counting({7}), b = counting({7}) + 1.0f;
  const auto compiled = compile(toy);
  compiled(a, b);
  const auto kernels = [&] {
    return compiled.stats().kernels_compiled + compiled.stats().disk_hits;
  };
  const auto before = kernels();
  compiled(a, b * -1.0f);
  CHECK(kernels() <= before + 1);
  CHECK(compiled.stats().recompiles == 1);
  compiled(a, b);
  compiled(a, b * -1.0f);
  CHECK(compiled.stats().recompiles == 1);
}

TEST_CASE("graph breaks: all iterations of a loop that reads share one segment") {
  const auto newton = [](const Tensor& a) {
    Tensor x = a;
    for (int i = 0; i < 50; ++i) {
      const Tensor next = (x + a / x) * 0.5f;
      if (max(abs(next - x)).item<float>() < 1e-6f) break;
      x = next;
    }
    return x;
  };
  const auto compiled = compile(newton);
  const Tensor a = vector({2, 3, 5, 7, 400});
  CHECK(near_tensor(compiled(a), sqrt(a)));
  CHECK(compiled.stats().breaks > 5);
  CHECK(compiled.stats().compiler_runs + compiled.stats().disk_hits <= 4);
  CHECK(near_tensor(compiled(a * 2.0f), sqrt(a * 2.0f)));
  CHECK(near_tensor(compiled(vector({2, 2, 2, 2, 2})), full({5}, std::sqrt(2.0f))));
  CHECK(compiled.stats().compiler_runs + compiled.stats().disk_hits <= 4);
}

TEST_CASE("graph breaks: first and second derivatives save the values that they need") {
  const auto cube = [](const Tensor& x) {
    Tensor y = x * x;
    if (sum(y).item<float>() > 0) y = y * x;  // depends on x
    return sum(y);
  };
  const auto first = compile(grad(cube));
  const auto second = compile(grad([cube](const Tensor& x) { return sum(grad(cube)(x)); }));
  for (int i = 1; i < 4; ++i) {
    const double x = i;
    CHECK(near(first(full({2}, static_cast<float>(i))), Numbers(2, 3 * x * x)));
    CHECK(near(second(full({2}, static_cast<float>(i))), Numbers(2, 6 * x)));
  }
  CHECK(first.stats().breaks == 1);
  CHECK(first.stats().recompiles == 0);
  CHECK(second.stats().recompiles == 0);
}

TEST_CASE("graph breaks: in value_and_grad of nested modules that read") {
  Steps model, expected;
  const auto body = [](Steps& steps, const Tensor& x) {
    const auto [loss, gradients] = value_and_grad(steps, [&] { return mean(square(steps(x))); });
    for (std::size_t i = 0; i < steps.list.size(); ++i) {
      steps.list[i].weight -= gradients[text("list.", i, ".weight")] * 1e-4f;
    }
    return loss;
  };
  const auto compiled = compile(body);
  for (int i = 0; i < 6; ++i) {
    const Tensor x = full({3}, i);
    const Tensor loss = compiled(model, x);
    CHECK(near_tensor(loss, body(expected, x)));
    for (std::size_t k = 0; k < 3; ++k) {
      CHECK(near_tensor(model.list[k].weight, expected.list[k].weight));
    }
  }
  CHECK(compiled.stats().breaks == 3);
}

TEST_CASE("graph breaks: every kind of read returns the current elements") {
  const auto read = [](Tensor& x, Scalar factor, const Tensor& y) {
    const float argument = x.item<float>();  // an argument itself
    x = x + 1.0f;
    const float changed = x.item<float>();
    const std::vector<float> list = (y * factor).to_vector<float>();
    const float element = (y + x).data<float>()[1];
    const int number = (factor + 1).item<int>();
    float result = argument + changed * 10 + list.at(1) * 100 + element * 1000;
    if (any(y > 2)) result += static_cast<float>(number) * 10000;
    return x * result;
  };
  const auto compiled = compile(read);
  Tensor x = full({}, 1.0f), expected = full({}, 1.0f);
  for (int i = 0; i < 4; ++i) {
    const Tensor y = vector({1, static_cast<float>(i), 2});
    CHECK(near_tensor(compiled(x, 3, y), read(expected, 3, y)));
    CHECK(near_tensor(x, expected));
  }
  CHECK(compiled.stats().breaks >= 5);
}

TEST_CASE("graph breaks: a captured tensor is read without a break, on each call") {
  Tensor threshold = full({}, 1.0f);
  const auto compiled = compile(
      [&](const Tensor& x) { return threshold.item<float>() > 2 ? x * 2.0f : x + threshold; });
  CHECK(near(compiled(ones({2})), {2, 2}));
  threshold = full({}, 3.0f);
  CHECK(near(compiled(ones({2})), {2, 2}));
  threshold = full({}, 2.0f);
  CHECK(near(compiled(ones({2})), {3, 3}));
  CHECK(compiled.stats().breaks == 0);
  CHECK(compiled.stats().graphs == 1);
}

TEST_CASE("graph breaks: with dynamic sizes, lists have the length of the call's tensors") {
  const auto body = [](const Tensor& x) {
    const std::vector<float> all_of_them = (x + 1.0f).to_vector<float>();
    Tensor y = x * static_cast<float>(all_of_them.size());
    const std::vector<float> argument = x.to_vector<float>();
    return y + static_cast<float>(argument.size()) + sum(y).item<float>();
  };
  const auto marked = compile(body), automatic = compile(body);
  for (int size = 2; size < 9; ++size) {
    Tensor x = counting({size});
    const Tensor expected = body(x);
    CHECK(near_tensor(automatic(x), expected));
    mark_dynamic(x, 0);
    CHECK(near_tensor(marked(x), expected));
  }
  CHECK(automatic.stats().compiler_runs + automatic.stats().disk_hits < 12);
  CHECK(marked.stats().recompiles <= 1);
}

TEST_CASE(
    "graph breaks: a random draw has one value in all segments, and a new one in the next call") {
  const auto body = [](const Tensor& x) {
    const Tensor noise = randn({5});
    const float first = sum(noise).item<float>();
    const Tensor again = rand({5});
    return std::tuple(noise + x, sum(noise) - first, again - noise);
  };
  const auto compiled = compile(body);
  std::vector<Numbers> seen;
  random::manual_seed(7);
  for (int i = 0; i < 4; ++i) {
    const auto [noise, zero, other] = compiled(zeros({5}));
    CHECK(near(zero, {0}, 1e-5));
    CHECK(std::fabs(numbers(other)[0]) > 1e-6);
    for (const Numbers& before : seen) CHECK(before != numbers(noise));
    seen.push_back(numbers(noise));
  }
  random::manual_seed(7);
  CHECK(near(std::get<0>(compiled(zeros({5}))), seen[0]));
}

TEST_CASE("graph breaks: breaks do not change the random numbers drawn") {
  const auto whole = compile([](const Tensor& x) { return randn({4}) + x; });
  const auto broken = compile([](const Tensor& x) {
    const Tensor noise = randn({4});
    graph_break("to see whether it matters");
    return noise + x;
  });
  random::manual_seed(3);
  const Numbers first = numbers(whole(zeros({4}))), second = numbers(whole(zeros({4})));
  random::manual_seed(3);
  CHECK(near(broken(zeros({4})), first));
  CHECK(near(broken(zeros({4})), second));
}

TEST_CASE("graph breaks: graph_break() logs its reason") {
  const auto compiled = compile([](const Tensor& x) {
    const Tensor y = x + 1.0f;
    graph_break("the log is written here");
    return y * 2.0f;
  });
  CHECK(near(compiled(ones({2})), {4, 4}));
  REQUIRE(compiled.explain().breaks.size() == 1);
  CHECK(compiled.explain().breaks[0].reason == "the log is written here");
  CHECK(compiled.explain().graphs.size() == 2);
}

TEST_CASE("graph breaks: functions that read can return every kind of result") {
  const auto compiled = compile([](const Tensor& x) {
    const int count = static_cast<int>(sum(x).item<float>());
    std::map<std::string, Tensor> table{{"x", x}, {"twice", x * 2.0f}};
    std::optional<Tensor> maybe;
    if (count > 2) maybe = x + 1.0f;
    return std::tuple(count, std::string("name"), table, maybe, std::vector<Tensor>(2, x * 3.0f));
  });
  for (int i = 1; i < 4; ++i) {
    const auto [count, name, table, maybe, list] = compiled(full({2}, static_cast<float>(i)));
    CHECK(count == 2 * i);
    CHECK(name == "name");
    CHECK(near(table.at("x"), Numbers(2, i)));
    CHECK(near(table.at("twice"), Numbers(2, 2 * i)));
    CHECK(maybe.has_value() == (i > 1));
    if (maybe) CHECK(near(*maybe, Numbers(2, i + 1)));
    CHECK(near(list[1], Numbers(2, 3 * i)));
  }
}

TEST_CASE("graph breaks: is_recording is true before and after a break, and not outside") {
  std::vector<bool> seen;
  const auto compiled = compile([&](const Tensor& x) {
    seen.push_back(is_recording());
    const bool positive = static_cast<bool>(sum(x) > 0);
    seen.push_back(is_recording());
    return positive ? x : x * 2.0f;
  });
  compiled(ones({2}));
  CHECK(seen == std::vector<bool>{true, true});
  CHECK(!is_recording());
}
