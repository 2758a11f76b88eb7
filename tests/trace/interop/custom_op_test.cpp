// test: moved
#include "testing.hpp"

#include <sinter/jit/compile.hpp>
#include <sinter/trace/interop/custom_op.hpp>
#include <sinter/trace/ops/elementwise/elementwise.hpp>
#include <sinter/trace/ops/movement/movement.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>
#include <sinter/trace/transform/grad.hpp>
#include <sinter/trace/transform/vmap.hpp>

#include <functional>
#include <string>

using namespace testing;

namespace {

// The numbers of x, in reverse: something that needs their elements.
Tensor reversed(const Tensor& x) {
  std::vector<float> list = x.to_vector<float>();
  return from_vector(std::vector<float>(list.rbegin(), list.rend()), x.shape());
}

const auto reverse = custom_op<"test::reverse">(
    {.forward = reversed,
     .backward = [](const Tensor&, const Tensor&, const Tensor& g) { return flip(g, 0); }});

Tensor loss(const Tensor& x, const Tensor& w) { return sum(reverse(x * 2) * w); }

}  // namespace

TEST_CASE("custom_op: computes on the host what its forward gives") {
  CHECK(near(reverse(vector({1, 2, 3})), {3, 2, 1}));
  const auto both = custom_op<"test::minmax">({.forward = [](std::span<const Tensor> x) {
    return std::vector{x[0] + x[1], x[0] - x[1]};
  }});
  const std::vector<Tensor> found = both.results(vector({3}), 1.0f);
  CHECK(near(found[0], {4}));
  CHECK(near(found[1], {2}));
}

TEST_CASE("custom_op: the gradient is what its backward gives") {
  const Tensor x = vector({1, 2, 3}), w = vector({1, 10, 100});
  CHECK(near(loss(x, w), {6 + 40 + 200}));
  CHECK(near(grad(loss)(x, w), {200, 20, 2}));
  CHECK(near(grad(loss, 1)(x, w), {6, 4, 2}));
}

TEST_CASE("custom_op: in a compiled function it is a break with its name, made on every call") {
  const auto fast = compile(loss);
  const Tensor w = vector({1, 10, 100});
  for (const float first : {1.0f, 5.0f, 7.0f}) {
    const Tensor x = vector({first, 2, 3});
    CHECK(near(fast(x, w), numbers(loss(x, w))));
  }
  CHECK(fast.stats().breaks == 1);
  REQUIRE(fast.explain().breaks.size() == 1);
  CHECK(fast.explain().breaks[0].reason.find("test::reverse") != std::string::npos);
  const auto slope = compile(grad(loss));
  CHECK(near(slope(vector({1, 2, 3}), w), {200, 20, 2}));
  CHECK(near(slope(vector({4, 5, 6}), w), {200, 20, 2}));
}

TEST_CASE("custom_op: without a function that computes it the error names the operation") {
  const std::function<void(std::span<const RawTensor>, std::span<const RawTensor>)> none;
  for (const auto& op : {custom_op<"test::none">({}), custom_op<"test::none">({.call = none})}) {
    CHECK_THROWS_WITH_AS(op(ones({2})), doctest::Contains("test::none: nothing computes"),
                         ValueError);
  }
}

TEST_CASE("custom_op: where a graph cannot break it is an error with its name") {
  const Tensor x = vector({1, 2, 3});
  CHECK_THROWS_AS(compile(loss, {.fullgraph = true})(x, x), GraphBreakError);
  try {
    vmap([](const Tensor& v) { return reverse(v); })(tensor({1, 2, 3, 4}, {2, 2}));
    FAIL_CHECK("nothing was thrown");
  } catch (const GraphBreakError& error) {
    CHECK(std::string(error.what()).find("test::reverse") != std::string::npos);
  }
}

TEST_CASE("custom_op: functions of another number of tensors are mistakes") {
  const Where user = Where::current();
  const auto one = custom_op<"test::one">(
      {.forward = reversed, .backward = [](const Tensor& g) { return g; }}, user);
  for (const bool is_backward : {false, true}) {
    const std::vector<Tensor> given(is_backward ? 1 : 2, vector({1}));
    try {
      is_backward ? one(given[0]) : one(given[0], given[1]);
      FAIL_CHECK("nothing was thrown");
    } catch (const ValueError& error) {
      CHECK(std::string(error.what()).find("number of tensors") != std::string::npos);
      CHECK(to_string(error.where()) == to_string(user));
    }
  }
}

TEST_CASE("custom_op: its functions are called at the line of custom_op") {
  Where seen;
  const auto forward = [&seen](const Tensor& x, Where where = Where::current()) {
    return seen = where, x;
  };
  const Where user = Where::current();
  custom_op<"test::line">({.forward = forward}, user)(vector({1}));
  CHECK(to_string(seen) == to_string(user));
}

namespace {

using Raw = std::span<const RawTensor>;

void twice_of(Raw in, Raw out) {
  for (std::int64_t i = 0; i < in[0].numel(); ++i) {
    out[0].data<float>()[i] = 2 * in[0].data<float>()[i];
  }
}

template <class Error>
std::string message(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

bool names(const std::string& message, std::string_view part) {
  return message.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("custom_op: nodes take the types of results from shape, reference or operand") {
  const auto plain = custom_op<"test::plain">({.call = twice_of});
  CHECK(plain(tensor({1, 2}, {1, 2})).size(1).value() == 2);
  const auto several = custom_op<"test::several">(
      {.shape =
           [](const TensorSpec& x, const TensorSpec& y) {
             return std::tuple{TensorSpec{{x.shape[0] + y.shape[0]}, f64}, TensorSpec{{}, i32}};
           },
       .call = [](Raw, Raw) {}});
  const std::vector<Tensor> results = several.results(vector({1, 2}), vector({1, 2, 3}));
  REQUIRE(results.size() == 2);
  CHECK(to_string(results[0]) == "f64[5]");
  CHECK(to_string(results[1]) == "i32[]");
  const auto summed = custom_op<"test::summed">(
      {.call = [](Raw, Raw) {}, .reference = [](const Tensor& x) { return sum(x, 0); }});
  CHECK(to_string(summed(tensor({1, 2}, {1, 2}))) == "f32[2]");
}

TEST_CASE("custom_op: wrong types, numbers and texts are errors with the operation and its line") {
  const Tensor x = vector({1, 2});
  const auto shaped = [&](auto shape) {
    return message<UserError>(
        [&] { custom_op<"test::bad">({.shape = shape, .call = twice_of})(x); });
  };
  CHECK(names(shaped([](const TensorSpec&) { return TensorSpec{{-1}}; }), "negative"));
  CHECK(names(shaped([](const TensorSpec&) {
                return TensorSpec{{1}, static_cast<DType>(77)};
              }),
              "dtype"));
  CHECK(names(shaped([](const TensorSpec&, const TensorSpec&) { return TensorSpec{}; }),
              "number of tensors"));
  CHECK(names(shaped([](const TensorSpec&) { return std::vector<TensorSpec>(); }), "no result"));
  const auto of_text = [&](std::string cpp) {
    return message<UserError>([&] { custom_op<"test::bad">({.cpp = cpp})(x); });
  };
  CHECK(names(of_text("void other(const float*, float*, long) {}"), "no function"));
  CHECK(names(of_text("void bad(const float*) {}"), "number of parameters"));
  CHECK(names(of_text("void bad(const double*, float*, long) {}"), "operand 0"));
  CHECK(names(of_text("double bad(float x) { return x; }"), "nothing was thrown"));
  CHECK(names(of_text("float bad(double x) { return x; }"), "another type"));
  const std::string differs = message<ShapeError>([&] {
    custom_op<"test::bad">({.shape = [](const TensorSpec& s) { return s; },
                            .call = twice_of,
                            .reference = [](const Tensor& v) { return sum(v); }})(x);
  });
  CHECK(names(differs, "test::bad"));
  CHECK(names(differs, "custom_op_test.cpp"));
}

TEST_CASE("custom_op: without a reference there is no batch, and without a gradient none") {
  const auto plain = custom_op<"test::bare">({.call = twice_of});
  CHECK(names(message<GradientError>([&] {
                grad([&](const Tensor& x) { return sum(plain(x)); })(vector({1, 2}));
              }),
              "test::bare"));
  CHECK(names(message<ValueError>([&] {
                vmap([&](const Tensor& x) { return plain(x); })(tensor({1, 2}, {2, 1}));
              }),
              "test::bare"));
  const auto with = custom_op<"test::with_backward">(
      {.call = twice_of,
       .backward = [](const Tensor&, const Tensor& y, const Tensor& g) { return g * y; }});
  CHECK(near(grad([&](const Tensor& x) { return sum(with(x)); })(vector({1, 2})), {2, 4}));
}

TEST_CASE("custom_op: host functions are equal if type and captures are") {
  const auto with = [](float* at, std::int64_t by) {
    return [at, by](Raw, Raw) { *at += static_cast<float>(by); };
  };
  float a = 0, b = 0;
  const detail::HostCall one = with(&a, 1), same = with(&a, 1), other = with(&a, 2);
  CHECK(one.identity == same.identity);
  CHECK(one.identity != other.identity);
  CHECK(one.identity != detail::HostCall(with(&b, 1)).identity);
  const std::function<void(Raw, Raw)> f = twice_of;
  CHECK(detail::HostCall(f).identity != detail::HostCall(f).identity);
  CHECK(detail::HostCall(twice_of).identity == detail::HostCall(twice_of).identity);
  CHECK(detail::HostCall(std::function<void(Raw, Raw)>()).held == nullptr);
}
