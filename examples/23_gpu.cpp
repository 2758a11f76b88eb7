// The same program on a GPU: tensors and modules are moved there, or created there.
#include <sinter/gpu.hpp>
#include <sinter/sinter.hpp>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

using namespace sinter;

struct Net {
  nn::Linear hidden{4, 32}, output{32, 1};
  SINTER_MODULE(Net, hidden, output)
  Tensor forward(const Tensor& x) const { return output(tanh(hidden(x))); }
};

Tensor train_step(Net& net, optim::AdamW& optimizer, const Tensor& x, const Tensor& y) {
  auto [loss, gradients] = value_and_grad(net, [&] { return mse_loss(net(x), y); });
  optimizer.step(net, gradients);
  return loss;
}

// The first GPU if operations can run on it; otherwise the host, after printing the reason.
Device best_device() {
  const std::string missing = why_not_runnable(cuda());
  if (missing.empty()) return cuda();
  std::printf("no GPU: %s\n", missing.c_str());
  return cpu();
}

// Host data is moved once; results stay on the device.
float train_moved(Device device) {
  const Tensor x = randn({64, 4}).to(device), y = sum(x, 1, true);
  Net net;
  nn::to(net, device);
  optim::AdamW optimizer{.learning_rate = 1e-2f};
  const auto step = compile(train_step);
  Tensor loss;
  for (int i = 0; i < 100; ++i) loss = step(net, optimizer, x, y);
  return loss.item<float>();  // the only time that the host waits
}

// In the scope of a device everything is created there: data, parameters, optimizer state.
float train_made(Device device) {
  const ScopedDevice scope(device);
  const Tensor x = randn({64, 4}), y = sum(x, 1, true);
  Net net;
  optim::AdamW optimizer{.learning_rate = 1e-2f};
  const auto step = compile(train_step, {.mode = Mode::reduce_overhead});
  Tensor loss;
  for (int i = 0; i < 100; ++i) loss = step(net, optimizer, x, y);
  return loss.item<float>();
}

// Each GPU has a copy of the weights and a part of the batch; the parts run concurrently.
Tensor on_all_gpus(const Net& net, const Tensor& x) {
  const auto f = compile([](const Net& n, const Tensor& part) { return n(part); });
  const int count = cuda_device_count();
  const std::vector<Tensor> parts = chunk(x, std::max(1, count));
  std::vector<Tensor> results;
  for (const Tensor& part : parts) {
    const Device device = count == 0 ? cpu() : cuda(static_cast<int>(results.size()));
    Net copy = net;
    nn::to(copy, device);
    results.push_back(f(copy, part.to(device)));
  }
  for (Tensor& result : results) result = result.to(cpu());
  return concatenate(results, 0);
}

// Tensor cores multiply f32 with 11 of its 24 bits, if the program allows it.
Tensor rounded_product(const Tensor& x, const Tensor& w) {
  set_float32_matmul_precision(MatmulPrecision::high);  // or "high"
  const auto f = compile([](const Tensor& a, const Tensor& b) { return matmul(a, b); });
  const Tensor result = f(x, w);
  set_float32_matmul_precision(MatmulPrecision::highest);
  return result;
}

// Tensors on different devices do not combine implicitly.
std::string message_of_a_mistake(Device device) {
  const Tensor here = ones({3}), there = ones({3}).to(device);
  try {
    return to_string(here + there);
  } catch (const DeviceError& error) {
    return error.what();
  }
}

int main() {
  const Device device = best_device();
  random::manual_seed(1);
  const float moved = train_moved(device), made = train_made(device);
  std::printf("on %s: loss %g and %g\n", to_string(device).c_str(), moved, made);

  const Net net;
  const Tensor x = randn({10, 4});
  const bool same = static_cast<bool>(all(abs(on_all_gpus(net, x) - net(x)) < 1e-4f));
  const Tensor there = randn({64, 64}).to(device);
  const bool near =
      max(abs(rounded_product(there, there) - matmul(there, there))).item<float>() < 0.1f;
  if (device.is_cuda()) std::printf("%s\n", message_of_a_mistake(device).c_str());
  return moved < 0.1f && made < 0.1f && same && near ? 0 : 1;
}
