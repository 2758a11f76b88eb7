// Planning: from the recorded graph of a training step to the text of every kernel. The step is
// that of a stack of transformer blocks with their gradients and AdamW.
//   host, GPU   the target; the size is the number of operations
// The bound of the larger graphs is what the smallest takes, times the ratio of operations to the
// power of 1.1.

#include <cmath>

#include <sinter/codegen/cpp/emit_cpp.hpp>
#include <sinter/codegen/cuda/emit_cuda.hpp>
#include <sinter/pass/pipeline.hpp>
#include <sinter/schedule/gpu_target.hpp>
#include <sinter/schedule/host_target.hpp>
#include <sinter/schedule/plan.hpp>
#include <sinter/sinter.hpp>
#include <sinter/trace/core/extract.hpp>

#include "measure.hpp"
#include "report.hpp"

namespace {

using namespace sinter;
using namespace sinter::detail;

struct Stack {
  std::vector<nn::TransformerEncoderLayer> layers{};
  SINTER_MODULE(Stack, layers)
};

/// The step as a graph, with the outputs that are new values of inputs.
struct Step {
  Graph graph{};
  Vector<schedule::Update> updates{};
};

nn::TransformerEncoderLayer block() {
  return nn::TransformerEncoderLayer(64, 4,
                                     {.dim_feedforward = 256,
                                      .dropout = 0,
                                      .activation = nn::Activation::gelu,
                                      .batch_first = true,
                                      .norm_first = true});
}

// The new value and moments of `parameter`, by AdamW written out.
void update(const Tensor& parameter, const Tensor& gradient, std::vector<Tensor>& inputs,
            std::vector<Tensor>& outputs) {
  const Tensor mean = full(parameter.shape(), 0.5f), square_mean = full(parameter.shape(), 0.5f);
  const Tensor new_mean = 0.9f * mean + 0.1f * gradient;
  const Tensor new_square_mean = 0.999f * square_mean + 0.001f * square(gradient);
  for (const Tensor& each : {parameter, mean, square_mean}) inputs.push_back(each);
  outputs.push_back(0.999f * parameter - 0.001f * new_mean / (sqrt(new_square_mean) + 1e-8f));
  outputs.push_back(new_mean), outputs.push_back(new_square_mean);
}

Step step_of(std::size_t blocks) {
  Stack stack;
  for (std::size_t i = 0; i < blocks; ++i) stack.layers.push_back(block());
  const Tensor x = full({2, 128, 64}, 0.5f);
  const auto [loss, gradients] = value_and_grad(stack, [&] {
    Tensor h = x;
    for (const auto& layer : stack.layers) h = layer(h);
    return mean(square(h));
  });
  std::vector<Tensor> inputs, outputs;
  nn::for_each_parameter(stack, [&](const std::string& path, Tensor& value) {
    update(value, gradients[path], inputs, outputs);
  });
  Step result;
  Extractor extractor(result.graph);
  for (const Tensor& each : inputs) extractor.add_input(each);
  extractor.add_input(x);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    result.graph.outputs.push_back(extractor.add(outputs[i]));
    result.updates.push_back({static_cast<std::int32_t>(i), static_cast<std::int32_t>(i)});
  }
  result.graph.outputs.push_back(extractor.add(loss));
  return result;
}

// Plans `step` and writes its kernels. Returns the number of characters.
std::size_t write(const Step& step, const schedule::Target& target) {
  const Graph graph = pass::optimize(step.graph, {});
  const schedule::Plan plan =
      schedule::plan(graph, {.updates = step.updates, .row_tiles = true, .target = target});
  std::size_t result = 0;
  for (const schedule::Kernel& kernel : plan.kernels) {
    result += target.streams() ? codegen::emit_cuda(kernel, {.target = target}).text.size()
                               : codegen::emit_cpp(kernel, {.target = target}).text.size();
  }
  return result;
}

std::size_t operations(const Graph& graph) {
  std::size_t count = 0;
  for (const Node& node : graph.nodes) count += info(node.op).kind != OpKind::leaf;
  return count;
}

void measure(const bench::Report& report, const std::string& name, const schedule::Target& target) {
  double first = 0, first_count = 0;
  for (const std::size_t blocks : {1, 2, 12, 48, 200}) {
    const Step step = step_of(blocks);
    const auto count = static_cast<double>(operations(step.graph));
    const double seconds =
        bench::fastest_of([&] { return bench::seconds([&] { bench::keep(write(step, target)); }); },
                          blocks < 48 ? 7 : 1);
    const std::string size = name + " " + std::to_string(static_cast<int>(count));
    if (first == 0) {
      first = seconds, first_count = count;
      report.add({.problem = {},
                  .size = size,
                  .sinter = seconds,
                  .peer = seconds,
                  .peer_name = "itself",
                  .target = 0});
      continue;
    }
    report.add_bound(size, 1, seconds, first * std::pow(count / first_count, 1.1));
  }
}

}  // namespace

int main() {
  const bench::Report report("planning");
  measure(report, "host", schedule::host_target());
  measure(report, "GPU", schedule::gpu_target());
}
