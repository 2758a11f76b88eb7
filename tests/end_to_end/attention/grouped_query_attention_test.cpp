// test: deep moved cost=20
// Grouped-query attention: as many kernels as with one key head per query head, forward and
// backward, for static and marked sizes.

#include <doctest/doctest.h>

#include "jit/support.hpp"
#include "moved.hpp"

using namespace testing;
using sinter_test::are_kernels;
using sinter_test::by_device;
using sinter_test::most_kernels;

namespace {

struct Sizes {
  std::int64_t batch = by_device(2, 1), heads = 4, groups = 2, queries = 24, keys = 24, width = 16;
};

struct Tensors {
  Tensor q, k, v, weight;
};

Tensors tensors(const Sizes& of, DType dtype, const std::string& marks = "") {
  const Shape query{of.batch, of.heads, of.queries, of.width};
  const Shape key{of.batch, of.groups, of.keys, of.width};
  Tensors result{randn(query).to(dtype), randn(key).to(dtype), randn(key).to(dtype),
                 randn(query).to(dtype)};
  const auto marked = [&](char mark) { return marks.find(mark) != std::string::npos; };
  for (Tensor* one : {&result.q, &result.k, &result.v, &result.weight}) {
    if (marked('b')) mark_dynamic(*one, 0);
  }
  for (Tensor* one : {&result.q, &result.weight}) {
    if (marked('q')) mark_dynamic(*one, 2);
  }
  for (Tensor* one : {&result.k, &result.v}) {
    if (marked('k')) mark_dynamic(*one, 2);
  }
  return result;
}

enum class Kind { plain, causal, masked, changed };

template <Kind kind>
Tensor attend(const Tensor& q, const Tensor& k, const Tensor& v) {
  AttentionOptions options{.causal = kind == Kind::causal, .enable_gqa = true};
  if (kind == Kind::masked) options.mask = remainder(arange(k.size(-2)) * 7, 5) != 2;
  if (kind == Kind::changed) {
    options.score = [](const Tensor& score, const Tensor&, const Tensor& head, const Tensor& query,
                       const Tensor& key) {
      return tanh(score) - 0.1f * abs(query - key).to(f32) + 0.05f * head.to(f32);
    };
  }
  return scaled_dot_product_attention(q, k, v, options);
}

template <Kind kind>
auto gradients(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& weight) {
  return grad([weight](const Tensor& x, const Tensor& y,
                       const Tensor& z) { return sum(attend<kind>(x, y, z) * weight); },
              {0, 1, 2})(q, k, v);
}

template <Kind kind>
void check(const Tensors& of, double tolerance) {
  const auto forward = compile(attend<kind>, {.fullgraph = true});
  const auto backward = compile(gradients<kind>, {.fullgraph = true});
  const auto wide = [](const Tensor& x) { return x.to(f64); };
  const Tensors wider{on_host(wide, of.q), on_host(wide, of.k), on_host(wide, of.v),
                      on_host(wide, of.weight)};
  const auto& [q, k, v, weight] = wider;
  CHECK(near_tensor(wide(forward(of.q, of.k, of.v)), on_host(attend<kind>, q, k, v), tolerance));
  CHECK(are_kernels(forward.stats().kernels, 1));
  const auto found = backward(of.q, of.k, of.v, of.weight);
  const auto expected = on_host(gradients<kind>, q, k, v, weight);
  for (std::size_t i = 0; i < 3; ++i) {
    INFO("gradient " << i);
    CHECK(near_tensor(wide(found[i]), expected[i], tolerance));
  }
  CHECK(backward.stats().kernels <= most_kernels(3));
}

}  // namespace

TEST_CASE("grouped query attention: forward is one kernel and backward three, whatever is marked") {
  for (const std::string marks : {"", "b", "q", "k", "bqk"}) {
    if (by_device(false, marks.size() == 1)) continue;
    INFO("marks " << marks);
    check<Kind::plain>(tensors({}, f32, marks), 1e-5);
    if (by_device(false, marks.empty())) continue;
    check<Kind::causal>(tensors({.heads = 3, .groups = 1}, f32, marks), 1e-5);
  }
  check<Kind::masked>(tensors({.queries = 9}, f32, "bqk"), 1e-5);
  check<Kind::changed>(tensors({.keys = 31}, f32, "bqk"), 1e-5);
  if (sinter_test::on_gpu()) return;
  check<Kind::plain>(tensors({.batch = 1, .heads = 12, .groups = 4, .width = 80}, f32, "bk"), 1e-5);
}

TEST_CASE("grouped query attention: f16 and bf16") {
  check<Kind::causal>(tensors({}, bf16, "bqk"), 5e-2);
  if (!sinter_test::on_gpu()) check<Kind::plain>(tensors({}, f16, "bqk"), 1e-2);
}

TEST_CASE("grouped query attention: one compiled function for lengths from one on") {
  const auto backward = compile(gradients<Kind::causal>, {.fullgraph = true});
  for (const std::int64_t length : {7, 1, 16, by_device(100, 24)}) {
    INFO("length " << length);
    const Tensors of = tensors({.queries = length, .keys = length}, f32, "bqk");
    const auto found = backward(of.q, of.k, of.v, of.weight);
    const auto expected = on_host(gradients<Kind::causal>, of.q, of.k, of.v, of.weight);
    for (std::size_t i = 0; i < 3; ++i) CHECK(near_tensor(found[i], expected[i], 1e-4));
  }
  CHECK(backward.stats().kernels <= most_kernels(3));
  CHECK(backward.stats().variants == 1);
}

TEST_CASE("grouped query attention: gradients agree with finite differences") {
  const Tensors of = tensors({.batch = 1, .queries = 5, .keys = 6, .width = 3}, f64, "bqk");
  const auto backward = compile(gradients<Kind::plain>);
  const auto found = backward(of.q, of.k, of.v, of.weight);
  const ScopedDevice host(cpu());  // finite differences are fast here
  const Tensor weight = of.weight.to(cpu());
  const std::array<Tensor, 3> at{of.q.to(cpu()), of.k.to(cpu()), of.v.to(cpu())};
  const auto value = [&](const std::array<Tensor, 3>& there) {
    return sum(attend<Kind::plain>(there[0], there[1], there[2]) * weight).item<double>();
  };
  const double step = 1e-5;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::int64_t count = at[i].numel().value();
    for (std::int64_t element = 0; element < count; element += 5) {
      INFO("element " << element << " of argument " << i);
      const Tensor there = (arange(count) == element).to(f64) * step;
      auto above = at, below = at;
      above[i] = at[i] + reshape(there, at[i].shape());
      below[i] = at[i] - reshape(there, at[i].shape());
      const double expected = (value(above) - value(below)) / (2 * step);
      const double given = found[i].to_vector<double>()[static_cast<std::size_t>(element)];
      CHECK(given == doctest::Approx(expected).epsilon(1e-6));
    }
  }
}

TEST_CASE("grouped query attention: a single key is one kernel, and its gradients are three") {
  for (const std::int64_t queries : {1, 9}) {
    if (by_device(false, queries == 1)) continue;
    INFO("queries " << queries);
    check<Kind::plain>(tensors({.queries = queries, .keys = 1}, f32), 1e-5);
    check<Kind::plain>(tensors({.heads = 2, .queries = queries, .keys = 1}, f32, "b"), 1e-5);
    check<Kind::causal>(tensors({.queries = queries, .keys = 1}, bf16), 5e-2);
  }
}

TEST_CASE("grouped query attention: sums over heads or batch store no scores") {
  const Tensors of = tensors({.batch = 2, .queries = 64, .keys = 64, .width = 16}, f32);
  const auto each = compile([](const Tensor& q, const Tensor& k, const Tensor& v) {
    return attend<Kind::causal>(q, k, v);
  });
  const auto all = compile([](const Tensor& q, const Tensor& k, const Tensor& v) {
    return sum(attend<Kind::causal>(q, k, v), 1);
  });
  const Tensor expected = sum(each(of.q, of.k, of.v), 1);
  CHECK(near_tensor(all(of.q, of.k, of.v), expected, 1e-4));
  CHECK(are_kernels(all.stats().kernels, 1));
}
