// test: moved
// Row tiling of products with the row functions around them: number of kernels, and agreement
// with eager evaluation in all dtypes and sizes.

#include <doctest/doctest.h>

#include "jit/support.hpp"
#include "moved.hpp"

using namespace testing;
using sinter_test::are_kernels;
using sinter_test::by_device;
using sinter_test::most_kernels;

namespace {

/// Compiles `function` with static sizes, and with a dynamic number of rows of `x`.
template <class Function, class... Others>
void check(std::int64_t most, double tolerance, Function function, Tensor x, Others... others) {
  const bool turn = sinter_test::next_turn();
  for (const bool symbolic : {false, true}) {
    if (by_device(false, symbolic != turn)) continue;
    INFO("symbolic " << symbolic);
    if (symbolic) mark_dynamic(x, 0);
    const Tensor expected = on_host(function, x, others...);
    const auto f = compile(function);
    CHECK(near_tensor(f(x, others...), expected, tolerance));
    CHECK(f.stats().kernels <= most_kernels(most));
  }
}

Tensor causal(const Tensor& q, const Tensor& k, const Tensor& v) {
  return scaled_dot_product_attention(q, k, v, {.causal = true});
}

}  // namespace

TEST_CASE("row tiles: a norm before a product, and row functions after one, are one kernel") {
  const Tensor x = randn({50, 24}), w = randn({24, 37}), gain = randn({24}), bias = randn({37});
  check(
      1, 1e-5,
      [](const Tensor& a, const Tensor& b, const Tensor& g) {
        return matmul(layer_norm(a, {24}, g, g), b);
      },
      x, w, gain);
  check(
      1, 1e-5, [](const Tensor& a, const Tensor& b) { return softmax(matmul(a, b), -1); }, x, w);
  check(
      1, 1e-5,
      [](const Tensor& a, const Tensor& b, const Tensor& c, const Tensor& r) {
        return layer_norm(matmul(a, b) + c + r, {37}, c, c);
      },
      x, w, bias, randn({50, 37}));
}

TEST_CASE(
    "row tiles: a norm and the products of its rows are one kernel, however few rows there are") {
  const auto products = [](const Tensor& x, const Tensor& a, const Tensor& b) {
    const Tensor y = layer_norm(x, {x.size(-1)});
    return concatenate({matmul(y, a), x + matmul(y, b)}, 1);
  };
  for (const std::int64_t rows : {2, 9}) {
    INFO("rows " << rows);
    check(1, 1e-4, products, randn({rows, 40}), randn({40, 300}), randn({40, 40}));
  }
  check(
      1, 1e-4, [](const Tensor& x, const Tensor& a) { return matmul(layer_norm(x, {40}), a); },
      randn({1, 40}), randn({40, 300}));
  const std::int64_t long_rows = by_device(768, 96);
  check(1, 1e-3, products, randn({by_device(128, 40), long_rows}), randn({long_rows, 640}),
        randn({long_rows, long_rows}));
}

TEST_CASE(
    "row tiles: an activation is the epilogue of its product, two products are two kernels at "
    "most") {
  const Tensor x = randn({40, 16}), u = randn({16, 64}), a = randn({64});
  const Tensor d = randn({64, 16}), b = randn({16});
  check(
      1, 1e-5,
      [](const Tensor& y, const Tensor& w, const Tensor& c) { return gelu(matmul(y, w) + c); }, x,
      u, a);
  check(
      2, 1e-4,
      [](const Tensor& y, const Tensor& w, const Tensor& c, const Tensor& z, const Tensor& e) {
        return y + (matmul(gelu(matmul(y, w) + c), z) + e);
      },
      x, u, a, d, b);
}

TEST_CASE("row tiles: all floating dtypes, strict or not") {
  for (const DType dtype : {f16, bf16, f64}) {
    INFO("dtype " << dtype);
    const Tensor x = randn({33, 12}).to(dtype), w = randn({12, 21}).to(dtype);
    const auto rows = [](const Tensor& a, const Tensor& b) { return softmax(matmul(a, b), -1); };
    const Tensor expected = on_host(rows, x, w).to(f64);
    for (const Numerics numerics : {Numerics::fast, Numerics::strict}) {
      if (by_device(false, (numerics == Numerics::strict) != (dtype == bf16))) continue;
      const auto f = compile(rows, {.numerics = numerics});
      CHECK(near_tensor(f(x, w).to(f64), expected, dtype == f64 ? 1e-12 : 1e-2));
      CHECK(are_kernels(f.stats().kernels, 1));
    }
  }
}

TEST_CASE("row tiles: sizes of 0 and 1, and fully masked rows") {
  const auto f = compile(causal);
  for (const std::int64_t queries : {0, 1, 3, 50}) {
    for (const std::int64_t keys : {1, 40}) {
      INFO("queries " << queries << ", keys " << keys);
      Tensor q = randn({1, queries, 4}), k = randn({1, keys, 4}), v = randn({1, keys, 3});
      for (Tensor* one : {&q, &k, &v}) mark_dynamic(*one, 1);
      CHECK(near_tensor(f(q, k, v), on_host(causal, q, k, v), 1e-5));
    }
  }
}

TEST_CASE("row tiles: strict numerics skip no masked step") {
  Tensor q = randn({1, 70, 4}), k = randn({1, 70, 4});
  const Tensor last = reshape(arange(70), {1, 70, 1}) == 69;
  const Tensor v = where(last, HUGE_VALF, randn({1, 70, 3}));  // one query attends to it
  const auto strict = compile(causal, {.numerics = Numerics::strict});
  CHECK(all(isnan(causal(q, k, v)) | last).item<bool>());
  CHECK(all(isnan(strict(q, k, v)) | last).item<bool>());
}

TEST_CASE("row tiles: fully masked rows, also whole tiles of them, agree with eager evaluation") {
  const auto f = [](const Tensor& q, const Tensor& k, const Tensor& v) {
    const Tensor row = reshape(arange(300), {300, 1}), column = reshape(arange(300), {1, 300});
    const Tensor scores = matmul(q, transpose(k, 0, 1));
    return matmul(softmax(where(column <= row - 200, scores, -HUGE_VALF), -1), v);
  };
  const Tensor q = randn({300, 4}), k = randn({300, 4}), v = randn({300, 3});
  const auto fast = compile(f);
  const Tensor found = fast(q, k, v).to(cpu()), expected = on_host(f, q, k, v);
  CHECK(all(isnan(found) == isnan(expected)).item<bool>());
  CHECK(near_tensor(slice(found, 0, 200, 300), slice(expected, 0, 200, 300), 1e-5));
  CHECK(are_kernels(fast.stats().kernels, 1));
}

TEST_CASE("row tiles: a pre-norm transformer block is at most four kernels") {
  // The norm and the projections; attention, per head; the output projection with residual, norm
  // and the first linear layer; the second linear layer, which reads whole rows of the first.
  const nn::TransformerEncoderLayer layer(
      32, 4, {.dim_feedforward = 64, .dropout = 0, .batch_first = true, .norm_first = true});
  Tensor x = randn({2, 24, 32});
  for (const bool symbolic : {false, true}) {
    INFO("symbolic " << symbolic);
    if (by_device(false, !symbolic)) continue;
    if (symbolic) mark_dynamic(x, 1);
    const auto f = compile(layer);
    CHECK(near_tensor(f(x), layer(x), 1e-4));
    CHECK(f.stats().kernels <= most_kernels(4));
  }
}

TEST_CASE("row tiles: a function of the scores is part of the kernel") {
  const Tensor q = randn({2, 2, 20, 8}), k = randn({2, 2, 36, 8}), v = randn({2, 2, 36, 8});
  const auto f = [](const Tensor& a, const Tensor& b, const Tensor& c) {
    return scaled_dot_product_attention(
        a, b, c,
        {.score = [](const Tensor& score, const Tensor&, const Tensor&, const Tensor& query,
                     const Tensor& key) { return tanh(score) - 0.1f * abs(query - key).to(f32); }});
  };
  const auto fast = compile(f);
  CHECK(near_tensor(fast(q, k, v), on_host(f, q, k, v), 1e-5));
  CHECK(are_kernels(fast.stats().kernels, 1));
}

TEST_CASE("row tiles: panels too large for the buffer are packed for each row tile" *
          doctest::test_suite("host: a GPU packs no panels")) {
  const Tensor x = ones({16, 17});
  const Tensor w = expand(remainder(arange(260000), 7).to(f32), {17, 260000}) + zeros({17, 260000});
  const auto f = compile([](const Tensor& a, const Tensor& b) {
    const Tensor y = matmul(a, b);
    return max(y, -1) - min(y, -1);
  });
  CHECK(near_tensor(f(x, w), full({16}, 102.0f), 1e-3));
  CHECK(are_kernels(f.stats().kernels, 1));
}

TEST_CASE("row tiles: a kernel both before and after a row tile is not fused into it") {
  const auto f = [](const Tensor& a, const Tensor& b, const Tensor& x) {
    const Tensor z = roll(x, 1, 1), y = (z + z) * min(a), r = roll(y, 1, 0);
    const Tensor m = sum(matmul(tanh(z), b), 1, true);
    return std::vector<Tensor>{y + m, r + m, r};
  };
  const Tensor a = randn({20, 20}), b = randn({20, 30}), x = randn({33, 20});
  const std::vector<Tensor> found = compile(f)(a, b, x), expected = on_host(f, a, b, x);
  for (std::size_t i = 0; i < expected.size(); ++i) CHECK(near_tensor(found[i], expected[i], 1e-4));
}

TEST_CASE("row tiles: reductions of sliced, padded or masked values next to products") {
  const auto f = [](const Tensor& a, const Tensor& b, const Tensor& d) {
    const Tensor y = minimum(a, sum(d, 0, true));
    const Tensor cut = pad(slice(y, 1, 1, y.size(1)), {{0, 0}, {0, 1}}, 0.5f);
    return std::vector<Tensor>{max(cut, 0), sum(matmul(y, b)), a - mean(a, 1, true)};
  };
  const Tensor a = randn({20, 16}), b = randn({16, 20}), d = randn({20});
  const std::vector<Tensor> found = compile(f)(a, b, d), expected = on_host(f, a, b, d);
  for (std::size_t i = 0; i < expected.size(); ++i) CHECK(near_tensor(found[i], expected[i], 1e-4));
  const auto masked = [](const Tensor& x) { return softmax(tril(x), 0); };
  const Tensor x = randn({255, 64});
  CHECK(near_tensor(compile(masked, {.numerics = Numerics::strict})(x), masked(x), 1e-5));
}
