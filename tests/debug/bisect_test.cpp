// Which stage bisect() blames; the faults are planted. planted_test.cpp has all of them.

#include <doctest/doctest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "planted_cases.hpp"

using namespace sinter;
using namespace sinter::detail;

namespace {

Tensor scaled(const Tensor& x, const Tensor& w) { return softmax(matmul(x, w), -1) * 2; }

Tensor logarithm(const Tensor& x) { return log(x - 1) * 2 + tanh(x); }

std::string contents(const std::string& path) {
  std::ifstream file(path);
  std::stringstream result;
  result << file.rdbuf();
  return result.str();
}

std::string temporary_path() {
  return (std::filesystem::temp_directory_path() / "sinter_bisect_test.cpp").string();
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

const Tensor x = planted::ramp({8, 8}, 0.3f, 0.11f), w = planted::ramp({8, 8}, 0.1f, 0.03f);

}  // namespace

TEST_CASE("bisect: a right function has no culprit, and a largest difference of rounding") {
  const auto f = compile(scaled);
  const Bisection found = bisect(f, x, w);
  CHECK_FALSE(found.found);
  CHECK(found.largest < 1e-5);
  CHECK(has(to_string(found), "nothing wrong was found"));
}

TEST_CASE("bisect: some planted faults") {
  for (const planted::Case& one : planted::all_cases()) {
    const std::string name = one.fault;
    const bool is_quick = name == "gradient of tanh" || name == "batch of exp" ||
                          name == "relax_arithmetic" || name == "a max is a min" ||
                          name == "an update is written too early" || name == "an internal error";
    if (!is_quick) continue;
    const planted::Plant plant(planted::fault_of(name));
    const Bisection found = one.bisect();
    CAPTURE(name);
    CAPTURE(to_string(found));
    CHECK(found.stage == one.stage);
    CHECK(has(found.culprit + found.operation, one.operation));
    CHECK(found.lines.size() >= 1);
    CHECK_FALSE(found.difference.empty());
  }
}

TEST_CASE("bisect: NaN of every back end is the program's own") {
  const auto f = compile(logarithm);
  const Bisection found = bisect(f, ones({3}));
  CHECK(found.stage == "numerics");
  CHECK(found.operation == "log");
  REQUIRE(found.lines.size() == 1);
  CHECK(has(found.lines[0].file_name(), "bisect_test.cpp"));
  CHECK(has(found.difference, "log gives -inf at [0], of 0"));
}

TEST_CASE("bisect: expected results that no back end gives") {
  const auto f = compile(scaled);
  CHECK_FALSE(bisect(f, x, w, BisectOptions{.expected = {scaled(x, w)}}).found);
  const Bisection found = bisect(f, x, w, BisectOptions{.expected = {scaled(x, w) + 1}});
  CHECK(found.stage == "function");
  CHECK(has(found.difference, "output 0, element [0, 0]"));
  const Bisection near =
      bisect(f, x, w, BisectOptions{.expected = {scaled(x, w) + 0.01f}, .tolerance = 0.1});
  CHECK_FALSE(near.found);
}

TEST_CASE("bisect: a recording that no longer fits") {
  static float factor = 1;
  const auto f = compile([](const Tensor& a) { return a * factor; });
  f(x);
  factor = 3;
  const Bisection found = bisect(f, x);
  CHECK(found.stage == "replay");
}

TEST_CASE("bisect: arguments and random state stay as they are") {
  const auto f = compile([](Tensor& state, const Tensor& y) {
    state = state + y + rand({8, 8});
    return sum(state);
  });
  random::manual_seed(3);
  Tensor state = x + 0;
  const std::vector<float> before = state.to_vector<float>();
  const auto draws = random::state().offset;
  CHECK_FALSE(bisect(f, state, w).found);
  CHECK(state.to_vector<float>() == before);
  CHECK(random::state().offset == draws);
}

TEST_CASE("bisect: functions with graph breaks, and modules") {
  const auto broken = compile([](const Tensor& a) {
    const Tensor y = sin(a) * 2;
    return sum(y).item<float>() > 0 ? exp(y) : -y;
  });
  CHECK_FALSE(bisect(broken, x).found);
  nn::Linear layer(8, 4);
  const auto module = compile(layer);
  CHECK_FALSE(bisect(module, x).found);
}

TEST_CASE("bisect: a function that throws as it is written") {
  const auto f = compile([](const Tensor& a, const Tensor& at) { return index_select(a, 0, at); });
  const Bisection found = bisect(f, x, full({1}, std::int64_t{100}, i64));
  CHECK(found.found);
  CHECK(has(found.difference, "index"));
}

TEST_CASE("minify: a program of one operation; nothing where nothing fails") {
  const std::string path = temporary_path();
  minify(compile(logarithm), planted::ramp({64}, 1, 0.5f), path);
  const std::string program = contents(path);
  CHECK(has(program, "const Value x0 = build.input({f32, {1}});"));
  CHECK(has(program, "const Value v1 = build.elementwise(Op::log, {x0});  // log, bisect_test"));
  CHECK(has(program, "replay.floats({0});"));
  CHECK_FALSE(has(program, "v2"));
  std::remove(path.c_str());
  CHECK_THROWS_AS(minify(compile(scaled), x, w, path), ValueError);
  CHECK_FALSE(std::ifstream(path).good());
  CHECK_THROWS_AS(minify(compile(logarithm), ones({3}), "/no/such/folder/bug.cpp"), IoError);
}

TEST_CASE("minify: a planted fault of a pass") {
  const planted::Plant plant(planted::fault_of("remove_identities"));
  const std::string path = temporary_path();
  const auto f = compile([](const Tensor& a) { return tanh(exp(a) * 1.0f) + sin(a); });
  minify(f, x, path);
  const std::string program = contents(path);
  CHECK(has(program, "FailureKind::passes"));
  CHECK(has(program, "build.elementwise(Op::mul"));
  CHECK_FALSE(has(program, "Op::tanh"));
  CHECK_FALSE(has(program, "Op::sin"));
  std::remove(path.c_str());
}
