// Training from image files: a loader that works ahead, groups of parameters, f16 with a scaled
// loss, averaged parameters, and a learning rate that falls when the loss no longer does.
#include <sinter/data.hpp>
#include <sinter/optim/average.hpp>
#include <sinter/optim/plateau.hpp>
#include <sinter/sinter.hpp>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

using namespace sinter;

// Pictures of a bright bar on a dark ground, upright or lying, as PNG files.
std::vector<std::string> write_pictures(const std::filesystem::path& folder, int count) {
  std::vector<std::string> paths;
  for (int i = 0; i < count; ++i) {
    const std::int64_t height = 20 + i % 5, width = 22 + i % 3, at = 4 + i % 12;
    const Tensor place = i % 2 == 0 ? unsqueeze(arange(height), 1) : arange(width);
    const Tensor bar = where(abs(place - at) <= 2, 230, 20).to(u8);
    paths.push_back((folder / (std::to_string(i) + ".png")).string());
    data::write_png(paths.back(), expand(bar, {3, height, width}));
  }
  return paths;
}

struct Pictures {
  std::vector<std::string> paths;

  std::size_t size() const { return paths.size(); }
  std::pair<Tensor, int> operator[](std::size_t index) const {
    const Tensor image = data::read_image(paths[index], data::ImageMode::rgb);
    const Tensor square = data::center_crop(image, {20, 20});
    const bool flips = data::example_seed() % 2 == 0;  // the same for any number of workers
    return {flips ? data::horizontal_flip(square) : square, static_cast<int>(index % 2)};
  }
};

struct Net {
  nn::Conv2d features{3, 8, 5};
  nn::Linear head{8, 2};
  SINTER_MODULE(Net, features, head)

  Tensor forward(const Tensor& pixels) const {
    const Tensor x = data::normalize(data::resize(pixels, {16, 16}), {0.5}, {0.25});
    return head(amax(relu(features(x)), {2, 3}));
  }
};

struct Training {
  optim::AdamW optimizer = optim::AdamW{.learning_rate = 1e-2f, .weight_decay = 0.1f}
                               .group("*.bias", {.weight_decay = 0.0f})
                               .group("head", {.learning_rate = 2e-2f});
  amp::GradScaler scaler{.init_scale = 1024};
  optim::ExponentialMovingAverage average{.decay = 0.9f};
  SINTER_MODULE(Training, optimizer, scaler, average)
};

Tensor train_step(Net& net, Training& training, const Tensor& images, const Tensor& labels) {
  auto [loss, gradients] = value_and_grad(net, [&] {
    const amp::ScopedAutocast scope(f16);
    return training.scaler.scale(cross_entropy(net(images), labels));
  });
  const Tensor scale = training.scaler.current.tensor();
  auto unscaled = training.scaler.unscale(gradients);
  clip_grad_norm(unscaled, 1.0);
  training.scaler.step(training.optimizer, net, unscaled);
  training.average.update(net);
  return loss / scale;
}

int main() {
  random::manual_seed(3);
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / "sinter_32_training_data";
  std::filesystem::create_directories(folder);
  const Pictures pictures{write_pictures(folder, 48)};

  Net net;
  Training training;
  const auto step = compile(train_step);
  data::Loader loader(pictures, {.batch_size = 16, .shuffle = true, .seed = 1, .workers = 2});
  optim::ReduceLROnPlateau plateau{.factor = 0.5, .patience = 2};
  double mean = 0;
  for (int epoch = 0; epoch < 12; ++epoch) {
    mean = 0;
    for (auto& [images, labels] : loader) {
      mean +=
          step(net, training, images, labels).item<double>() / static_cast<double>(loader.size());
    }
    plateau.step(training.optimizer, mean);
    if (epoch % 3 == 0) std::printf("epoch %2d: loss %.4f\n", epoch, mean);
  }

  training.average.swap(net);  // evaluate with the averages; swap back to train on
  data::Loader test(pictures, {.batch_size = 48});
  double right = 0;
  for (auto& [images, labels] : test) {
    right += sum(argmax(net(images), 1) == labels).item<double>();
  }
  training.average.swap(net);
  std::filesystem::remove_all(folder);
  const auto recordings = step.stats().recordings;
  std::printf("%.0f of 48 right, %lld recording\n", right, static_cast<long long>(recordings));
  return right > 44 && recordings == 1 && step.stats().breaks == 0 ? 0 : 1;
}
