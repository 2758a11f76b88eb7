// Kernels of your own in the graph: C++ text and a host function, with gradients.
#include <sinter/sinter.hpp>

#include <atomic>

using namespace sinter;

// Elementwise: a function of values. It is fused with what is around it.
const auto swish = custom_op<"demo::swish">({
    .cpp = "float swish(float x) { return x / (1 + __builtin_expf(-x)); }",
    .reference = [](const Tensor& x) { return x / (1 + exp(-x)); },  // gradient, vmap, GPUs
});

// Of whole tensors: pointers to operands, pointers to results, sizes.
const auto row_sums = custom_op<"demo::row_sums">({
    .shape =
        [](const TensorSpec& x) {
          return TensorSpec{{x.shape[0]}, x.dtype};
        },
    .cpp = R"(
void row_sums(const float* x, float* y, long rows, long columns) {
  for (long i = 0; i < rows; ++i) {
    y[i] = 0;
    for (long j = 0; j < columns; ++j) y[i] += x[i * columns + j];
  }
})",
    .reference = [](const Tensor& x) { return sum(x, 1); },
});

// A function of this program, called at its place in each replay.
std::atomic<int> calls{0};
void clamp_negative(std::span<const RawTensor> in, std::span<const RawTensor> out) {
  ++calls;
  const float* const x = in[0].data<float>();
  for (std::int64_t i = 0; i < in[0].numel(); ++i) out[0].data<float>()[i] = x[i] < 0 ? 0 : x[i];
}
const auto clamped = custom_op<"demo::clamped">({
    .call = clamp_negative,
    .backward = [](const Tensor& x, const Tensor&, const Tensor& g) { return where(x > 0, g, 0); },
});

Tensor own(const Tensor& x) { return row_sums(clamped(swish(sin(x))) * 2); }
Tensor usual(const Tensor& x) {
  const Tensor y = sin(x);
  return sum(relu(y / (1 + exp(-y))) * 2, 1);
}

bool near(const Tensor& a, const Tensor& b) {
  return static_cast<bool>(allclose(a, b, 1e-4f, 1e-4f));
}

int main() {
  const auto fast = compile(own, {.fullgraph = true});
  Tensor x = randn({5, 8});
  mark_dynamic(x, 0);
  bool is_right = near(fast(x), usual(x));
  is_right = is_right && near(fast(randn({7, 8}) * 0), zeros({7}));
  is_right = is_right && fast.stats().graphs == 1 && fast.stats().recompiles == 0 && calls == 2;

  const auto total = [](const Tensor& v) { return sum(own(v)); };
  const auto expected = [](const Tensor& v) { return sum(usual(v)); };
  is_right = is_right && near(compile(grad(total))(x), grad(expected)(x));
  print(fast(x));
  return is_right ? 0 : 1;
}
