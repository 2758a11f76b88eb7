// test: deep emulator
// f32 products on an emulated GPU: TF32 is used exactly where it is allowed.
// Detected by comparison with products of rounded operands.

#include <doctest/doctest.h>
#include <sinter/compile/cache/load_or_compile.hpp>
#include <sinter/sinter.hpp>

#include <bit>
#include <string>
#include <vector>

#include "cuda_emulator/emulator.hpp"
#include "gpu.hpp"

using namespace gpu;

namespace {

/// Sets the matmul precision in a scope.
struct Precision {
  explicit Precision(MatmulPrecision precision) { set_float32_matmul_precision(precision); }
  ~Precision() { set_float32_matmul_precision(MatmulPrecision::highest); }
};

Tensor as_tf32(const Tensor& x) {
  std::vector<float> values = x.to_vector<float>();
  for (float& one : values) {
    one = std::bit_cast<float>((std::bit_cast<std::uint32_t>(one) + 0x1000) & 0xffffe000);
  }
  return reshape(list(values), x.shape());
}

Tensor in_f64(const Tensor& x, const Tensor& w) { return matmul(x.to(f64), w.to(f64)); }

/// The precision of the product `got`: "f32", "tf32", or neither.
std::string precision_of(const Tensor& got, const Tensor& x, const Tensor& w) {
  const double near = 2e-6;
  const bool single = relative_difference(got, in_f64(x, w)) < near;
  const bool rounded = relative_difference(got, in_f64(as_tf32(x), as_tf32(w))) < near;
  return single == rounded ? "neither" : single ? "f32" : "tf32";
}

const auto product = [](const Tensor& x, const Tensor& w) { return matmul(x, w); };

/// Small products are generated kernels, large ones are computed by cuBLASLt.
const std::vector<std::pair<Shape, Shape>> sizes{{{33, 70}, {70, 50}}, {{144, 136}, {136, 152}}};

}  // namespace

TEST_CASE("gpu tf32: generated kernels and cuBLASLt use TF32 where it is allowed, and only there") {
  const compiler::FreshCache fresh;
  const emulator::Emulator machine;
  for (const auto& [left, right] : sizes) {
    const Tensor x = sample(left), w = sample(right);
    const Tensor far = x.to(cuda()), far_w = w.to(cuda());
    const auto f = compile(product), strict = compile(product, {.numerics = Numerics::strict});
    CHECK(precision_of(f(far, far_w), x, w) == "f32");
    for (const auto precision : {MatmulPrecision::high, MatmulPrecision::medium}) {
      const Precision scope(precision);
      CHECK(precision_of(f(far, far_w), x, w) == "tf32");
      CHECK(precision_of(strict(far, far_w), x, w) == "f32");
      CHECK(precision_of(matmul(far, far_w), x, w) == "f32");  // eager
      CHECK(precision_of(f(x, w), x, w) == "f32");             // on the host
    }
    CHECK(precision_of(f(far, far_w), x, w) == "f32");
  }
  CHECK(machine.products() > 0);
}

TEST_CASE("gpu tf32: each precision has a variant, which is reused") {
  const compiler::FreshCache fresh;
  const emulator::Emulator machine;
  for (const auto& [left, right] : sizes) {
    const Tensor x = sample(left), w = sample(right);
    const Tensor far = x.to(cuda()), far_w = w.to(cuda());
    for (const Mode mode : {Mode::standard, Mode::reduce_overhead}) {
      const auto f = compile(product, {.mode = mode});
      for (int again = 0; again < 3; ++again) {
        CHECK(precision_of(f(far, far_w), x, w) == "f32");
        const Precision scope(MatmulPrecision::high);
        CHECK(precision_of(f(far, far_w), x, w) == "tf32");
        CHECK(precision_of(f(far, far_w), x, w) == "tf32");
      }
      CHECK(f.stats().variants == 2);
      CHECK(f.stats().recompiles == 1);
      REQUIRE(f.explain().recompiles.size() == 1);
      CHECK(has(f.explain().recompiles[0], "float32_matmul_precision: expected highest"));
    }
  }
}

TEST_CASE("gpu tf32: functions traced on every call, and segments after a graph break") {
  const compiler::FreshCache fresh;
  const emulator::Emulator machine;
  const Tensor x = sample(sizes[0].first), w = sample(sizes[0].second);
  const Tensor far = x.to(cuda()), far_w = w.to(cuda());
  const auto open = compile([&](const Tensor& a) { return matmul(a, far_w); });
  const auto broken = compile([](const Tensor& a, const Tensor& b) {
    if (sum(a).item<float>() > 1e6f) return a;
    return matmul(a, b);
  });
  for (int again = 0; again < 2; ++again) {
    CHECK(precision_of(open(far), x, w) == "f32");
    CHECK(precision_of(broken(far, far_w), x, w) == "f32");
    const Precision scope(MatmulPrecision::high);
    CHECK(precision_of(open(far), x, w) == "tf32");
    CHECK(precision_of(broken(far, far_w), x, w) == "tf32");
  }
}

TEST_CASE("gpu tf32: background compilation uses the precision of its call") {
  const compiler::FreshCache fresh;
  const emulator::Emulator machine;
  const Tensor x = sample(sizes[0].first), w = sample(sizes[0].second);
  const Tensor far = x.to(cuda()), far_w = w.to(cuda());
  const auto f = compile(product, {.background = true});
  {
    const Precision scope(MatmulPrecision::high);
    f(far, far_w);
  }
  f(far, far_w);  // with another precision, while the first is being compiled
  f.prepare(far, far_w);
  CHECK(precision_of(f(far, far_w), x, w) == "f32");
  const Precision scope(MatmulPrecision::high);
  f.prepare(far, far_w);
  CHECK(precision_of(f(far, far_w), x, w) == "tf32");
}

TEST_CASE("gpu tf32: cached algorithms of cuBLASLt are keyed by precision") {
  const compiler::FreshCache fresh;
  const emulator::Emulator machine;
  const Tensor x = sample(sizes[1].first).to(cuda()), w = sample(sizes[1].second).to(cuda());
  const auto f = compile(product);
  for (int again = 0; again < 2; ++again) {
    f(x, w).to_vector<float>();
    const Precision scope(MatmulPrecision::high);
    f(x, w).to_vector<float>();
  }
  CHECK(machine.products() == 4);
  CHECK(machine.heuristics() == 2);
}

TEST_CASE("gpu tf32: gradients and epilogues") {
  const compiler::FreshCache fresh;
  const emulator::Emulator machine;
  const auto f = [](const Tensor& x, const Tensor& w, const Tensor& b) {
    const auto loss = [&](const Tensor& weight) { return sum(square(relu(linear(x, weight, b)))); };
    return value_and_grad(loss)(w).gradient;
  };
  const Tensor x = sample({33, 40}), w = sample({24, 40}), b = sample({24});
  const Tensor expected = f(x, w, b);
  const Precision scope(MatmulPrecision::high);
  const double apart =
      relative_difference(compile(f)(x.to(cuda()), w.to(cuda()), b.to(cuda())), expected);
  CHECK(apart < 0x1p-8);
  CHECK(apart > 1e-5);
}

namespace {

using List = std::vector<Tensor>;

/// A function of matrices, linear in each of them.
struct Case {
  std::string name;
  std::vector<Shape> shapes;
  Tensor (*function)(const List&);
};

const std::vector<Case> cases{
    {"a batch", {{3, 20, 30}, {3, 30, 10}}, [](const List& x) { return bmm(x[0], x[1]); }},
    {"a weight of rows",
     {{2, 17, 64}, {40, 64}},
     [](const List& x) { return matmul(x[0], transpose(x[1], 0, 1)); }},
    {"axes between others",
     {{2, 12, 4, 16}, {2, 12, 4, 16}},
     [](const List& x) {
       return einsum("bthd,bshd->bhts", {x[0], x[1]});
     }},
    {"windows",
     {{2, 3, 9, 9}, {16, 3, 3, 3}},
     [](const List& x) {
       return conv2d(x[0], x[1], {.padding = {1, 1}});
     }},
    {"few results of a great depth, in parts",
     {{4096, 20}, {4096, 12}},
     [](const List& x) { return matmul(transpose(x[0], 0, 1), x[1]); }},
    {"what is computed of an operand",
     {{18, 70}, {70, 50}},
     [](const List& x) { return matmul(x[0] * 2.0f, x[1]) * 0.5f; }},
};

Tensor attention(const List& x) {
  return scaled_dot_product_attention(x[0], x[1], x[2], {.causal = true});
}

List gradients(const List& x) {
  const auto f = [](const Tensor& q, const Tensor& k, const Tensor& v) {
    return attention({q, k, v});
  };
  const auto [of_q, of_k, of_v] = vjp(f, x[0], x[1], x[2]).pullback(x[3]);
  return {of_q, of_k, of_v};
}

List there(const List& x) {
  List result;
  for (const Tensor& one : x) result.push_back(one.to(cuda()));
  return result;
}

}  // namespace

TEST_CASE("gpu tf32: every operation that becomes a matrix product") {
  const compiler::FreshCache fresh;
  const emulator::Emulator machine;
  const Precision scope(MatmulPrecision::high);
  for (const Case& one : cases) {
    INFO(one.name);
    random::manual_seed(3);
    List x, wide, rounded;
    for (const Shape& shape : one.shapes) {
      x.push_back(randn(shape));
      wide.push_back(x.back().to(f64));
      rounded.push_back(as_tf32(x.back()).to(f64));
    }
    const Tensor got = compile(one.function)(there(x));
    CHECK(relative_difference(got, one.function(rounded)) < 2e-6);
    CHECK(relative_difference(got, one.function(wide)) > 1e-5);
  }
}

TEST_CASE("gpu tf32: attention and its gradients stay streaming kernels, with tensor cores") {
  const compiler::FreshCache fresh;
  const emulator::Emulator machine;
  const Precision scope(MatmulPrecision::high);
  for (const std::int64_t width : {8, 24}) {
    List x;
    for (const double step : {0.1, 0.2, 0.3, 0.4}) x.push_back(sample({2, 3, 40, width}, step));
    const auto forward = compile(attention);
    const auto backward = compile(gradients);
    const double apart = relative_difference(forward(there(x)), attention(x));
    CHECK(apart < 2e-3);
    CHECK(apart > 1e-5);
    CHECK(forward.stats().kernels == 1);
    const List got = backward(there(x)), expected = gradients(x);
    for (std::size_t i = 0; i < 3; ++i) CHECK(relative_difference(got[i], expected[i]) < 5e-3);
    CHECK(backward.stats().kernels <= 3);
  }
}

TEST_CASE("gpu tf32: bodies of loops, run by the host and in a graph") {
  const compiler::FreshCache fresh;
  const emulator::Emulator machine;
  const auto power = [](const Tensor& x, const Tensor& w) {
    return scan(
               [&](const Tensor& c, const Tensor& y) {
                 return std::pair{matmul(c, w) + y, c};
               },
               x, unsqueeze(x, 0))
        .first;
  };
  const Tensor x = sample({24, 40}), w = sample({40, 40});
  for (const Mode mode : {Mode::standard, Mode::reduce_overhead}) {
    const auto f = compile(power, {.mode = mode});
    const Tensor far = x.to(cuda()), far_w = w.to(cuda());
    for (int again = 0; again < 2; ++again) {
      CHECK(precision_of(f(far, far_w) - far, x, w) == "f32");
      const Precision scope(MatmulPrecision::high);
      CHECK(precision_of(f(far, far_w) - far, x, w) == "tf32");
    }
    CHECK(f.stats().variants == 2);
  }
}
