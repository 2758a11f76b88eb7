#pragma once
// A function for each planted fault, which shows it, and what bisect() should say.

#include <functional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "planted_faults.hpp"

namespace planted {

struct Case {
  const char* fault;
  const char* stage;
  const char* operation;  ///< A part of the culprit or of the operation.
  std::function<Bisection()> bisect;
  std::function<void(const std::string&)> minify;
};

template <class F, class... Args>
Case make_case(const char* fault, const char* stage, const char* operation, F function,
               Args... arguments) {
  const auto with_arguments = [function, arguments...](auto act) {
    const auto compiled = compile(+function);
    auto copies = std::make_tuple(arguments...);
    return std::apply([&](auto&... argument) { return act(compiled, argument...); }, copies);
  };
  return {fault, stage, operation,
          [=] {
            return with_arguments(
                [](const auto& f, auto&... argument) { return bisect(f, argument...); });
          },
          [=](const std::string& path) {
            with_arguments([&](const auto& f, auto&... argument) { minify(f, argument..., path); });
          }};
}

inline Tensor ramp(const Shape& shape, float low, float step) {
  std::int64_t count = 1;
  for (int axis = 0; axis < shape.size(); ++axis) count *= shape[axis].value();
  std::vector<float> elements;
  for (std::int64_t i = 0; i < count; ++i) {
    elements.push_back(low + step * static_cast<float>(i));
  }
  return from_vector(elements, shape);
}

inline std::vector<Case> gradient_cases(const Tensor& x, const Tensor& w) {
  return {make_case(
              "gradient of tanh", "gradient", "tanh",
              [](const Tensor& a, const Tensor& b) {
                return grad([](const Tensor& p, const Tensor& q) {
                  return sum(tanh(matmul(p, q)) * sin(matmul(p, q)));
                })(a, b);
              },
              x, w),
          make_case(
              "gradient of div", "gradient", "div",
              [](const Tensor& a, const Tensor& b) {
                return grad([](const Tensor& p, const Tensor& q) {
                  return sum(log(matmul(p, q) / (2 + square(p))));
                })(a, b);
              },
              x, w),
          make_case(
              "gradient of dot_general", "gradient", "dot_general",
              [](const Tensor& a, const Tensor& b) {
                return grad([](const Tensor& p, const Tensor& q) {
                  return mean(softmax(matmul(p, q), -1) * p);
                })(a, b);
              },
              x, w),
          make_case(
              "gradient of gather", "gradient", "gather",
              [](const Tensor& a, const Tensor& b) {
                return grad([](const Tensor& p, const Tensor& q) {
                  return sum(index_select(p, 0, arange(3)) * index_select(q, 0, arange(3)));
                })(a, b);
              },
              x, w)};
}

inline std::vector<Case> batching_cases(const Tensor& x) {
  return {make_case(
              "batch of sum", "batching", "sum",
              [](const Tensor& a) {
                return vmap([](const Tensor& r) { return exp(r) / sum(exp(r)); })(a);
              },
              x),
          make_case(
              "batch of exp", "batching", "exp",
              [](const Tensor& a) {
                return vmap([](const Tensor& r) { return sin(r) * exp(r) + 1; })(a);
              },
              x),
          make_case(
              "batch of concatenate", "batching", "concatenate",
              [](const Tensor& a) {
                return vmap([](const Tensor& r) { return concatenate({r, r * 2}, 0) + 1; })(a);
              },
              x)};
}

inline std::vector<Case> pass_cases(const Tensor& x) {
  return {
      make_case(
          "remove_identities", "passes", "remove_identities",
          [](const Tensor& a) { return tanh(exp(a) * 1.0f) + sin(a); }, x),
      make_case(
          "merge_movements", "passes", "merge_movements",
          [](const Tensor& a) { return exp(transpose(transpose(a, 0, 1), 0, 1)) * 2 + sin(a); }, x),
      make_case(
          "fold_constants", "passes", "fold_constants",
          [](const Tensor& a) { return a * (full({8}, 2.0f) + full({8}, 3.0f)) + tanh(a); }, x),
      make_case(
          "relax_arithmetic", "passes", "relax_arithmetic, rule x / c",
          [](const Tensor& a) { return sin(a / 3.0f) + exp(a); }, x),
      make_case(
          "simplify_reductions", "passes", "simplify_reductions",
          [](const Tensor& a) { return tanh(sum(sum(exp(-a), 1), 0) * 0.1f); }, x)};
}

inline std::vector<Case> kernel_cases(const Tensor& x, const Tensor& w) {
  return {
      make_case(
          "a sum is a product", "kernels", "sum",
          [](const Tensor& a) { return tanh(sum(sin(a), 1) * 0.1f) * 2; }, x),
      make_case(
          "a difference is turned around", "kernels", "sub",
          [](const Tensor& a) { return tanh(sin(a) - exp(a)) * 2 + a; }, x),
      make_case(
          "a max is a min", "kernels", "max",
          [](const Tensor& a) { return exp(a) * max(sin(a), 1, true) + 1; }, x),
      make_case(
          "select takes the other value", "kernels", "select",
          [](const Tensor& a) { return tanh(where(a > 1, sin(a), exp(a))) * 2; }, x),
      make_case(
          "exp and sub in one kernel", "fusion", "sub",
          [](const Tensor& a) { return tanh(exp(sin(a)) - a) * 2; }, x),
      make_case(
          "a rewrite of the schedule", "kernels", "sum",
          [](const Tensor& a) { return exp(sin(a) + 0.1f * sum(a, 0)) * 2; }, x),
      make_case(
          "exp takes another logarithm of 2", "kernels", "exp",
          [](const Tensor& a, const Tensor& b) { return matmul(exp(sin(a)), b) + 1; }, x * 20, w),
      make_case(
          "a sum adds a lane twice", "kernels", "sum",
          [](const Tensor& a) { return sum(sin(a), 1) * 2 + 1; }, ramp({4, 64}, -1, 0.1f)),
      make_case(
          "maximum loses NaN", "kernels", "maximum",
          [](const Tensor& a) { return maximum(log(a), 0.5f) * 2; }, x - 3)};
}

inline std::vector<Case> run_cases(const Tensor& x) {
  return {make_case(
              "threads leave out a row", "threads", "sin",
              [](const Tensor& a) { return sin(a) * 2; }, ramp({2048, 1024}, -1, 1e-5f)),
          make_case(
              "an update is written too early", "in-place updates", "flip",
              [](Tensor& a) { a = sin(a) + flip(a, 0); }, x),
          make_case(
              "two temporaries at one place", "memory reuse", "sum",
              [](const Tensor& a) { return max(softmax(a, 0), 1) + sum(matmul(a, a), 0); }, x),
          make_case(
              "a kernel that does not compile", "host compiler", "erf",
              [](const Tensor& a) { return tanh(erf(sin(a))) + 1; }, x),
          make_case(
              "an internal error", "schedule", "cumsum",
              [](const Tensor& a) { return sin(cumsum(exp(a), 1)) + 1; }, x),
          make_case(
              "a kernel that crashes", "crash", "floor",
              [](const Tensor& a) { return sin(floor(exp(a))) + 1; }, x)};
}

inline std::vector<Case> all_cases() {
  const Tensor x = ramp({8, 8}, 0.3f, 0.11f), w = ramp({8, 8}, 0.1f, 0.03f);
  std::vector<Case> result;
  for (const auto& list :
       {gradient_cases(x, w), batching_cases(x), pass_cases(x), kernel_cases(x, w), run_cases(x)}) {
    for (const Case& one : list) result.push_back(one);
  }
  return result;
}

}  // namespace planted
