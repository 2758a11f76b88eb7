// The time of a data parallel training step of GPT-2 on 8 to 4,096 GPUs: the launches of the
// library's own plan, with the times of each, on a stream that computes and one that communicates.
//
//   bench_simulate plan ALONE SHARED       the launches of one rank and of many, planned for sm_90,
//                                          with roofline times, to two files
//   bench_simulate measure ALONE SHARED    the same, with times that are measured on the GPU here
//   bench_simulate curve ALONE SHARED      the table of them
//   mpirun -n N bench_simulate check       a step on this machine, simulated and measured
//
// ./simulate runs them.

#include <cmath>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <thread>

#include <sinter/debug/communication.hpp>
#include <sinter/models.hpp>

#include "../measure.hpp"
#include "gpus.hpp"
#include "launches.hpp"

using namespace sinter;
using bench::Launch;

namespace {

// An H200: https://www.nvidia.com/en-us/data-center/h200. Its launch is chosen.
constexpr bench::GpuRoof h200{.bytes_per_second = 4.8e12,
                              .operations_per_second = 67e12,
                              .operations_per_second_16 = 989e12,
                              .launch = 1.5e-6};
constexpr int batch = 8, length = 1024;

Tensor gpt2_step(models::GPT2& model, optim::AdamW& optimizer, const Tensor& tokens,
                 const Tensor& targets) {
  auto [loss, gradients] = value_and_grad(model, [&] {
    const amp::ScopedAutocast autocast(bf16);
    const Tensor logits = model(tokens);
    return cross_entropy(flatten(logits, 0, 1).to(f32), flatten(targets));
  });
  dist::all_reduce(gradients);
  optimizer.step(model, gradients);
  return loss;
}

std::vector<Launch> planned_gpt2(int ranks) {
  models::GPT2 model;
  optim::AdamW optimizer{.learning_rate = 1e-4f};
  const auto step = compile(gpt2_step, {.fullgraph = true});
  const auto target = bench::plans::Target::named("sm_90");
  return bench::planned_launches(ranks, target, h200, [&] {
    step.prepare(model, optimizer, TensorSpec{{batch, length}, i64},
                 TensorSpec{{batch, length}, i64});
  });
}

std::vector<Launch> measured_gpt2(int ranks) {
  const ScopedDevice device(cuda());
  models::GPT2 model;
  optim::AdamW optimizer{.learning_rate = 1e-4f};
  const Tensor tokens = randint(0, 50257, {batch, length}),
               targets = randint(0, 50257, {batch, length});
  const auto step = compile(gpt2_step, {.fullgraph = true});
  bench::MeasuredStep measured(ranks,
                               [&] { step(model, optimizer, tokens, targets).item<float>(); });
  for (int i = 0; i < 20; ++i) measured.measure();
  return measured.launches();
}

void write_file(const char* path, const std::vector<Launch>& launches) {
  std::ofstream file(path);
  bench::write(file, launches);
  if (!file.flush()) throw std::runtime_error(std::string(path) + " cannot be written");
}

std::vector<Launch> read_file(const char* path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(std::string(path) + " cannot be read");
  return bench::read_launches(file);
}

// The same launches by kernels that reach a share of the roof.
std::vector<Launch> at_share_of_roof(std::vector<Launch> launches, double share) {
  for (Launch& launch : launches) launch.seconds /= share;
  return launches;
}

double seconds_alone(const std::vector<Launch>& launches) {
  return bench::simulate(launches, [](const Launch&) { return 0.0; }).seconds;
}

bench::StepTime on_gpus(const std::vector<Launch>& launches, int count) {
  const bench::Gpus gpus;
  return bench::simulate(launches, [&](const Launch& launch) {
    return gpus.seconds(launch.name, launch.bytes, count);
  });
}

// A row for each number of GPUs; kernels at the roof, and at half of it.
void print_curve(const std::vector<Launch>& alone, const std::vector<Launch>& shared) {
  double bytes = 0;
  int buckets = 0;
  for (const Launch& launch : shared) bytes += launch.bytes, buckets += launch.bucket >= 0;
  std::printf("%zu launches alone, %zu shared; %d buckets of %.0f MB in all\n\n", alone.size(),
              shared.size(), buckets / 2, 1e-6 * bytes);
  std::printf(
      "| GPUs | step at the roof | efficiency | hidden | step at half | efficiency | "
      "hidden |\n|---|---|---|---|---|---|---|\n");
  for (int count = 1; count <= 4096; count *= count == 1 ? 8 : 2) {
    std::printf("| %d |", count);
    for (const double share : {1.0, 0.5}) {
      const double one = seconds_alone(at_share_of_roof(alone, share));
      const auto time =
          count == 1 ? bench::StepTime{one} : on_gpus(at_share_of_roof(shared, share), count);
      std::printf(" %.2f ms | %.1f %% | ", 1e3 * time.seconds, 100 * one / time.seconds);
      if (count == 1) std::printf("|");
      if (count > 1) std::printf("%.0f %% |", 100 * time.hidden());
    }
    std::printf("\n");
  }
}

struct Stack {
  std::vector<nn::TransformerEncoderLayer> layers{};
  SINTER_MODULE(Stack, layers)

  Stack() {
    for (int i = 0; i < 4; ++i) {
      layers.emplace_back(512, 8,
                          nn::TransformerEncoderLayerOptions{
                              .dropout = 0, .batch_first = true, .norm_first = true});
    }
  }
  Tensor forward(Tensor x) const {
    for (const auto& layer : layers) x = layer(x);
    return x;
  }
};

Tensor stack_step(Stack& model, optim::AdamW& optimizer, const Tensor& x) {
  auto [loss, gradients] = value_and_grad(model, [&] { return mean(square(model(x))); });
  dist::all_reduce(gradients);
  optimizer.step(model, gradients);
  return loss;
}

// alpha and 1 / beta of MPI here: the line through the fastest all_reduces of 1 and of 16 MB.
struct Mpi {
  double latency = 0, seconds_per_byte = 0;

  void measure() {
    constexpr int small = 1 << 20, large = 16 << 20;
    const auto timed = [](int bytes) {
      const Tensor x = full({bytes / 4}, 1.0f);
      x.data<float>();
      double fastest = 1e300;
      for (int i = 0; i < 9; ++i) {
        dist::barrier();
        fastest = std::min(fastest, bench::seconds([&] { dist::all_reduce(x).data<float>(); }));
      }
      return fastest;
    };
    const double one = timed(small), many = timed(large);
    seconds_per_byte = std::max(0.0, (many - one) / (large - small));
    latency = std::max(0.0, one - small * seconds_per_byte);
  }
  double operator()(const Launch& launch) const {
    return latency + launch.bytes * seconds_per_byte;
  }
};

// Threads that share the processors equally: how fast each of two streams is beside the other,
// where every rank has a thread for each of them.
bench::Speeds speeds_of(int ranks) {
  const double processors = static_cast<double>(std::thread::hardware_concurrency()) / ranks;
  const double speed = std::min(1.0, processors / 2) / std::min(1.0, processors);
  return {speed, speed};
}

void check() {
  const dist::World world({.answer_timeout = 60});  // the machine may be loaded
  set_num_threads(1);
  random::manual_seed(0);
  Stack model;
  optim::AdamW optimizer{.learning_rate = 1e-4f};
  const Tensor x = randn({2, 64, 512});
  const auto step = compile(stack_step, {.fullgraph = true});
  const auto run = [&] { step(model, optimizer, x).item<float>(); };
  bench::MeasuredStep measured(world.size(), run);
  run();
  Mpi mpi;
  double seconds = 1e300;  // of the fastest call: others on the machine only add to it
  for (int round = 0; round < 25; ++round) {
    dist::barrier();
    measured.measure();
    dist::barrier();
    seconds = std::min(seconds, bench::seconds(run));
  }
  if (world.size() > 1) mpi.measure();
  const auto communicated = communication(profile(run, {.calls = 5}));
  const std::vector<Launch> launches = measured.launches();
  const auto time = bench::simulate(launches, mpi, speeds_of(world.size()));
  if (world.rank() != 0) return;
  char line[64] = "-";
  if (world.size() > 1) {
    std::snprintf(line, sizeof(line), "%.2f ms + %.2f GB/s", 1e3 * mpi.latency,
                  1e-9 / std::max(1e-15, mpi.seconds_per_byte));
  }
  std::printf("| %d | %s | %.1f ms | %.1f ms | %+.0f %% | %.0f %% | %.0f %% |\n", world.size(),
              line, 1e3 * seconds, 1e3 * time.seconds, 100 * (time.seconds / seconds - 1),
              100 * communicated.hidden(), 100 * time.hidden());
}

int usage() {
  std::fprintf(stderr,
               "bench_simulate plan|measure|curve ALONE SHARED, or mpirun bench_simulate check\n");
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc == 4 || argc == 2 ? argv[1] : "";
  try {
    if (what == "check") {
      check();
    } else if (argc < 4) {
      return usage();
    } else if (what == "plan") {
      write_file(argv[2], planned_gpt2(1));
      write_file(argv[3], planned_gpt2(8));
    } else if (what == "measure") {
      write_file(argv[2], measured_gpt2(1));
      write_file(argv[3], measured_gpt2(8));
    } else if (what == "curve") {
      print_curve(read_file(argv[2]), read_file(argv[3]));
    } else {
      return usage();
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
