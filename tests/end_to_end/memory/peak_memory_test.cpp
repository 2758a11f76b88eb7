// Peak memory of a training step is close to the lower bound over all orders of its kernels.

#include <doctest/doctest.h>
#include <sinter/pass/pipeline.hpp>
#include <sinter/schedule/gpu_target.hpp>
#include <sinter/schedule/host_target.hpp>
#include <sinter/schedule/plan.hpp>
#include <sinter/sinter.hpp>
#include <sinter/trace/core/extract.hpp>

#include <algorithm>

using namespace sinter;
using namespace sinter::detail;

namespace {

struct Mlp {
  nn::Linear up{64, 256}, down{256, 64};
  SINTER_MODULE(Mlp, up, down)
  Tensor forward(const Tensor& x) const { return x + down(gelu(up(x))); }
};

// The plan of a gradient-descent step on `module`, with in-place updates of the weights.
template <class Module>
schedule::Plan plan_of_step(Module module, const TensorType& type,
                            schedule::Options options = {.target = schedule::host_target()}) {
  Recorder recorder;
  const RecorderScope scope(&recorder);
  std::vector<Tensor> before;
  nn::for_each_parameter(module, [&](const auto&, Tensor& value) {
    value = recorder.placeholder(value.type());
    before.push_back(value);
  });
  const Tensor x = recorder.placeholder(type), target = recorder.placeholder(type);
  auto [loss, gradients] = value_and_grad(module, [&] { return mse_loss(module(x), target); });
  Graph graph;
  Extractor extractor(graph, &recorder);
  for (const Tensor& value : before) extractor.add_input(value);
  std::int32_t next = 0;
  for (const auto& [name, gradient] : gradients) {
    const auto i = static_cast<std::size_t>(next);
    graph.outputs.push_back(extractor.add(before[i] - 0.01f * gradient));
    options.updates.push_back({next, next});
    ++next;
  }
  graph.outputs.push_back(extractor.add(loss));
  return schedule::plan(pass::optimize(graph), options);
}

// The peak number of arena bytes in use.
std::int64_t most_live_bytes(const schedule::Plan& plan) {
  std::vector<std::size_t> first(plan.buffers.size(), plan.launches.size()), last(first.size(), 0);
  for (std::size_t i = 0; i < plan.launches.size(); ++i) {
    for (const std::int32_t id : plan.launches[i].buffers) {
      const auto at = static_cast<std::size_t>(id);
      first[at] = std::min(first[at], i), last[at] = i;
    }
  }
  std::int64_t most = 0;
  for (std::size_t i = 0; i < plan.launches.size(); ++i) {
    std::int64_t live = 0;
    for (std::size_t id = 0; id < first.size(); ++id) {
      const bool counts = plan.buffers[id].home == schedule::Home::arena;
      if (counts && first[id] <= i && i <= last[id]) live += bytes_of(plan.buffers[id]).number();
    }
    most = std::max(most, live);
  }
  return most;
}

}  // namespace

TEST_CASE("peak_memory: buffers of a step are packed without gaps at the peak") {
  const nn::TransformerEncoderLayer block(64, 4,
                                          {.dim_feedforward = 256,
                                           .dropout = 0,
                                           .activation = nn::Activation::gelu,
                                           .batch_first = true,
                                           .norm_first = true});
  for (const bool gpu : {false, true}) {
    const schedule::Options options{
        .row_tiles = gpu, .target = gpu ? schedule::gpu_target() : schedule::host_target()};
    for (const schedule::Plan& plan : {plan_of_step(Mlp(), {f32, {512, 64}}, options),
                                       plan_of_step(block, {f32, {4, 64, 64}}, options)}) {
      const std::int64_t least = most_live_bytes(plan);
      INFO("arena ", plan.arena_bytes.number(), ", needed at once ", least);
      // A GPU plan has more buffers, some of them small.
      CHECK(plan.arena_bytes.number() <= least + least / (gpu ? 16 : 32));
    }
  }
}

TEST_CASE("peak_memory: a weight is updated as soon as that frees the operands of its gradient") {
  constexpr std::int64_t rows = 4096, width = 64, wide = 256, size = 4;
  // The input of the activation, which its gradient overwrites, its output, and two results' worth
  // of gradients; a few percent for column sums and their partial sums.
  const std::int64_t most = size * rows * (2 * wide + 2 * width);
  const schedule::Plan plan = plan_of_step(Mlp(), {f32, {rows, width}});
  CHECK(plan.arena_bytes.number() <= most + most / 100);
  const schedule::Plan on_gpu = plan_of_step(Mlp(), {f32, {rows, width}},
                                             {.row_tiles = true, .target = schedule::gpu_target()});
  CHECK(on_gpu.arena_bytes.number() <= most + most / 10);
}

TEST_CASE("peak_memory: nothing as large as attention's scores is saved for the backward pass") {
  constexpr std::int64_t length = 512, width = 64, heads = 4, wide = 256, size = 4;
  const nn::TransformerEncoderLayer block(width, heads,
                                          {.dim_feedforward = wide,
                                           .dropout = 0,
                                           .activation = nn::Activation::gelu,
                                           .batch_first = true,
                                           .norm_first = true});
  const schedule::Plan plan = plan_of_step(block, {f32, {1, length, width}},
                                           {.row_tiles = true, .target = schedule::host_target()});
  // The attention weights and the gradient of the scores, while both are live, and the rest of the
  // step.
  const std::int64_t scores = size * heads * length * length;
  CHECK(plan.arena_bytes.number() <= 2 * scores + size * length * (2 * wide + 12 * width));
}

TEST_CASE("peak_memory: on a GPU attention's scores are never materialized") {
  constexpr std::int64_t batch = 2, length = 1024, width = 64, heads = 4, wide = 256, size = 4;
  const nn::TransformerEncoderLayer block(width, heads,
                                          {.dim_feedforward = wide,
                                           .dropout = 0,
                                           .activation = nn::Activation::gelu,
                                           .batch_first = true,
                                           .norm_first = true});
  const TensorType x{f32, {batch, length, width}};
  const std::int64_t scores = size * batch * heads * length * length;
  CHECK(plan_of_step(block, x, {.target = schedule::gpu_target()}).arena_bytes.number() >
        2 * scores);
  const schedule::Plan plan =
      plan_of_step(block, x, {.row_tiles = true, .target = schedule::gpu_target()});
  CHECK(plan.arena_bytes.number() <= size * batch * length * (2 * wide + 16 * width));
}
