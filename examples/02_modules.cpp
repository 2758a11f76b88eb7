// Modules: plain structs whose members are listed once; when compiled, their tensors are inputs.
#include <sinter/layers.hpp>
#include <sinter/sinter.hpp>

#include <cstdio>
#include <vector>

using namespace sinter;

struct Block {
  nn::LayerNorm norm{8};
  nn::Linear up{8, 32}, down{32, 8};
  SINTER_MODULE(Block, norm, up, down)

  Tensor forward(const Tensor& x) const { return x + down(gelu(up(norm(x)))); }
};

struct Model {
  std::vector<Block> blocks = std::vector<Block>(2);
  nn::Linear head{8, 3};
  float scale = 1.0f;
  SINTER_MODULE(Model, blocks, head, scale)

  Tensor forward(Tensor x) const {
    for (const Block& block : blocks) x = block(x);
    return head(x) * scale;
  }
};

struct Upscaler {
  nn::ReflectionPad2d around{1};
  nn::Conv2d features{1, 8, 3};
  nn::ConvTranspose2d wider{8, 4, 2, {.stride = 2}};
  nn::PixelShuffle shuffle{2};
  SINTER_MODULE(Upscaler, around, features, wider, shuffle)

  Tensor forward(const Tensor& x) const { return shuffle(wider(relu(features(around(x))))); }
};

int main() {
  Model model;
  for (const auto& [name, parameter] : nn::named_parameters(model)) {
    std::printf("%-22s %s\n", name.c_str(), to_string(parameter).c_str());
  }
  std::printf("%lld numbers\n", static_cast<long long>(nn::parameter_count(model)));

  auto compiled = compile(model);  // keeps a reference to the model
  const Tensor x = randn({4, 8});
  compiled(x);
  model.head.weight = zeros({3, 8});  // a tensor: the next call uses it
  model.head.bias = ones({3});
  const Tensor same = compiled(x);
  const bool replayed = compiled.stats().recompiles == 0;
  model.scale = 2.0f;  // a plain number, part of the recording: recorded again
  const Tensor twice = compiled(x);

  Upscaler upscaler;  // layers have torch's names
  const nn::SmoothL1Loss loss;
  const Tensor small = randn({2, 1, 8, 8}), large = randn({2, 1, 32, 32});
  const auto [value, gradients] =
      value_and_grad(upscaler, [&] { return loss(upscaler(small), large); });
  std::printf("loss of the upscaler: %s\n", value.item<float>() > 0 ? "computed" : "wrong");

  std::printf("recompiles: %s\n", compiled.explain().recompiles.at(0).c_str());
  const bool right = same[{0, 0}].item<float>() == 1.0f && twice[{0, 0}].item<float>() == 2.0f;
  return right && replayed && compiled.stats().recompiles == 1 ? 0 : 1;
}
