#include <sinter/sinter.hpp>
using namespace sinter;

struct Block {
  nn::LayerNorm norm{64};
  nn::Linear up{64, 256}, down{256, 64};
  SINTER_MODULE(Block, norm, up, down)
  Tensor forward(const Tensor& x) const { return x + down(gelu(up(norm(x)))); }
};

int main() {
  Block block;
  auto fast = compile(block, {.mode = Mode::reduce_overhead});
  Tensor x = randn({32, 64});
  mark_dynamic(x, 0, {.min = 1, .max = 512});
  Tensor y = fast(x);
  Tensor longer = fast(randn({48, 64}));
  print(fast.explain());

  TensorOf<float, "batch", 64> a = randn({32, 64});
  TensorOf<float, 64, 10> w = randn({64, 10});
  TensorOf<float, "batch", 10> z = relu(matmul(a, w)) * 2.0f;

  optim::AdamW adamw{.learning_rate = 1e-3f};
  auto step =
      compile([](Block& model, optim::AdamW& optimizer, const Tensor& input, const Tensor& target) {
        auto [loss, gradients] =
            value_and_grad(model, [&] { return mse_loss(model(input), target); });
        optimizer.step(model, gradients);
        return loss;
      });
  for (int i = 0; i < 100; ++i) step(block, adamw, x, y);
}
