// test: emulator gpu
// Kernels of the user on a GPU: nodes of the CUDA Graph.

#include <doctest/doctest.h>
#include <sinter/graph/custom/custom_code.hpp>

#include <array>
#include <functional>
#include <utility>

#include "../cuda_graph.hpp"

using namespace gpu_graph;

namespace {

// What SINTER_CHECK adds for custom operations, or not.
struct Checks {
  explicit Checks(bool on) : before(std::exchange(checks_custom(), on)) {}
  ~Checks() { checks_custom() = before; }
  bool before;
};

using Raw = std::span<const RawTensor>;

// Twice the elements, by a function of the host that counts its calls and refuses NaN.
int calls = 0;
void twice_on_host(Raw in, Raw out) {
  ++calls;
  const float* const x = in[0].data<float>();
  for (std::int64_t i = 0; i < in[0].numel(); ++i) {
    if (std::isnan(x[i])) throw std::runtime_error("not a number");
    out[0].data<float>()[i] = 2 * x[i];
  }
}
const auto twice = custom_op<"gpu::twice">({
    .call = twice_on_host,
    .backward = [](const Tensor&, const Tensor&, const Tensor& g) { return 2.0f * g; },
});

Tensor with_host(const Tensor& x) { return sum(exp(twice(sin(x))) - x, 1); }
Tensor without_host(const Tensor& x) { return sum(exp(2.0f * sin(x)) - x, 1); }

std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "nothing was thrown";
}

Tensor swish_of(const Tensor& x) { return x / (1.0f + exp(-x)); }
Tensor steps_of(const Tensor& x) { return x * 2.0f + 1.0f; }

const auto swish = custom_op<"gpu::swish">(
    {.cuda = "__device__ float swish(float x) { return x / (1 + expf(-x)); }",
     .reference = swish_of});

const auto steps = custom_op<"gpu::steps">(
    {.cuda =
         "__global__ void steps(const float* x, float* y, long n) {\n"
         "  const long first = blockIdx.x * (long)blockDim.x + threadIdx.x;\n"
         "  for (long i = first; i < n; i += gridDim.x * (long)blockDim.x) y[i] = 2 * x[i] + 1;\n"
         "}",
     .reference = steps_of});

const auto halved = custom_op<"gpu::halved">({.reference = [](const Tensor& x) { return x / 2; }});

Tensor own(const Tensor& x) { return sum(halved(steps(swish(sin(x)) * 3.0f)) - x, 1); }
Tensor usual(const Tensor& x) { return sum(steps_of(swish_of(sin(x)) * 3.0f) / 2 - x, 1); }

}  // namespace

TEST_CASE("own kernels: on a GPU they are nodes of one CUDA Graph, for all sizes") {
  GPU_TEST(machine, driver);
  const Checks off(false);
  const auto f =
      compile(own, {.mode = Mode::reduce_overhead, .dynamic = Dynamic::on, .fullgraph = true});
  for (const std::int64_t rows : {4, 6, 4}) {
    const Tensor x = sample({rows, 40});
    CHECK(difference(f(x.to(cuda())), usual(x)) < 1e-4);
  }
  CHECK(f.stats().breaks == 0);
  CHECK(f.stats().recompiles == 0);
  CHECK(driver.calls<&Driver::launch>() == 0);
  CHECK(machine.graph_launches() == 3);
}

TEST_CASE("own kernels: gradients and batches on a GPU are those of the reference") {
  GPU_TEST(machine, driver);
  const Tensor x = sample({3, 8});
  const auto loss = [](const Tensor& v) { return sum(own(v)); };
  const auto expected = [](const Tensor& v) { return sum(usual(v)); };
  CHECK(difference(compile(grad(loss))(x.to(cuda())), grad(expected)(x)) < 1e-4);
  const Tensor batch = sample({2, 3, 8});
  CHECK(difference(compile(vmap(own))(batch.to(cuda())), vmap(usual)(batch)) < 1e-4);
}

TEST_CASE("own kernels: with a text for the host alone the error says what to do") {
  GPU_TEST(machine, driver);
  const auto host =
      custom_op<"gpu::host">({.cpp = "void host(const float* x, float* y, long n) {}"});
  const auto f = compile([=](const Tensor& v) { return host(v); });
  const std::string error = error_of([&] { f(sample({3}).to(cuda())); });
  CHECK(has(error, "gpu::host"));
  CHECK(has(error, ".cuda"));
}

TEST_CASE("own kernels: a host function is called at its place, with copies") {
  GPU_TEST(machine, driver);
  const auto f = compile(
      with_host, {.mode = Mode::reduce_overhead, .dynamic = Dynamic::on, .fullgraph = true});
  const auto slope = compile(grad([](const Tensor& x) { return sum(with_host(x)); }));
  calls = 0;
  for (const std::int64_t rows : {4, 6, 4}) {
    const Tensor x = sample({rows, 40});
    const Tensor found = f(x.to(cuda()));
    CHECK(found.device() == cuda());
    CHECK(difference(found, without_host(x)) < 1e-4);
  }
  CHECK(calls == 3);
  CHECK(f.stats().recordings == 1);
  CHECK(f.stats().breaks == 0);
  const Tensor x = sample({4, 8});
  const auto expected = grad([](const Tensor& v) { return sum(without_host(v)); })(x);
  CHECK(difference(slope(x.to(cuda())), expected) < 1e-4);
  const auto eager = compile(with_host, {.backend = Backend::eager});
  CHECK(difference(eager(x.to(cuda())), without_host(x)) < 1e-4);
}

TEST_CASE("own kernels: what a host function throws arrives, and arguments are as they were") {
  GPU_TEST(machine, driver);
  const auto f = compile([](Tensor& state, const Tensor& x) {
    state = state + 1.0f;
    return sum(twice(x) * state);
  });
  Tensor state = sample({4}).to(cuda());
  const Tensor before = state.to(cpu()), bad = full({4}, NAN).to(cuda());
  for (int i = 0; i < 2; ++i) {
    CHECK(error_of([&] { f(state, bad); }) == "not a number");
    CHECK(difference(state, before) == 0);
  }
  f(state, sample({4}).to(cuda()));
  CHECK(difference(state, before + 1.0f) == 0);
}

TEST_CASE("own kernels: host functions in branches and loops, observed values, and gradients") {
  GPU_TEST(machine, driver);
  const auto f = compile([](const Tensor& x) {
    const Tensor y = cond(
        sum(x) > 0, [](const Tensor& v) { return observe(twice(v), "twice"); },
        [](const Tensor& v) { return -v; }, x);
    return while_loop([](const Tensor& v) { return sum(v) < 20.0f; },
                      [](const Tensor& v) { return observe(v * 2.0f, "step"); }, y);
  });
  std::vector<std::string> seen;
  const auto seeing = observe(f, "*", [&](std::string_view name, const Tensor& value) {
    seen.push_back(std::string(name) + " " +
                   std::to_string(value.to_vector<float>()[0]).substr(0, 3));
  });
  const Tensor x = from_vector(std::vector<float>{1, 2}, {2});
  CHECK(difference(f(x.to(cuda())), x * 8.0f) == 0);
  CHECK(seen == std::vector<std::string>{"twice 2.0", "step 4.0", "step 8.0"});
  seen.clear();
  CHECK(difference(f((x * -1.0f).to(cuda())), x * 8.0f) == 0);
  CHECK(seen == std::vector<std::string>{"step 2.0", "step 4.0", "step 8.0"});
  static float gradient = 0;
  const auto slope = compile(grad([](const Tensor& v) {
    return sum(on_gradient(v * 3.0f, [](const Tensor& g) { gradient = sum(g).item<float>(); }));
  }));
  slope(x.to(cuda()));
  CHECK(gradient == 2);
}

TEST_CASE("own kernels: SINTER_CHECK finds writes outside and results that differ, on a GPU too") {
  GPU_TEST(machine, driver);
  const Checks on(true);
  const auto x = sample({3}).to(cuda());
  const auto found = [&](const auto& op) {
    return error_of([&] {
      compile([=](const Tensor& v) { return op(v * 2.0f) + 1.0f; },
              {.mode = Mode::reduce_overhead})(x);
    });
  };
  const std::string head =
      "__global__ void f(const float* x, float* y, long n) {\n"
      "  const long i = threadIdx.x;\n";
  const auto kernel = [&](const std::string& body) {
    return custom_op<"gpu::f">({.cuda = head + body + "\n}"});
  };
  CHECK(found(kernel("if (i < n) y[i] = x[i];")) == "nothing was thrown");
  CHECK(has(found(kernel("if (i <= n) y[i] = 1;")), "result 0"));
  CHECK(has(found(kernel("if (i <= n) y[i - 1] = 1;")), "result 0"));
  CHECK(has(found(kernel("if (i == 0) ((float*)x)[n] = 1;")), "operand 0"));
  const std::string writes = found(kernel("if (i < n) y[i] = ((float*)x)[i] = 7;"));
  CHECK(has(writes, "operand 0"));
  CHECK(has(writes, "writes to an operand"));
  const auto differs =
      custom_op<"gpu::differs">({.cuda = "__device__ float differs(float x) { return x + 1; }",
                                 .reference = [](const Tensor& v) { return v + 1.5f; }});
  CHECK(has(found(differs), "differs from its reference"));
  CHECK(found(swish) == "nothing was thrown");
  CHECK(found(steps) == "nothing was thrown");
}
