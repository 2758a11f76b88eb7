// test: moved
#include <doctest/doctest.h>
#include <sinter/jit/state/recompile_reason.hpp>

#include "jit/support.hpp"

using namespace testing;

namespace {

enum class Kind : std::uint8_t { add, subtract };

struct Options {
  int count = 1;
  float factor = 2;
  bool negate = false;
  Kind kind = Kind::add;
  std::string name = "a";
  std::optional<Tensor> bias{};
  std::vector<Tensor> list{};
  SINTER_MODULE(Options, count, factor, negate, kind, name, bias, list)

  Tensor forward(const Tensor& x) const {
    Tensor result = x * factor + count;
    if (negate) result = -result;
    if (kind == Kind::subtract) result -= 1.0f;
    if (name == "b") result += 10.0f;
    if (bias) result += *bias;
    for (const Tensor& element : list) result += element;
    return result;
  }
};

// Calls a compiled `Options` before and after `change`; returns the reason for the recompile.
template <class Change>
std::vector<std::string> recompiles_after(Change change) {
  Options options;
  const auto f = compile(options);
  const Tensor x = vector({1, 2});
  CHECK(near_tensor(f(x), options(x)));
  change(options);
  for (int again = 0; again < 2; ++again) CHECK(near_tensor(f(x), options(x)));
  CHECK(f.stats().recompiles == 1);
  CHECK(f.stats().recordings == 2);
  return f.explain().recompiles;
}

void check_reason(const std::vector<std::string>& reasons,
                  std::initializer_list<const char*> parts) {
  REQUIRE(reasons.size() == 1);
  CHECK(contains(reasons[0], "recompile_reason_test.cpp:"));  // the line of compile()
  for (const char* part : parts) {
    INFO(reasons[0]);
    CHECK(contains(reasons[0], part));
  }
}

}  // namespace

TEST_CASE("recompile reason: each plain value is guarded, and its change named") {
  check_reason(recompiles_after([](Options& options) { options.count = 2; }),
               {"self.count: expected 1, found 2", "Scalar"});
  // A floating-point number that changed becomes an input. The function is traced to read it, which
  // is not another recording.
  check_reason(recompiles_after([](Options& options) { options.factor = 2.5f; }),
               {"self.factor: expected 2, found 2.5"});
  check_reason(recompiles_after([](Options& options) { options.negate = true; }),
               {"self.negate: expected false, found true"});
  check_reason(recompiles_after([](Options& options) { options.kind = Kind::subtract; }),
               {"self.kind: expected 0, found 1"});
  check_reason(recompiles_after([](Options& options) { options.name = "b"; }),
               {"self.name: expected \"a\", found \"b\""});
}

TEST_CASE("recompile reason: presence and lengths are guarded") {
  check_reason(recompiles_after([](Options& options) {
                 options.bias = vector({1, 1});
               }),
               {"self.bias: expected absent, found present"});
  check_reason(recompiles_after([](Options& options) {
                 options.list.push_back(vector({1, 1}));
               }),
               {"self.list: expected 0 elements, found 1 element;"});
}

TEST_CASE("recompile reason: dtype, rank and size are guarded") {
  const auto f = compile([](const Tensor& x) { return x * 2.0f; }, {.dynamic = Dynamic::off});
  for (const Tensor& x : {zeros({2}), zeros({2}, f64), zeros({2, 1}), zeros({3})}) {
    CHECK(f(x).dtype() == x.dtype());
  }
  const std::vector<std::string> reasons = f.explain().recompiles;
  REQUIRE(reasons.size() == 3);
  CHECK(contains(reasons[0], "argument 0: expected f32, found f64"));
  // Against the nearest recording, which is not the last one.
  CHECK(contains(reasons[1], "argument 0: expected rank 1, found rank 2, f32[2, 1]"));
  CHECK(contains(reasons[2], "argument 0: expected size(0) == 2, found 3"));
}

TEST_CASE("recompile reason: a recompile is explained against the nearest recording") {
  const auto f = compile([](const Tensor& x, int n) { return x * n; });
  f(zeros({2, 9}), 1), f(zeros({2, 9}, f16), 2), f(zeros({2, 9}, f64), 1);
  f(zeros({2, 9}, f16), 1);
  f(zeros({9}), 1);
  const std::vector<std::string> reasons = f.explain().recompiles;
  REQUIRE(reasons.size() == 4);
  CHECK(contains(reasons[1], "argument 0: expected f32, found f64"));
  CHECK(contains(reasons[2], "argument 0: expected f64, found f16"));
  CHECK(contains(reasons[3], "argument 0: expected rank 2, found rank 1, f32[9]"));
}

TEST_CASE(
    "recompile reason: a recompile is logged with the leaf, the line of compile and what to do") {
  const ScopedVariable logs("SINTER_LOGS", "recompiles");
  const auto f = compile([](const Tensor& x) { return x * 2.0f; }, {.name = "twice"});
  const std::string line = to_string(Where::current());
  f(zeros({4}));
  const std::string told = said([&] { f(zeros({5})); });
  CHECK(contains(told, "sinter[recompiles]: twice at "));
  CHECK(contains(told, line.substr(0, line.find(':'))));
  CHECK(contains(told, "argument 0: expected size(0) == 4, found 5; mark_dynamic(x, 0)"));
  CHECK(said([&] { f(zeros({6})); }) == "");
}

namespace {

struct Inner {
  Tensor weight = ones({4});
  SINTER_MODULE(Inner, weight)
  Tensor forward(const Tensor& x) const {
    const Tensor scaled = x * 2.0f;
    if (x.size(0) > 3) return scaled + 1.0f;
    return scaled * weight[0];
  }
};

struct Outer {
  Inner inner{};
  SINTER_MODULE(Outer, inner)
  Tensor forward(const Tensor& x) const { return tanh(inner(exp(x))); }
};

}  // namespace

TEST_CASE("recompile_reason: the verbose log has the lines of the user behind each guard") {
  const ScopedVariable logs("SINTER_LOGS", "recompiles_verbose");
  const Outer outer;
  const auto f = compile(outer, {.dynamic = Dynamic::on, .name = "outer"});
  f(ones({8}));
  const std::string told = said([&] { f(ones({2})); });
  INFO(told);
  for (const char* const part :
       {"recording 1 of 1 does not fit: argument 0: expected size(0) > 3, found 2", "compiled at ",
        "in inner, ", " to ", "assumed at ", "recompile_reason_test.cpp:"}) {
    INFO(std::string(part));
    CHECK(contains(told, part));
  }
  const std::string all = said([&] { f(from_vector<int>({1, 2}, {2})); });
  CHECK(contains(all, "recording 1 of 2 does not fit"));
  CHECK(contains(all, "recording 2 of 2 does not fit"));
  CHECK(contains(all, "argument 0 is read by exp at "));
  const ScopedVariable brief("SINTER_LOGS", "recompiles");
  CHECK_FALSE(contains(said([&] { f(ones({2, 2})); }), "compiled at"));
}
