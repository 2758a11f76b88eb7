// test: moved
// vmap of all public functions: results and gradients equal those of a loop over samples.

#include <doctest/doctest.h>

#include "jit/support.hpp"
#include "moved.hpp"

using namespace testing;

namespace {

using Function = Tensor (*)(const Tensor& x);

struct Case {
  const char* name;
  Function function;
  bool is_smooth = true;
};

// Of f32[4, 6], with numbers between 0 and 1 that all differ.
const Case matrix_cases[]{
    {"softmax", [](const Tensor& x) { return softmax(x, 1); }},
    {"log_softmax", [](const Tensor& x) { return log_softmax(x, 0); }},
    {"logsumexp", [](const Tensor& x) { return logsumexp(x, 1); }},
    {"var", [](const Tensor& x) { return var(x, 1); }},
    {"norm", [](const Tensor& x) { return norm(x); }},
    {"cumsum", [](const Tensor& x) { return cumsum(x, 1); }},
    {"cumprod", [](const Tensor& x) { return cumprod(x, 0); }},
    {"argsort", [](const Tensor& x) { return argsort(x, 1).to(f32); }, false},
    {"sort", [](const Tensor& x) { return sort(x, 1).values; }},
    {"median", [](const Tensor& x) { return median(x); }},
    {"topk", [](const Tensor& x) { return topk(x, 2, 1).values; }},
    {"argmax", [](const Tensor& x) { return argmax(x, 0).to(f32); }, false},
    {"index", [](const Tensor& x) { return x[1] * x[-1]; }},
    {"index by itself", [](const Tensor& x) { return x[argmax(x, 0)]; }},
    {"index_select", [](const Tensor& x) { return index_select(x, 1, argmax(x, 1)); }},
    {"gather", [](const Tensor& x) { return gather(x, 1, argsort(x, 1)); }},
    {"take_along_axis", [](const Tensor& x) { return take_along_axis(x, argsort(x, 0), 0); }},
    {"set", [](const Tensor& x) { return set(x, 2, x[0] * 2); }},
    {"scatter_add", [](const Tensor& x) { return scatter_add(x, 1, argsort(x, 1), x * x); }},
    {"one_hot", [](const Tensor& x) { return one_hot(argmax(x, 1), 6).to(f32); }, false},
    {"where", [](const Tensor& x) { return where(x > 0.5f, x * x, sin(x)); }},
    {"masked_fill", [](const Tensor& x) { return masked_fill(x, x > 0.5f, 2.0f); }},
    {"clamp", [](const Tensor& x) { return clamp(x, 0.2f, 0.7f); }},
    {"concatenate",
     [](const Tensor& x) {
       return concatenate({x, x * 2, x}, 1);
     }},
    {"stack",
     [](const Tensor& x) {
       return stack({x, exp(x)}, 1);
     }},
    {"split", [](const Tensor& x) { return chunk(x, 3, 1)[1]; }},
    {"pad",
     [](const Tensor& x) {
       return pad(x, {{1, 0}, {2, 1}}, 3.0f);
     }},
    {"roll", [](const Tensor& x) { return roll(x, 2, 1); }},
    {"repeat",
     [](const Tensor& x) {
       return repeat(x, {2, 1});
     }},
    {"unfold", [](const Tensor& x) { return unfold(x, 1, 3, 2); }},
    {"tril", [](const Tensor& x) { return tril(x); }},
    {"diagonal", [](const Tensor& x) { return diagonal(x); }},
    {"permute", [](const Tensor& x) { return transpose(x, 0, 1) * 2; }},
    {"matmul", [](const Tensor& x) { return matmul(x, transpose(x, 0, 1)); }},
    {"einsum",
     [](const Tensor& x) {
       return einsum("ij,kj->ik", {x, x});
     }},
    {"layer_norm", [](const Tensor& x) { return layer_norm(x, ones({6}), zeros({6})); }},
    {"gelu", [](const Tensor& x) { return gelu(x) + silu(x) + relu(x - 0.5f); }},
    {"cross_entropy", [](const Tensor& x) { return cross_entropy(x, argmin(x, 1)); }},
    {"atan2", [](const Tensor& x) { return atan2(x, x + 1) + asin(x * 0.9f) + log2(x + 1); }},
    {"floor_divide", [](const Tensor& x) { return floor_divide(x, 0.3f) + remainder(x, 0.3f); },
     false},
    {"attention", [](const Tensor& x) { return scaled_dot_product_attention(x, x * 2, x * 3); }},
};

// Of f32[2, 3, 7, 7].
const Case image_cases[]{
    {"conv2d",
     [](const Tensor& x) {
       return conv2d(x, ones({4, 3, 3, 3}) * 0.1f);
     }},
    {"max_pool2d", [](const Tensor& x) { return max_pool2d(x, 2); }},
    {"avg_pool2d", [](const Tensor& x) { return avg_pool2d(x, 3); }},
    {"group_norm", [](const Tensor& x) { return group_norm(x, 3); }},
};

// Numbers in (0, 1), all different.
Tensor spread(const Shape& shape) {
  const std::int64_t count = numel(shape).value();
  return (remainder(reshape(arange(count), shape) * 37, 101).to(f32) + 0.5f) / 102.0f;
}

template <class F>
bool are_rows(const Tensor& found, const Tensor& x, const F& f) {
  const ScopedDevice host(cpu());  // the reference is computed on the host
  const Tensor rows = found.to(cpu()), inputs = x.to(cpu());
  bool result = true;
  for (int i = 0; i < x.size(0); ++i) {
    result = result && near_tensor(rows[i], f(inputs[i]), 1e-4);
  }
  return result;
}

void check(const Case& test, const Tensor& x) {
  INFO(test.name);
  const bool is_whole = !sinter_test::on_gpu();  // on a GPU two of the four forms are enough
  if (is_whole) CHECK(are_rows(vmap(test.function)(x), x, test.function));
  CHECK(are_rows(compile(vmap(test.function), {.fullgraph = true})(x), x, test.function));
  if (!test.is_smooth) return;
  const auto loss = [&](const Tensor& v) {
    const Tensor y = test.function(v);
    return sum(y * y);
  };
  const Tensor slopes = vmap(grad(loss))(x);
  const auto slope = [&](const Tensor& v) { return grad(loss)(v); };
  CHECK(are_rows(slopes, x, slope));
  if (!is_whole) return;
  const Tensor of_batch = grad([&](const Tensor& v) {
    const Tensor y = vmap(test.function)(v);
    return sum(y * y);
  })(x);
  CHECK(are_rows(of_batch, x, slope));
}

}  // namespace

TEST_CASE("vmap: functions of a matrix, and their gradients") {
  for (const Case& test : matrix_cases) check(test, spread({3, 4, 6}));
}

TEST_CASE("vmap: functions of an image, and their gradients") {
  for (const Case& test : image_cases) check(test, spread({3, 2, 3, 7, 7}));
}
