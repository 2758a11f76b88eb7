// Classifies an image: classify_image [resnet18.safetensors image.ppm]
//
// Without arguments it takes random weights and a random image. `convert image.jpg image.ppm` and
// torch's safetensors.torch.save_file(resnet18(weights="DEFAULT").state_dict(), path) write files.
#include <sinter/models.hpp>
#include <sinter/sinter.hpp>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "../command_line.hpp"

using namespace sinter;

const char* const help =
    "classify_image [weights image]\n"
    "  weights   a safetensors file, or a folder with one, of torchvision's resnet18\n"
    "  image     a binary PPM file\n"
    "  Without them weights and image are random.\n";

// A binary PPM, as u8 (height, width, 3).
Tensor read_ppm(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string format;
  std::int64_t width = 0, height = 0;
  int largest = 0;
  file >> format >> width >> height >> largest;
  file.get();
  if (!file || format != "P6" || largest != 255 || width < 1 || height < 1) {
    throw std::runtime_error(path + " is not a P6 file of bytes");
  }
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(3 * width * height));
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!file) throw std::runtime_error(path + " ends too early");
  return from_vector(bytes, {height, width, 3});
}

// What torchvision's weights expect: 224 x 224, with a mean of 0 and a deviation of 1.
Tensor prepare(const Tensor& pixels) {
  const Tensor image = unsqueeze(permute(pixels, {2, 0, 1}), 0).to(f32) / 255;
  const Tensor mean = from_vector<float>({0.485f, 0.456f, 0.406f}, {3, 1, 1});
  const Tensor deviation = from_vector<float>({0.229f, 0.224f, 0.225f}, {3, 1, 1});
  const Tensor scaled = interpolate(image, {.size = {224, 224}, .mode = Interpolation::bilinear});
  return (scaled - mean) / deviation;
}

int run(const std::vector<std::string>& arguments) {
  const bool has_weights = !arguments.empty();
  if (has_weights && arguments.size() != 2) command_line::throw_number_of_arguments();
  auto model = has_weights ? models::resnet18() : models::ResNet({.layers = {1, 1, 1, 1}});
  if (has_weights) models::load_pretrained(model, arguments[0]);
  nn::eval(model);
  const Tensor image = has_weights ? prepare(read_ppm(arguments[1])) : randn({1, 3, 64, 64});
  auto classify = compile(model, {.fullgraph = true});
  const Tensor probabilities = softmax(classify(image), -1)[0];
  const auto [values, classes] = topk(probabilities, 5);
  for (int i = 0; i < 5; ++i) {
    std::printf("class %4lld: %.4f\n", static_cast<long long>(classes[i].item<std::int64_t>()),
                static_cast<double>(values[i].item<float>()));
  }
  const float total = sum(probabilities).item<float>();
  return total > 0.999f && total < 1.001f ? 0 : 1;
}

int main(int argc, char** argv) { return command_line::run(argc, argv, help, run); }
