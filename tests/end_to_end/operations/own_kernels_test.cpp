// test: cost=4
// Kernels of the user between fused operations: C++ texts and host functions.

#include <doctest/doctest.h>

#include <atomic>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <sinter/graph/custom/custom_code.hpp>
#include <sinter/sinter.hpp>

using namespace sinter;

namespace {

using Raw = std::span<const RawTensor>;

Tensor swish_of(const Tensor& x) { return x / (1.0f + exp(-x)); }

const auto swish = custom_op<"shop::swish">(
    {.cpp = "float swish(float x) { return x / (1 + __builtin_expf(-x)); }",
     .reference = swish_of});

// y[i, j] = x[i, j] - x[i, 0]
const auto shifted = custom_op<"shop::shifted">(
    {.cpp =
         "#include <cmath>\n"
         "#define AT(i, j) [(i) * columns + (j)]\n"
         "void shifted(const float* x, float* y, long rows, long columns) {\n"
         "  for (long i = 0; i < rows; ++i)\n"
         "    for (long j = 0; j < columns; ++j) y AT(i, j) = std::abs(x AT(i, j) - x AT(i, 0));\n"
         "}",
     .reference = [](const Tensor& x) {
       return abs(x - x[{all, Slice{0, 1}}]);
     }});

std::atomic<int> calls{0};
const auto twice =
    custom_op<"shop::twice">({.call =
                                  [](Raw in, Raw out) {
                                    ++calls;
                                    for (std::int64_t i = 0; i < in[0].numel(); ++i) {
                                      out[0].data<float>()[i] = 2 * in[0].data<float>()[i];
                                    }
                                  },
                              .reference = [](const Tensor& x) { return x * 2.0f; }});

Tensor own(const Tensor& x) { return sum(shifted(swish(sin(x)) + 1.0f) * twice(cos(x)), 1); }
Tensor usual(const Tensor& x) {
  const Tensor y = swish_of(sin(x)) + 1.0f;
  return sum(abs(y - y[{all, Slice{0, 1}}]) * cos(x) * 2.0f, 1);
}

bool near(const Tensor& a, const Tensor& b) {
  return static_cast<bool>(allclose(a, b, 1e-4f, 1e-4f));
}

std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "nothing was thrown";
}
bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

// Without what SINTER_CHECK adds to graphs.
struct NoChecks {
  NoChecks() : before(std::exchange(detail::checks_custom(), false)) {}
  ~NoChecks() { detail::checks_custom() = before; }
  bool before;
};

}  // namespace

TEST_CASE("own kernels: one graph without a break, for all sizes, called once per replay") {
  const auto f = compile(own, {.fullgraph = true});
  Tensor x = randn({5, 40});
  mark_dynamic(x, 0);
  CHECK(near(f(x), usual(x)));
  const int before = calls;
  for (const int rows : {1, 3, 9}) {
    Tensor other = randn({rows, 40});
    CHECK(near(f(other), usual(other)));
  }
  CHECK(calls - before == 3);
  CHECK(f.stats().breaks == 0);
  CHECK(f.stats().graphs == 1);
  CHECK(f.stats().recompiles == 0);
  CHECK(has(to_string(f.explain()), "shop::twice"));
  CHECK(near(compile(own, {.backend = Backend::eager})(x), usual(x)));
}

TEST_CASE("own kernels: gradients, batches, loops and branches are those of the reference") {
  const auto loss = [](const Tensor& x) { return sum(own(x)); };
  const auto expected = [](const Tensor& x) { return sum(usual(x)); };
  const Tensor x = randn({3, 7});
  CHECK(near(compile(grad(loss))(x), grad(expected)(x)));
  CHECK(near(compile(grad(checkpoint(loss)))(x), grad(expected)(x)));
  CHECK(near(compile(vmap(own))(randn({2, 3, 7}) * 0 + 1), vmap(usual)(ones({2, 3, 7}))));
  const auto looped = compile([](const Tensor& c, const Tensor& xs) {
    return scan(
        [](const Tensor& carry, const Tensor& v) {
          const Tensor next = twice(carry) + swish(v);
          return std::pair{next, shifted(next)};
        },
        c, xs);
  });
  const auto plain = [](const Tensor& c, const Tensor& xs) {
    Tensor carry = c;
    for (int i = 0; i < 3; ++i) carry = carry * 2.0f + swish_of(xs[i]);
    return carry;
  };
  const Tensor c = randn({2, 4}), xs = randn({3, 2, 4});
  CHECK(near(looped(c, xs).first, plain(c, xs)));
  const auto branched = compile([](const Tensor& v) {
    return cond(
        sum(v) > 0, [&] { return twice(v); }, [&] { return shifted(v); });
  });
  CHECK(near(branched(ones({2, 2})), ones({2, 2}) * 2));
  CHECK(near(branched(ones({2, 2}) * -1), zeros({2, 2})));
}

TEST_CASE("own kernels: an elementwise text is fused with what is around it, in every dtype") {
  const NoChecks plain;
  const auto any =
      custom_op<"shop::cube">({.cpp = "template <class T> T cube(T x) { return x * x * x; }"});
  for (const DType dtype : {f32, f64, f16, i32}) {
    const Tensor x = arange(6.0f).to(dtype);
    const auto f = compile([=](const Tensor& v) { return any(v + 1) - 1; });
    CHECK(near(f(x).to(f32), ((x + 1) * (x + 1) * (x + 1) - 1).to(f32)));
    if (dtype != i32) CHECK(f.stats().kernels == 1);
  }
  const auto scaled =
      custom_op<"shop::scaled">({.cpp = "float scaled(float x, float y) { return x * y; }"});
  const auto g = compile([=](const Tensor& a, const Tensor& b) { return sum(scaled(a, b)); });
  CHECK(near(g(ones({3, 4}), arange(4.0f)), full({}, 18.0f)));
  CHECK(near(scaled(ones({2, 2}), 3.0f), ones({2, 2}) * 3));
}

TEST_CASE("own kernels: texts of one name do not clash, nor in the caches") {
  for (int pass = 0; pass < 2; ++pass) {
    const auto one = custom_op<"shop::same">({.cpp = "float same(float x) { return x + 1; }"});
    const auto two = custom_op<"shop::same">(
        {.cpp = "void same(const float* x, float* y, long n) {\n"
                "  for (long i = 0; i < n; ++i) y[i] = x[i] + 2; // two\n}"});
    const auto three = custom_op<"shop::same">(
        {.cpp = "void same(const float* x, float* y, long n) {\n"
                "  for (long i = 0; i < n; ++i) y[i] = x[i] + 3; // two\n}"});
    const Tensor x = zeros({4});
    const auto f = compile([=](const Tensor& v) { return one(v) * 100 + two(v) * 10 + three(v); });
    CHECK(near(f(x), full({4}, 123.0f)));
    reset();
  }
}

TEST_CASE("own kernels: two texts of one name on one operand stay apart in a fused kernel") {
  const auto one = custom_op<"shop::same">({.cpp = "float same(float x) { return x + 1; }"});
  const auto other = custom_op<"shop::same">({.cpp = "float same(float x) { return x * 8; }"});
  const auto f = compile([=](const Tensor& v) { return one(v) - other(v); });
  CHECK(near(f(full({5}, 3.0f)), full({5}, 4.0f - 24.0f)));
  CHECK(f.stats().kernels == 1);
}

TEST_CASE("own kernels: a text that does not compile is an error with its line") {
  const auto broken = custom_op<"shop::broken">(
      {.cpp = "void broken(const float* x, float* y, long n) {\n  y[0] = undefined_name;\n}"});
  const auto f = compile([=](const Tensor& v) { return broken(v) + 1; });
  const std::string error = error_of([&] { f(ones({3})); });
  CHECK(has(error, "shop::broken:2"));
  CHECK(has(error, "undefined_name"));
  CHECK_FALSE(has(error, "a bug in sinter"));
  CHECK(has(error, "own_kernels_test.cpp"));
}

TEST_CASE("own kernels: what a host function throws arrives, and state is as it was") {
  const auto bad =
      custom_op<"shop::bad">({.call = [](Raw, Raw) { throw std::runtime_error("no licence"); }});
  Tensor state = ones({3});
  const auto f = compile([=](Tensor& s, const Tensor& x) {
    s += 1.0f;
    return bad(x) + s;
  });
  for (int i = 0; i < 2; ++i) CHECK(has(error_of([&] { f(state, ones({3})); }), "no licence"));
  CHECK(near(state, ones({3})));
  CHECK(has(error_of([&] { bad(ones({2})).to_vector<float>(); }), "no licence"));
}

TEST_CASE("own kernels: threads call it at the same time") {
  const auto f = compile(own);
  const Tensor x = randn({4, 16}), expected = usual(x);
  f(x);
  std::atomic<int> right{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 25; ++i) right += near(f(x), expected);
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(right == 100);
}

TEST_CASE("own kernels: SINTER_CHECK finds writes outside and results that differ") {
  const bool before = std::exchange(detail::checks_custom(), true);
  const auto outside =
      custom_op<"shop::outside">({.cpp = "void outside(const float* x, float* y, long n) {\n"
                                         "  for (long i = 0; i <= n; ++i) y[i] = 1;\n}"});
  CHECK(has(error_of([&] { compile([=](const Tensor& v) { return outside(v) + 1; })(ones({3})); }),
            "result 0"));
  const auto writes = custom_op<"shop::writes">(
      {.cpp = "void writes(const float* x, float* y, long n) { ((float*)x)[0] = 7; }"});
  CHECK(has(error_of([&] { compile([=](const Tensor& v) { return writes(v) + 1; })(ones({3})); }),
            "operand 0"));
  const auto differs =
      custom_op<"shop::differs">({.cpp = "float differs(float x) { return x + 1; }",
                                  .reference = [](const Tensor& x) { return x + 1.5f; }});
  const std::string error =
      error_of([&] { compile([=](const Tensor& v) { return differs(v) * 2; })(ones({3})); });
  CHECK(has(error, "shop::differs"));
  CHECK(has(error, "1.5") == false);
  CHECK(has(error, "2.5"));
  detail::checks_custom() = before;
}

TEST_CASE("own kernels: with side effects each call runs, in order") {
  std::vector<int> seen;
  const auto note = [&](int number) {
    return custom_op<"shop::note">({.call =
                                        [&seen, number](Raw in, Raw out) {
                                          seen.push_back(number);
                                          out[0].data<float>()[0] = in[0].data<float>()[0];
                                        },
                                    .has_side_effects = true});
  };
  const auto first = note(1), second = note(2);
  const auto f = compile([=](const Tensor& x) {
    first(sum(x)), second(sum(x)), first(sum(x));
    return x + 1;
  });
  f(ones({3})), f(ones({3}));
  CHECK(seen == std::vector<int>{1, 2, 1, 1, 2, 1});
}

TEST_CASE("own kernels: side effects are not dropped where a reference would be computed") {
  const auto note = custom_op<"shop::note">({.call = [](Raw, Raw) {},
                                             .reference = [](const Tensor& x) { return x; },
                                             .has_side_effects = true});
  const std::string error = error_of([&] {
    vmap([=](const Tensor& x) { return note(x); })(ones({2, 3}));
  });
  CHECK(has(error, "with side effects is batched"));
}
