// test: deep emulator gpu
// Attention scores that index tensors by positions and other tensors, on an emulated GPU: fused
// into the streaming kernels, forward and backward.

#include <doctest/doctest.h>
#include <sinter/compile/cache/load_or_compile.hpp>
#include <sinter/sinter.hpp>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "cuda_emulator/gpus.hpp"
#include "end_to_end/gpu.hpp"

using namespace gpu;

namespace {

using Many = std::vector<Tensor>;  // queries, keys, values, the gradient of the result, and more
using Score = std::function<Tensor(const Many& more, const Tensor& score, const Tensor& batch,
                                   const Tensor& head, const Tensor& query, const Tensor& key)>;

#define SCORE(...)                                                                      \
  [](const Many& m, const Tensor& s, const Tensor& b, const Tensor& h, const Tensor& i, \
     const Tensor& j) -> Tensor {                                                       \
    (void)m, (void)b, (void)h, (void)i, (void)j;                                        \
    return __VA_ARGS__;                                                                 \
  }

struct Case {
  const char* name;
  DType dtype;
  Many more;
  Score score;
  bool causal = false, grouped = false;
};

Tensor attention(const Case& one, const Tensor& q, const Tensor& k, const Tensor& v,
                 const Many& x) {
  const Many more(x.begin() + 4, x.end());
  const auto score = [&](const Tensor& s, const Tensor& b, const Tensor& h, const Tensor& i,
                         const Tensor& j) { return one.score(more, s, b, h, i, j); };
  return scaled_dot_product_attention(
      q, k, v, {.causal = one.causal, .score = score, .enable_gqa = one.grouped});
}

Many inputs(const Case& one, std::int64_t length) {
  const Shape queries{2, 4, length, 8}, keys{2, one.grouped ? 2 : 4, length, 8};
  Many result{sample(queries, 0.1), sample(keys, 0.2), sample(keys, 0.3), sample(queries, 0.4)};
  for (Tensor& x : result) x = x.to(one.dtype);
  result.insert(result.end(), one.more.begin(), one.more.end());
  return result;
}

Many there(const Many& x) {
  Many result;
  for (const Tensor& one : x) result.push_back(one.to(cuda()));
  return result;
}

// Of queries, keys and values.
Many backward(const Case& one, const Many& x) {
  const auto of = [&](const Tensor& q, const Tensor& k, const Tensor& v) {
    return attention(one, q, k, v, x);
  };
  const auto [of_q, of_k, of_v] = vjp(of, x[0], x[1], x[2]).pullback(x[3]);
  return {of_q, of_k, of_v};
}

// Bytes of three numbers per row, which kernels pass to each other.
constexpr std::int64_t row_bytes(std::int64_t length) { return 3 * (4 * 2 * 4 * length + 64); }

constexpr std::int64_t length = 40;

std::vector<Case> cases() {
  const Tensor slopes = sample({4}, 0.5), bias = sample({4, length, length}, 0.6);
  const Tensor table = sample({2 * length - 1}, 0.7), buckets = sample({8, 4}, 0.8);
  const Tensor documents = reshape(floor_divide(arange(2 * length), 17), {2, length}) % 3;
  const Tensor order = (arange(length) * 7) % length, cap = full({}, 3.0f);
  return {
      {"bias", f32, {bias, slopes}, SCORE(s + m[0][{h, i, j}] + m[1][h] * (j - i)), true},
      {"relative", bf16, {table, cap}, SCORE(m[1] * tanh((s + m[0][j - i + 39]) / m[1]))},
      {"buckets", f16, {buckets}, SCORE(s + m[0][{clamp(j - i, -4, 3) + 4, h}]), true, true},
      {"read", f32, {order, table}, SCORE(s + m[1][m[0][j] + m[0][i]])},
      {"documents",
       f32,
       {documents, buckets},
       SCORE(where(m[0][{b, i}] == m[0][{b, j}], s, -HUGE_VALF) + m[1][{m[0][{b, j}], h}]),
       true},
      {"divided", bf16, {order}, SCORE(s + (j % (m[0][i] + 1)) * 0.1f)},
  };
}

// A bias per distance, offset by an element of another tensor.
Tensor shifted(const Many& x) {
  return attention({"", f32, {}, SCORE(s + m[0][j - i + m[1]]), true}, x[0], x[1], x[2], x);
}

}  // namespace

TEST_CASE(
    "gpu score functions: score functions that read tensors are streamed, forward and backward, "
    "and no scores are stored") {
  const compiler::FreshCache fresh;
  SINTER_GPUS(machine, 1);
  for (const Case& one : cases()) {
    INFO(one.name);
    const Many x = inputs(one, length), y = there(x);
    const auto f = compile([&](const Many& a) { return attention(one, a[0], a[1], a[2], a); });
    const double most = one.dtype == f32 ? 1e-5 : 2e-2;
    CHECK(relative_difference(f(y), attention(one, x[0], x[1], x[2], x)) < most);
    CHECK(f.stats().kernels == 1);
    CHECK(f.stats().peak_bytes == 0);
    const auto g = compile([&](const Many& a) { return backward(one, a); });
    const Many found = g(y), expected = backward(one, x);
    for (std::size_t i = 0; i < 3; ++i) {
      CHECK(relative_difference(found[i], expected[i]) < (one.dtype == f32 ? 1e-4 : 4e-2));
    }
    CHECK(g.stats().kernels <= 3);
    CHECK(g.stats().peak_bytes <= row_bytes(length));
  }
}

TEST_CASE(
    "gpu score functions: heads of width 128 keep sums in most registers, and use short key "
    "tiles") {
  const compiler::FreshCache fresh;
  SINTER_GPUS(machine, 1);
  constexpr std::int64_t rows = 130, heads = 4;
  const Tensor order = (arange(rows) * 7) % rows;
  const Case one{"", bf16, {}, SCORE(s + (j % (m[0][i] + 1)) * 0.01f), true};
  Many x;
  for (const double seed : {0.1, 0.2, 0.3, 0.4}) {
    x.push_back(sample({1, heads, rows, 128}, seed).to(bf16));
  }
  x.push_back(order);
  const auto f = compile([&](const Many& a) { return backward(one, a); });
  const Many found = f(there(x)), expected = backward(one, x);
  for (std::size_t i = 0; i < 3; ++i) CHECK(relative_difference(found[i], expected[i]) < 2e-2);
  CHECK(f.stats().kernels == 2);
  CHECK(f.stats().peak_bytes <= 3 * (heads * 4 * rows + 64));
}

TEST_CASE("gpu score functions: one recording and its kernels serve varying lengths") {
  const compiler::FreshCache fresh;
  SINTER_GPUS(machine, 1);
  const Case one{"", f32, {}, SCORE(s + m[1][{m[0][{b, i}] - m[0][{b, j}] + 4, h}]), true};
  const auto f = compile([&](const Many& a) { return backward(one, a); });
  for (const std::int64_t size : {40, 17, 130}) {
    Many x = inputs(one, size);
    x.push_back(reshape(floor_divide(arange(2 * size), 17), {2, size}) % 4);
    x.push_back(sample({8, 4}, 0.8));
    Many y = there(x);
    for (std::size_t i = 0; i < 4; ++i) mark_dynamic(y[i], 2);
    mark_dynamic(y[4], 1);
    const Many found = f(y), expected = backward(one, x);
    for (std::size_t i = 0; i < 3; ++i) CHECK(relative_difference(found[i], expected[i]) < 1e-4);
    CHECK(f.stats().kernels <= 3);
    CHECK(f.stats().peak_bytes <= row_bytes(size));
  }
  CHECK(f.stats().recompiles == 0);
}

TEST_CASE("gpu score functions: masked tiles are skipped, but their indices are checked") {
  const compiler::FreshCache fresh;
  SINTER_GPUS(machine, 1);
  constexpr std::int64_t size = 200, distance = 150;
  Many x;
  for (const double seed : {0.1, 0.2, 0.3, 0.4}) x.push_back(sample({1, 1, size, 8}, seed));
  x.push_back(sample({size + distance}, 0.5));
  x.push_back(full({1}, size, i64));
  x[2] = where(reshape(arange(size), {size, 1}) >= 192, NAN, x[2]);
  const auto f = compile(shifted);
  std::string report;
  try {
    f(there(x));
  } catch (const IndexError& error) {
    report = error.what();
  }
  // The first key too far from its query, and from every key that has an effect.
  CHECK(report.find("350, at the row-major position 150") != std::string::npos);
  CHECK(report.find("-350 <= index < 350") != std::string::npos);
  x[5] = full({1}, size - 1, i64);
  x[4] = sample({2 * size}, 0.5);
  const Tensor found = f(there(x)).to(cpu());
  const std::vector<float> numbers = found.to_vector<float>();
  for (std::size_t i = 0; i < 128 * 8; ++i) REQUIRE(!std::isnan(numbers[i]));
  CHECK(std::isnan(numbers[199 * 8]));
  CHECK(f.stats().kernels == 1);
}

#undef SCORE
