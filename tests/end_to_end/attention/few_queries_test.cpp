// test: moved
// Attention with few queries, down to a single one with a key cache: as many kernels as for many,
// and agreement with eager evaluation in all dtypes.

#include <doctest/doctest.h>

#include "jit/support.hpp"
#include "moved.hpp"

using namespace testing;
using sinter_test::are_kernels;
using sinter_test::by_device;

namespace {

Tensor attend(const Tensor& q, const Tensor& k, const Tensor& v) {
  return scaled_dot_product_attention(q, k, v, {.enable_gqa = true});
}

void check_one_kernel(Shape query, Shape key, std::int64_t width, DType dtype = f32) {
  INFO(to_string(query) << " and " << to_string(key) << ", " << to_string(dtype));
  Shape value = key;
  value[-1] = width;
  const Tensor q = randn(query).to(dtype), k = randn(key).to(dtype), v = randn(value).to(dtype);
  const auto wide = [](const Tensor& a, const Tensor& b, const Tensor& c) {
    return attend(a.to(f64), b.to(f64), c.to(f64));
  };
  const Tensor expected = on_host(wide, q, k, v);
  for (const Numerics numerics : {Numerics::fast, Numerics::strict}) {
    const auto f = compile(attend, {.fullgraph = true, .numerics = numerics});
    const double tolerance = dtype == f64 ? 1e-13 : dtype == f32 ? 1e-5 : 2e-2;
    CHECK(near_tensor(f(q, k, v).to(f64), expected, tolerance));
    CHECK(are_kernels(f.stats().kernels, 1));
  }
}

}  // namespace

TEST_CASE("few queries: one query per head, each head with its own keys, is one kernel") {
  for (const DType dtype : {f32, f64, bf16, f16}) {
    if (by_device(false, dtype == f16)) continue;
    check_one_kernel({2, 3, 1, 17}, {2, 3, 77, 17}, 9, dtype);
  }
  check_one_kernel({1, 4, 1, 8}, {1, 4, 300, 8}, 8);
  check_one_kernel({1, 6, 1, 8}, {1, 3, 33, 8}, 12);  // two heads share keys
  check_one_kernel({3, 1, 4}, {3, 5, 4}, 4);
}

TEST_CASE("few queries: a few queries for each of a few heads are one kernel") {
  for (const DType dtype : {f32, bf16}) check_one_kernel({2, 2, 5, 16}, {2, 2, 29, 16}, 12, dtype);
  check_one_kernel({1, 8, 2, 8}, {1, 8, 40, 8}, 8);
  check_one_kernel({2, 15, 4}, {2, 15, 4}, 4);
}

TEST_CASE("few queries: a cache of any length is one kernel that skips masked keys") {
  const auto step = [](const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& seen) {
    return scaled_dot_product_attention(q, k, v, {.mask = arange(k.size(-2)) < seen});
  };
  const auto f = compile(step, {.fullgraph = true});
  for (const std::int64_t keys : {1, 2, 63, 200}) {
    INFO("keys " << keys);
    const Tensor q = randn({1, 4, 1, 8}), seen = full({}, (keys + 1) / 2, i64);
    Tensor k = randn({1, 4, keys, 8}), v = randn({1, 4, keys, 8});
    for (Tensor* one : {&k, &v}) mark_dynamic(*one, 2);
    CHECK(near_tensor(f(q, k, v, seen), on_host(step, q, k, v, seen), 1e-5));
    CHECK(are_kernels(f.stats().kernels, 1));
  }
}

TEST_CASE("few queries: one query per head and many keys are one kernel that stores no scores") {
  for (const std::int64_t queries : {1, 3}) {
    const std::int64_t keys = by_device(9000, 700);
    const Tensor q = randn({1, 8, queries, 8}), k = randn({1, 8, keys, 8}),
                 v = randn({1, 8, keys, 8});
    const auto f = compile(attend, {.fullgraph = true});
    CHECK(near_tensor(f(q, k, v), on_host(attend, q, k, v), 1e-5));
    CHECK(are_kernels(f.stats().kernels, 1));
    CHECK(f.stats().peak_bytes <= by_device<std::int64_t>(0, 2 * 8 * queries * keys * 4));
  }
}

TEST_CASE("few queries: strict results are equal bit for bit for any number of threads" *
          doctest::test_suite("host: its threads")) {
  const Tensor q = randn({1, 7, 1, 16}), k = randn({1, 7, 120, 16}), v = randn({1, 7, 120, 16});
  const auto f = compile(attend, {.numerics = Numerics::strict});
  sinter::set_num_threads(1);
  const auto expected = f(q, k, v).to_vector<float>();
  for (const int threads : {2, 3, 7}) {
    sinter::set_num_threads(threads);
    CHECK(f(q, k, v).to_vector<float>() == expected);
  }
  sinter::set_num_threads(0);
}

TEST_CASE("attention: causal rows read a part of panels of values wider than a register tile") {
  const auto causal = [](const Tensor& q, const Tensor& k, const Tensor& v) {
    return scaled_dot_product_attention(q, k, v, {.causal = true});
  };
  const auto wide = [=](const Tensor& a, const Tensor& b, const Tensor& c) {
    return causal(a.to(f64), b.to(f64), c.to(f64));
  };
  const Tensor q = randn({2, 40, 72}), k = randn({2, 40, 72}), v = randn({2, 40, 72});
  CHECK(near_tensor(compile(causal)(q, k, v).to(f64), on_host(wide, q, k, v), 1e-5));
}
