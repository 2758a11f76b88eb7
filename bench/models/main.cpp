// Whole models with random weights, on one image or a text of 128 words, against torch.compile in
// its best mode (max-autotune, parameters frozen). Their results are compared first: on both sides,
// weights and inputs are the same functions of name and position.
//   bert    the encoder of BERT-base: 12 layers of width 768, post-norm
//   gpt2    GPT-2 small: 12 layers of width 768, pre-norm, causal, with its 50257 words
//   resnet  ResNet-18 for images of 224 x 224

#include <cmath>
#include <sstream>

#include "comparison.hpp"

namespace {

using bench::Sizes;
using sinter::Tensor;
namespace nn = sinter::nn;
using Layer = nn::TransformerEncoderLayer;

constexpr std::int64_t width = 768, heads = 12, depth = 12, words = 50257;

struct Bert {
  nn::Embedding word{30522, width}, position{512, width};
  nn::LayerNorm norm{width, {.eps = 1e-12}};
  std::vector<Layer> layers{};
  nn::Linear pooler{width, width};
  SINTER_MODULE(Bert, word, position, norm, layers, pooler)
  Tensor forward(const Tensor& ids) const {
    const Tensor positions = sinter::arange(ids.size(1));
    Tensor h = norm(word(ids) + position(positions));
    for (const Layer& layer : layers) h = layer(h);
    return sinter::tanh(pooler(h[{sinter::all, 0}]));
  }
};

struct Gpt {
  nn::Embedding word{words, width}, position{1024, width};
  std::vector<Layer> layers{};
  nn::LayerNorm norm{width};
  SINTER_MODULE(Gpt, word, position, layers, norm)
  Tensor forward(const Tensor& ids) const {
    const Tensor positions = sinter::arange(ids.size(1));
    Tensor h = word(ids) + position(positions);
    for (const Layer& layer : layers) h = layer(h, {}, {}, true);
    return sinter::matmul(norm(h), sinter::transpose(word.weight, 0, 1));
  }
};

// Two convolutions and a shortcut that adapts the shape.
struct Residual {
  nn::Conv2d conv1, conv2;
  nn::BatchNorm2d bn1, bn2;
  std::optional<nn::Conv2d> shortcut{};
  std::optional<nn::BatchNorm2d> shortcut_bn{};
  SINTER_MODULE(Residual, conv1, conv2, bn1, bn2, shortcut, shortcut_bn)

  Residual(std::int64_t in, std::int64_t out)
      : conv1(in, out, 3, {.stride = in == out ? 1 : 2, .padding = 1, .bias = false}),
        conv2(out, out, 3, {.padding = 1, .bias = false}),
        bn1(out),
        bn2(out) {
    if (in == out) return;
    shortcut.emplace(in, out, 1, nn::ConvOptions{.stride = 2, .bias = false});
    shortcut_bn.emplace(out);
  }
  Tensor forward(const Tensor& x) const {
    const Tensor h = bn2(conv2(sinter::relu(bn1(conv1(x)))));
    return sinter::relu(h + (shortcut ? (*shortcut_bn)((*shortcut)(x)) : x));
  }
};

struct Resnet {
  nn::Conv2d conv1{3, 64, 7, {.stride = 2, .padding = 3, .bias = false}};
  nn::BatchNorm2d bn1{64};
  std::vector<Residual> blocks{{64, 64},   {64, 64},   {64, 128},  {128, 128},
                               {128, 256}, {256, 256}, {256, 512}, {512, 512}};
  nn::Linear last{512, 1000};
  SINTER_MODULE(Resnet, conv1, bn1, blocks, last)
  Tensor forward(const Tensor& x) const {
    Tensor h = sinter::max_pool2d(sinter::relu(bn1(conv1(x))), 3, {.stride = 2, .padding = 1});
    for (const Residual& block : blocks) h = block(h);
    return last(sinter::mean(h, {2, 3}));
  }
};

Layer make_layer(bool norm_first) {
  return Layer(width, heads,
               {.dim_feedforward = 4 * width,
                .dropout = 0,
                .activation = nn::Activation::gelu,
                .batch_first = true,
                .norm_first = norm_first});
}

// The elements of the parameter with this name, the same as in torch_peer.py.
void fill(const std::string& name, Tensor& tensor) {
  std::uint32_t state = 1;
  for (const char letter : name) state = state * 31 + static_cast<unsigned char>(letter);
  const auto count = static_cast<std::size_t>(tensor.numel().value());
  const bool is_gain = tensor.ndim() == 1 && name.find("weight") != std::string::npos;
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t hashed = (static_cast<std::uint32_t>(i) + state) * 2654435761u;
    values[i] = static_cast<float>(hashed >> 8) / 16777216.0f - 0.5f;
    values[i] = is_gain ? 1 + 0.1f * values[i] : 0.08f * values[i];
  }
  tensor = sinter::from_vector(values, tensor.shape());
}

// Whether the first results equal those of the peer, within the error of reordered sums.
bool agrees(const std::string& name, bench::Peer& peer, const Tensor& result) {
  const std::vector<float> own = result.to_vector<float>();
  std::istringstream other(peer.tell(name, sinter::detail::runtime::num_threads()));
  float value = 0, worst = 0, largest = 0;
  std::size_t count = 0;
  for (; count < own.size() && other >> value; ++count) {
    worst = std::max(worst, std::abs(value - own[count]));
    largest = std::max(largest, std::abs(value));
  }
  if (count == 0) return true;  // there is no peer
  if (worst <= 1e-3f * largest) return true;
  std::printf("%s: differs from torch by %g of %g\n", name.c_str(), worst, largest);
  return false;
}

template <class Model>
void measure(const bench::Report& report, bench::Peer& peer, const std::string& name, Model model,
             const Sizes& sizes, const Tensor& input, bench::Work work, bench::Aim aim) {
  nn::for_each_parameter(model, [](const std::string& path, Tensor& value) { fill(path, value); });
  nn::eval(model);
  double bytes = 0;
  nn::for_each_parameter(model,
                         [&](const auto&, Tensor& value) { bytes += bench::bytes_of(value); });
  work.bytes += bytes;
  const Tensor result = sinter::compile(model)(input);
  if (!agrees(name + " " + bench::size_text(sizes), peer, result)) return;
  bench::Match(report, peer, name, sizes, work, std::move(aim)).run([&] {
    return [&, f = sinter::compile(model)] { bench::keep(f(input)); };
  });
}

// The multiply-adds of the layers for one text.
double operations(double length) {
  return depth * length * (24.0 * width * width + 4 * length * width);
}

Tensor text_of(std::int64_t length) {
  std::vector<std::int64_t> ids(static_cast<std::size_t>(length));
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<std::int64_t>(i * 7919 % 30000);
  return sinter::from_vector(ids, {1, length});
}

}  // namespace

int main() {
  const bench::Report report("models");
  bench::Peer peer(SINTER_BENCH_DIR "/models/torch_peer.py");
  // Only on all threads: the best mode takes minutes to compile a model.
  const auto against = [](const std::string& kind, double least) {
    return bench::Aim{.peers = {"eager", kind}, .of_peers = least, .on_one_thread = false};
  };
  for (const std::int64_t length : {std::int64_t{128}, bench::draw(20, 400)}) {
    const auto count = static_cast<double>(length);
    Bert bert;
    bert.layers.assign(depth, make_layer(false));
    measure(report, peer, "bert", std::move(bert), {1, length}, text_of(length),
            {-4.0 * 30522 * width, operations(count)},
            against(length == 128 ? "best" : "compile", 2));
  }
  Gpt gpt;
  gpt.layers.assign(depth, make_layer(true));
  measure(report, peer, "gpt2", std::move(gpt), {1, 128}, text_of(128),
          {4.0 * 128 * words, operations(128) + 2.0 * 128 * width * words}, against("best", 2));
  measure(report, peer, "resnet", Resnet{}, {1, 3, 224, 224}, bench::numbers({1, 3, 224, 224}),
          {0, 3.63e9}, against("best", 1.1));
}
