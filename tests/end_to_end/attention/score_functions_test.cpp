// test: deep moved cost=35
// Attention scores that index tensors by heads and positions: fused into the attention kernel, for
// static and dynamic sizes, with the usual errors.

#include <doctest/doctest.h>

#include <functional>

#include "jit/support.hpp"
#include "moved.hpp"

using namespace testing;
using sinter_test::are_kernels;
using sinter_test::by_device;
using sinter_test::most_kernels;

namespace {

using Score =
    std::function<Tensor(const std::vector<Tensor>& more, const Tensor& score, const Tensor& batch,
                         const Tensor& head, const Tensor& query, const Tensor& key)>;

constexpr std::int64_t length = 40;  // of the indexed tensors, the queries and the keys

/// Attention of the first three of `x`; `score` changes the scores with the others.
Tensor attention(const std::vector<Tensor>& x, const Score& score, bool causal) {
  const std::vector<Tensor> more(x.begin() + 3, x.end());
  const auto changed = [&](const Tensor& of, const Tensor& batch, const Tensor& head,
                           const Tensor& query,
                           const Tensor& key) { return score(more, of, batch, head, query, key); };
  return scaled_dot_product_attention(x[0], x[1], x[2], {.causal = causal, .score = changed});
}

std::vector<Tensor> inputs(std::vector<Tensor> more, DType dtype = f32) {
  std::vector<Tensor> result;
  for (int i = 0; i < 3; ++i) result.push_back(randn({2, 3, length, 8}).to(dtype));
  result.insert(result.end(), more.begin(), more.end());
  return result;
}

struct Case {
  const char* name;
  std::vector<Tensor> more;
  Score score;
};

#define SCORE(...)                                                                    \
  [](const std::vector<Tensor>& m, const Tensor& s, const Tensor& b, const Tensor& h, \
     const Tensor& i, const Tensor& j) -> Tensor {                                    \
    (void)m, (void)b, (void)h, (void)i, (void)j;                                      \
    return __VA_ARGS__;                                                               \
  }

std::vector<Case> cases() {
  const Tensor slope = randn({3}), bias = randn({3, length, length}), cap = full({1}, 3.0f);
  const Tensor table = randn({2 * length - 1}), buckets = randn({32, 3});
  const Tensor document = floor_divide(arange(length), 12);
  const Tensor documents = randint(0, 3, {2, length}), order = randint(0, length, {length});
  return {
      {"alibi", {slope}, SCORE(s + m[0][h] * (j - i))},
      {"bias", {bias}, SCORE(s + m[0][{h, i, j}])},
      {"relative", {table}, SCORE(s + m[0][j - i + (length - 1)])},
      {"buckets", {buckets}, SCORE(s + m[0][{clamp(j - i + 16, 0, 31), h}])},
      {"document", {document}, SCORE(where(m[0][i] == m[0][j], s, -HUGE_VALF))},
      {"documents", {documents}, SCORE(where(m[0][{b, i}] == m[0][{b, j}], s, -HUGE_VALF))},
      {"several",
       {bias, slope, cap},
       SCORE(m[2] * tanh((s + m[1][h] * (j - i) + m[0][{h, i, j}]) / m[2]))},
      {"read", {order, table}, SCORE(s + m[1][m[0][j]])},
      {"read twice", {order, bias}, SCORE(s + m[1][{h, m[0][i], m[0][j]}])},
      {"difference", {documents, buckets}, SCORE(s + m[1][{m[0][{b, i}] - m[0][{b, j}] + 3, h}])},
      {"divided", {order}, SCORE(s + (j % (m[0][i] + 1)) * 0.1f)},
  };
}

}  // namespace

TEST_CASE("score functions: indexing captured tensors is part of the kernel") {
  bool marks = false;
  for (const Case& one : cases()) {
    marks = !marks;
    for (const bool causal : {false, true}) {
      for (const bool symbolic : {false, true}) {
        // On the host each function runs in two of the four modes, alternately; on a GPU in one.
        const bool is_other = (causal == symbolic) != marks;
        if (by_device(is_other, causal != marks || symbolic != marks)) continue;
        INFO(one.name << " causal " << causal << " symbolic " << symbolic);
        const auto function = [&](const std::vector<Tensor>& x) {
          return attention(x, one.score, causal);
        };
        std::vector<Tensor> x = inputs(one.more);
        for (std::size_t i = 0; symbolic && i < 3; ++i) mark_dynamic(x[i], 2);
        const auto f = compile(function);
        CHECK(near_tensor(f(x), on_host(function, x), 1e-5));
        CHECK(f.stats().kernels == 1);
        CHECK(f.stats().peak_bytes == 0);
      }
    }
  }
}

TEST_CASE("score functions: gradients of query, key and value are three kernels") {
  for (const Case& one : cases()) {
    const std::string name = one.name;
    const bool is_of_all = name == "several" || name == "read twice";
    if (by_device(false, !is_of_all)) continue;
    INFO(name);
    const auto gradients = [&](const std::vector<Tensor>& x) {
      const auto loss = [&](const Tensor& q, const Tensor& k, const Tensor& v) {
        std::vector<Tensor> all = x;
        all[0] = q, all[1] = k, all[2] = v;
        return sum(square(attention(all, one.score, true)));
      };
      return grad(loss, {0, 1, 2})(x[0], x[1], x[2]);
    };
    const std::vector<Tensor> x = inputs(one.more);
    const auto f = compile(gradients);
    const auto found = f(x), expected = on_host(gradients, x);
    for (std::size_t i = 0; i < 3; ++i) CHECK(near_tensor(found[i], expected[i], 1e-4));
    CHECK(f.stats().kernels <= by_device(3, 4));
    if (sinter_test::on_gpu()) CHECK(f.stats().peak_bytes < 4 * 2 * 3 * length * length);
  }
}

TEST_CASE(
    "score functions: gradients of tensors indexed by head and position are sums in a fixed "
    "order") {
  for (const Case& one : cases()) {
    const std::string name = one.name;
    if (name != "bias" && by_device(name != "alibi", true)) continue;
    INFO(one.name);
    const auto gradients = [&](const std::vector<Tensor>& x) {
      const auto loss = [&](const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& m) {
        return sum(square(attention({q, k, v, m}, one.score, true)));
      };
      return grad(loss, {0, 1, 2, 3})(x[0], x[1], x[2], x[3]);
    };
    const std::vector<Tensor> x = inputs(one.more);
    const auto f = compile(gradients);
    const auto found = f(x), expected = on_host(gradients, x);
    for (std::size_t i = 0; i < 4; ++i) CHECK(near_tensor(found[i], expected[i], 1e-3));
    CHECK(f.stats().kernels <= most_kernels(4));
  }
}

TEST_CASE("score functions: f16 and bf16") {
  for (const DType dtype : {bf16, f16}) {
    if (by_device(false, dtype == bf16)) continue;
    const Tensor slope = randn({3}).to(dtype), order = randint(0, length, {length});
    const Tensor bias = randn({length}).to(dtype);
    const Score score = SCORE(s + m[0][h] * (j - i) * 0.1f + m[1][m[2][j]]);
    const auto function = [&](const std::vector<Tensor>& x) { return attention(x, score, true); };
    const std::vector<Tensor> x = inputs({slope, bias, order}, dtype);
    const auto f = compile(function);
    CHECK(near_tensor(f(x), on_host(function, x), 5e-2));
    CHECK(f.stats().kernels == 1);
  }
}

TEST_CASE("score functions: long rows with blocks masked out, against loops") {
  const std::int64_t n = by_device(300, 90);
  const Tensor q = randn({2, n, 4}), k = randn({2, n, 4}), v = randn({2, n, 1});
  const Tensor table = randn({n}), order = randint(0, n, {n});
  const Score score = SCORE(s + m[0][m[1][j]]);
  const auto f = compile([&](const std::vector<Tensor>& x) { return attention(x, score, true); });
  const Numbers a = numbers(q), b = numbers(k), c = numbers(v), added = numbers(table);
  const std::vector<std::int64_t> taken = order.to_vector<std::int64_t>();
  Numbers expected;
  const auto rows = static_cast<std::size_t>(n);
  for (std::size_t row = 0; row < 2 * rows; ++row) {
    double total = 0, sum = 0;
    for (std::size_t j = 0; j <= row % rows; ++j) {
      const std::size_t key = row / rows * rows + j;
      double dot = 0;
      for (std::size_t i = 0; i < 4; ++i) dot += a[row * 4 + i] * b[key * 4 + i];
      const double weight = std::exp(dot / 2 + added[static_cast<std::size_t>(taken[j])]);
      total += weight;
      sum += weight * c[key];
    }
    expected.push_back(sum / total);
  }
  const std::vector<Tensor> x{q, k, v, table, order};
  CHECK(near(reshape(f(x), {-1}), expected, 1e-4));
  CHECK(are_kernels(f.stats().kernels, 1));
}

TEST_CASE("score functions: an index out of range throws at its line and leaves state unchanged") {
  const auto step = [](Tensor& state, const std::vector<Tensor>& x) {
    state += 1.0f;
    const Score score = SCORE(s + m[0][m[1][j]]);
    const Tensor mixed = attention(x, score, true);
    const Tensor more = index_select(x[5], 0, x[6]);  // another line that can throw
    return mixed * more;
  };
  const std::string line_of_score = text("score_functions_test.cpp:", __LINE__ - 5);
  const std::string line_of_more = text("score_functions_test.cpp:", __LINE__ - 4);
  const auto f = compile(step);
  const Tensor table = randn({length}), gains = randn({8});
  std::vector<Tensor> x = inputs({table, arange(length), gains, arange(8)});
  Tensor state = zeros({3});
  f(state, x);
  CHECK(near(state, {1, 1, 1}));
  for (const std::int64_t at : {0, 17, 39}) {  // the last key is masked for all queries but one
    if (by_device(false, at == 17)) continue;
    x[4] = where(arange(length) == at, length + 2, arange(length));
    const std::string report = message_of<IndexError>([&] { f(state, x); });
    CHECK(contains(report, line_of_score));
    CHECK(contains(report, "42, at the row-major position " + std::to_string(at)));
    CHECK(contains(report, "-40 <= index < 40"));
  }
  x[4] = arange(length);
  x[6] = where(arange(8) == 5, -9, arange(8));
  const std::string report = message_of<IndexError>([&] { f(state, x); });
  CHECK(contains(report, line_of_more));  // reported only if no other line has a fault
  CHECK(contains(report, "-9, at the row-major position 5"));
  CHECK(contains(report, "-8 <= index < 8"));
  CHECK(near(state, {1, 1, 1}));
  x[6] = arange(8);
  f(state, x);
  CHECK(near(state, {2, 2, 2}));
}

TEST_CASE(
    "score functions: an index that is out of range only where the mask hides it is an error") {
  const auto function = [](const std::vector<Tensor>& x) {
    const Score score = SCORE(s + m[0][j - i + m[1]]);
    return attention(x, score, true);
  };
  const Tensor table = randn({length}), first = full({1}, length - 1, i64);
  for (const Backend backend : {Backend::eager, Backend::fused}) {
    const auto f = compile(function, {.backend = backend});
    const std::string report = message_of<IndexError>([&] { f(inputs({table, first})); });
    CHECK(contains(report, "-40 <= index < 40"));
  }
}
