// Fine-tunes the last block of ResNet-18 on handwritten digits: fine_tune [resnet18.safetensors]
//
// The other blocks are frozen: no gradient is computed for them, and they do not change. Without an
// argument the weights of the blocks are random.
#include <sinter/models.hpp>
#include <sinter/sinter.hpp>

#include <cstdio>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../command_line.hpp"
#include "../digits/data.hpp"

using namespace sinter;

const char* const help =
    "fine_tune [weights]\n"
    "  weights   a safetensors file, or a folder with one, of torchvision's resnet18; random\n"
    "            weights without it\n";

// What is trained: the last block, and the head behind it.
bool is_trained(const std::string& name) {
  return name.starts_with("layer4.1.") || name.starts_with("fc.");
}

// 8 x 8 pixels from 0 to 1 as f32[n, 3, 32, 32] with a mean near 0.
Tensor prepare(const Tensor& pixels) {
  const Tensor images = reshape(pixels, {-1, 1, 8, 8});
  const Tensor large = interpolate(images, {.size = {32, 32}, .mode = Interpolation::bilinear});
  return expand((large - 0.3f) / 0.37f, {pixels.size(0), 3, 32, 32});
}

Tensor train_step(models::ResNet& model, optim::AdamW& optimizer, const Tensor& images,
                  const Tensor& digits) {
  const auto loss_of = [&] { return cross_entropy(model(prepare(images)), digits); };
  auto [loss, gradients] = value_and_grad(model, loss_of, is_trained);
  optimizer.step(model, gradients);
  return loss;
}

// The number of images that are classified correctly.
Tensor count_right(const models::ResNet& model, const Tensor& images, const Tensor& digits) {
  return sum(argmax(model(prepare(images)), 1) == digits);
}

double accuracy(const models::ResNet& model, const digits::Images& test) {
  static const auto count = compile(count_right, {.fullgraph = true});
  const digits::Batch batch = make_batch(test, all_rows(test), false);
  return count(model, batch.images, batch.digits).item<double>() / static_cast<double>(test.size());
}

// The names of parameters that differ between the two.
std::vector<std::string> changed(const models::ResNet& model, const models::ResNet& other) {
  std::vector<std::string> result;
  const auto others = nn::named_parameters(other);
  for (std::size_t i = 0; const auto& [name, parameter] : nn::named_parameters(model)) {
    if (any(parameter != others[i++].second).item<bool>()) result.push_back(name);
  }
  return result;
}

int run(const std::vector<std::string>& arguments) {
  if (arguments.size() > 1) command_line::throw_number_of_arguments();
  random::manual_seed(1);
  auto model = models::resnet18();
  if (!arguments.empty()) models::load_pretrained(model, arguments[0]);
  model.fc = nn::Linear(512, 10);  // the new classes
  nn::eval(model);                 // batch norms keep their statistics
  const auto original = model;

  const digits::Data data = digits::read_data(SINTER_DATA_DIR "/digits.csv");
  std::mt19937 random(1);
  optim::AdamW optimizer{.learning_rate = 2e-3f};
  const auto step = compile(train_step, {.fullgraph = true});
  std::printf("before: %.3f of the test images are right\n", accuracy(model, data.test));
  for (int epoch = 0; epoch < 2; ++epoch) {
    for (const digits::Batch& batch : shuffled_batches(data.train, random, true)) {
      step(model, optimizer, batch.images, batch.digits);
    }
    std::printf("epoch %d: %.3f\n", epoch, accuracy(model, data.test));
  }

  for (const std::string& name : changed(model, original)) {
    if (!is_trained(name)) throw std::runtime_error(name + " is frozen, and changed");
  }
  return accuracy(model, data.test) > 0.6 ? 0 : 1;
}

int main(int argc, char** argv) { return command_line::run(argc, argv, help, run); }
