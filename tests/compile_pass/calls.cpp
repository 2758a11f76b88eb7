// Calls as users write them, which one compiler or the other once refused.

#include <sinter/sinter.hpp>

using namespace sinter;

namespace {

struct Net {
  nn::Linear in{6, 24}, out{24, 3};
  SINTER_MODULE(Net, in, out)
  Tensor forward(const Tensor& x) const { return out(gelu(in(x))); }
};

}  // namespace

void pool(const Tensor& x, const std::vector<std::int64_t>& list) {
  max_pool1d(x, {3}, {.stride = {2}, .padding = {1}});
  max_pool2d(x, {3, 2}, {.stride = {2, 1}});
  max_pool2d(x, 3, {.padding = {1, 1}});
  max_pool2d(x, 3, {.dilation = {1, 2}, .ceil_mode = true});
  max_pool2d(x, 3, {});
  max_pool2d(x, {3, 2}, {2, 1}, {1, 0});
  max_pool2d(x, list, list, list, 1, true);
  max_pool3d(x, {3, 2, 1}, {.stride = {2, 1, 1}});
  avg_pool1d(x, {3}, {.stride = {2}});
  avg_pool2d(x, {3, 2}, {.stride = {2, 1}});
  avg_pool2d(x, 3, {.padding = {1, 1}, .divisor_override = 3});
  avg_pool2d(x, 3, {2, 1}, {1, 1}, true, false, 4);
  avg_pool3d(x, 2, {.stride = {2, 1, 1}});
  const nn::MaxPool2d by_name({3, 2}, {.stride = {2, 1}}), by_list({3, 2}, {2, 1}), one(3, 2, 1);
  const nn::AvgPool2d mean({3, 2}, {.stride = {2, 1}}), mean_by_list({3, 2}, {2, 1}, {1, 1});
}

void convolve(const Tensor& x, const Tensor& weight, const std::optional<Tensor>& bias) {
  const ConvolutionOptions options{.padding = 1};
  conv1d(x, weight, {}, options);
  conv2d(x, weight, {}, {.stride = {2, 1}, .padding = {1, 1}});
  conv2d(x, weight, bias, options);
  conv2d(x, weight, bias);
  conv2d(x, weight, std::nullopt, options);
  conv2d(x, weight, {});
  conv2d(x, weight, {.stride = {2, 1}});
  conv2d(x, weight, ones({3}), {.stride = {2, 1}});
  conv3d(x, weight, {}, options);
  conv_transpose2d(x, weight, {}, {.stride = {1, 1}});
  conv_transpose2d(x, weight, bias, {.output_padding = {0, 0}});
  linear(x, weight, {});
  linear(x, weight, bias);
  linear(x, weight, std::nullopt);
  linear(x, weight, 1.0f);
  interpolate(x, {.scale_factor = {2.0, 2.0}});
  interpolate(x, {.size = {4, 4}});
}

void use_compiled_module(const Tensor& x) {
  auto compiled = compile(Net());
  const auto shared = compile(compiled.module());
  print(compiled.module()), print(compiled), print(to_string(shared));
  nn::eval(compiled), nn::train(shared), nn::to(compiled, f64);
  nn::parameter_count(compiled), nn::named_parameters(shared), nn::named_buffers(shared);
  nn::for_each_parameter(compiled, [](const std::string&, Tensor&) {});
  optim::AdamW adam{.learning_rate = 1e-3f};
  auto [loss, gradients] = value_and_grad(compiled, [&] { return sum(compiled(x)); });
  adam.step(compiled, gradients);
  io::save("net.safetensors", compiled), io::load("net.safetensors", compiled);
}

// One argument that is a tuple is not its parts.
void give_one_tuple(const Tensor& x) {
  const std::tuple both{x, x};
  const auto product = [](const std::tuple<Tensor, Tensor>& pair) {
    return sum(std::get<0>(pair) * std::get<1>(pair));
  };
  const auto doubled = [](const std::tuple<Tensor, Tensor>& pair) {
    return std::tuple{2 * std::get<0>(pair), std::get<1>(pair)};
  };
  grad(product)(both);
  vmap(product)(both);
  checkpoint(product)(both);
  cond(sum(x) > 0, product, product, both);
  while_loop([&](const auto& pair) { return product(pair) < 9; }, doubled, both);
}
