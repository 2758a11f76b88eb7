// test: deep moved cost=40
// Attention and its gradients: number of kernels, memory, and agreement with eager evaluation.

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <utility>

#include "jit/support.hpp"
#include "moved.hpp"

using namespace testing;
using sinter_test::are_kernels;
using sinter_test::by_device;
using sinter_test::most_kernels;

namespace {

Tensor mixed(const Tensor& q, const Tensor& k, const Tensor& v) {
  return scaled_dot_product_attention(q, k, v);
}
Tensor causal(const Tensor& q, const Tensor& k, const Tensor& v) {
  return scaled_dot_product_attention(q, k, v, {.causal = true});
}

}  // namespace

TEST_CASE("attention: one kernel, masked or not") {
  const Tensor q = randn({6, 65, 8}), k = randn({6, 33, 8}), v = randn({6, 33, 5});
  const Tensor more = randn({6, 65, 8}), of_them = randn({6, 65, 5});
  for (const auto function : {mixed, causal}) {
    const auto f = compile(function);
    CHECK(near_tensor(f(q, k, v), on_host(function, q, k, v), 1e-5));
    CHECK(near_tensor(f(q, more, of_them), on_host(function, q, more, of_them), 1e-5));
    CHECK(are_kernels(f.stats().kernels, 1));
  }
}

TEST_CASE("attention: computing the keys in the same function does not materialise the scores") {
  const auto turned = [](const Tensor& x, const Tensor& by) {
    const std::vector<Tensor> halves = chunk(x, 2, -1);
    return x * by + concatenate({-halves[1], halves[0]}, -1);
  };
  const Tensor q = randn({2, 3, 96, 16}), k = randn({2, 3, 96, 16}), v = randn({2, 3, 96, 16});
  const Tensor by = randn({96, 16});
  for (const bool queries : {false, true}) {
    const auto f = [&](const Tensor& a, const Tensor& b, const Tensor& c, const Tensor& d) {
      return scaled_dot_product_attention(queries ? turned(a, d) : a, turned(b, d), c);
    };
    auto compiled = compile(f);
    CHECK(near(compiled(q, k, v, by), numbers(on_host(f, q, k, v, by)), 1e-5));
    CHECK(are_kernels(compiled.stats().kernels, 2));
    // The keys, and on a GPU the queries.
    CHECK(compiled.stats().peak_bytes <= by_device(1, 2) * 96 * 16 * 2 * 3 * 4);
  }
}

TEST_CASE("attention: forward and backward are three kernels") {
  const Tensor q = randn({2, 40, 8}), k = randn({2, 24, 8}), v = randn({2, 24, 8});
  const auto gradients = [](const Tensor& a, const Tensor& b, const Tensor& c) {
    return grad(
        [](const Tensor& x, const Tensor& y, const Tensor& z) { return sum(mixed(x, y, z) * x); },
        {0, 1, 2})(a, b, c);
  };
  const auto f = compile(gradients);
  const auto found = f(q, k, v), expected = on_host(gradients, q, k, v);
  for (std::size_t i = 0; i < 3; ++i) CHECK(near_tensor(found[i], expected[i], 1e-5));
  CHECK(f.stats().kernels <= most_kernels(3));
}

TEST_CASE("attention: gradients of long attention store nothing as large as the scores") {
  for (const bool is_causal : {false, true}) {
    for (const bool symbolic : {false, true}) {
      if (by_device(false, is_causal != symbolic)) continue;
      const auto gradients = [is_causal](const Tensor& a, const Tensor& b, const Tensor& c,
                                         const Tensor& weight, const Tensor& slope) {
        const auto loss = [&](const Tensor& x, const Tensor& y, const Tensor& z) {
          AttentionOptions options{.causal = is_causal};
          options.score = [slope](const Tensor& score, const Tensor&, const Tensor&,
                                  const Tensor& query, const Tensor& key) {
            return score - slope * abs(query - key).to(f32);
          };
          return sum(scaled_dot_product_attention(x, y, z, options) * weight);
        };
        return grad(loss, {0, 1, 2})(a, b, c);
      };
      const std::int64_t rows = symbolic ? 70 : by_device(1100, 130);
      const std::int64_t heads = by_device(8, 2);
      Tensor q = randn({heads, rows, 8}), k = randn({heads, rows, 8}), v = randn({heads, rows, 8});
      Tensor w = randn({heads, rows, 8});
      for (Tensor* one : {&q, &k, &v, &w}) {
        if (symbolic) mark_dynamic(*one, 1);
      }
      const auto f = compile(gradients);
      const Tensor slope = full({}, 0.01f);
      const auto found = f(q, k, v, w, slope), expected = on_host(gradients, q, k, v, w, slope);
      for (std::size_t i = 0; i < 3; ++i) CHECK(near_tensor(found[i], expected[i], 1e-4));
      CHECK(are_kernels(f.stats().kernels, 2));
      CHECK(f.stats().peak_bytes <= heads * rows * 8 * 4);
    }
  }
}

TEST_CASE("attention: gradients that need the result first store no scores") {
  const auto gradients = [](const Tensor& a, const Tensor& b, const Tensor& c) {
    const auto loss = [](const Tensor& x, const Tensor& y, const Tensor& z) {
      const Tensor result = causal(x, y, z);
      return sum(result * result);
    };
    return grad(loss, {0, 1, 2})(a, b, c);
  };
  const std::int64_t rows = by_device(1100, 130), heads = by_device(8, 2);
  const Tensor q = randn({heads, rows, 8}), k = randn({heads, rows, 8});
  const Tensor v = randn({heads, rows, 8});
  const auto f = compile(gradients);
  const auto found = f(q, k, v), expected = on_host(gradients, q, k, v);
  for (std::size_t i = 0; i < 3; ++i) CHECK(near_tensor(found[i], expected[i], 1e-4));
  CHECK(f.stats().kernels <= most_kernels(4));
  CHECK(f.stats().peak_bytes <= 2 * heads * rows * 8 * 4);
}

TEST_CASE("attention: gradients are at most three kernels, whatever reads the result") {
  using Loss = std::function<Tensor(const Tensor& result, const Tensor& q, const Tensor& column)>;
  const std::vector<std::pair<std::string, Loss>> losses{
      {"sum", [](auto& o, auto&, auto&) { return sum(o); }},
      {"mean", [](auto& o, auto&, auto&) { return mean(o); }},
      {"twice the sum", [](auto& o, auto&, auto&) { return 2 * sum(o); }},
      {"sum of merged heads",
       [](auto& o, auto&, auto&) { return sum(flatten(transpose(o, 1, 2), 2, 3)); }},
      {"last row",
       [](auto& o, auto&, auto&) {
         return sum(o[{all, all, -1}]);
       }},
      {"one weight for each row", [](auto& o, auto&, auto& column) { return sum(o * column); }},
      {"one weight for each column", [](auto& o, auto&, auto&) { return sum(o * arange(8)); }},
      {"with the query", [](auto& o, auto& q, auto&) { return sum(o * q); }},
      {"beside the query", [](auto& o, auto& q, auto&) { return sum(o + q); }},
  };
  const std::vector<std::string> forms{"causal", "grouped", "marked", "long"};
  std::size_t turn = 0;
  for (const auto& [name, loss] : losses) {
    for (const std::string& form : forms) {
      if (by_device(false, turn++ % 5 != 0)) continue;  // each loss once, each form twice
      INFO(name << ", " << form);
      const bool is_causal = form != "grouped", is_long = form == "long";
      const auto gradients = [&, &loss = loss](const Tensor& a, const Tensor& b, const Tensor& c,
                                               const Tensor& column) {
        const auto of = [&](const Tensor& x, const Tensor& y, const Tensor& z) {
          const AttentionOptions options{.causal = is_causal, .enable_gqa = true};
          return loss(scaled_dot_product_attention(x, y, z, options), x, column);
        };
        return grad(of, {0, 1, 2})(a, b, c);
      };
      const std::int64_t rows = is_long ? by_device(1100, 130) : by_device(70, 40);
      const std::int64_t heads = by_device(8, 2), width = 8;
      const std::int64_t groups = form == "grouped" ? by_device(2, 1) : heads;
      Tensor q = randn({1, heads, rows, width}), k = randn({1, groups, rows, width});
      Tensor v = randn({1, groups, rows, width}), column = randn({rows, 1});
      for (Tensor* one : {&q, &k, &v}) {
        if (form == "marked") mark_dynamic(*one, 0);
      }
      const auto f = compile(gradients);
      const auto found = f(q, k, v, column), expected = on_host(gradients, q, k, v, column);
      for (std::size_t i = 0; i < 3; ++i) CHECK(near_tensor(found[i], expected[i], 1e-3));
      CHECK(f.stats().kernels <= most_kernels(is_long ? 2 : 3));
      // No scores.
      if (is_long) CHECK(f.stats().peak_bytes <= heads * rows * 8 * 4);
    }
  }
}
