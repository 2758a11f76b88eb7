// Looking into a model: its table, values and gradients inside of a compiled training step, and
// files that show how the training went.

#include <sinter/sinter.hpp>

#include <sinter/debug/progress.hpp>
#include <sinter/debug/writers.hpp>

#include <cstdio>
#include <map>
#include <string>

using namespace sinter;

struct Block {
  nn::LayerNorm norm{16};
  nn::Linear up{16, 64}, down{64, 16};
  SINTER_MODULE(Block, norm, up, down)

  Tensor forward(const Tensor& x) const { return x + down(observe(gelu(up(norm(x))), "hidden")); }
};

struct Model {
  nn::Linear in{4, 16};
  std::vector<Block> blocks = std::vector<Block>(2);
  nn::Linear head{16, 1};
  SINTER_MODULE(Model, in, blocks, head)

  Tensor forward(Operand x) const {
    Tensor h = in(x);
    for (const Block& block : blocks) h = block(h);
    return head(h);
  }
};

int gradients = 0;

Tensor step(Model& model, optim::AdamW& optimizer, const Tensor& x, const Tensor& y) {
  auto [loss, gradients_of_step] = value_and_grad(model, [&] {
    Tensor error = model(x) - y;
    error = on_gradient(error, [](const Tensor& g) { return clamp(g, -0.1f, 0.1f); });
    error = on_gradient(error, [](const Tensor&) { ++gradients; });
    return mean(square(error));
  });
  optimizer.step(model, gradients_of_step);
  return loss;
}

int main() {
  random::manual_seed(1);
  Model model;
  print(summary(model, TensorSpec{{32, 4}}.dynamic(0)));

  optim::AdamW optimizer{.learning_rate = 0.01};
  const Tensor x = randn({32, 4}), y = sum(x, 1, true);
  auto train = compile(step, {.fullgraph = true});

  SummaryWriter board("30_observe.runs");
  CsvWriter table("30_observe.csv", {"step", "loss"});
  Progress progress(50, "training");
  for (int i = 0; i < 50; ++i) {
    const float loss = train(model, optimizer, x, y).item<float>();
    board.add_scalar("loss", loss, i);
    table.row({i, loss});
    progress.note("loss " + std::to_string(loss));
    progress.step();
  }
  progress.finish();

  std::map<std::string, float> largest;
  {
    const auto seeing = observe(train, "blocks.*", [&](std::string_view name, const Tensor& value) {
      largest[std::string(name)] = max(abs(value)).item<float>();
    });
    train(model, optimizer, x, y);
  }
  train(model, optimizer, x, y);  // nobody looks, and nothing is compiled
  for (const auto& [name, value] : largest) std::printf("%-18s %8.3f\n", name.c_str(), value);

  const bool both = largest.count("blocks.1.hidden") == 1 && largest.count("blocks.0.norm") == 1;
  const Stats stats = train.stats();
  std::printf("%d gradients, %ld graph, %ld breaks, %ld recordings\n", gradients, stats.graphs,
              stats.breaks, stats.recordings);
  return both && gradients == 52 && stats.recordings == 1 && stats.breaks == 0 ? 0 : 1;
}
