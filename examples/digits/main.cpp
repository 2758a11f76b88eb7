// Trains two networks on handwritten digits, linear layers 64-128-128-10 and a small vision
// transformer, each with the whole step as one compiled function, and measures them.

#include <sinter/sinter.hpp>

#include <algorithm>
#include <exception>

#include "measure.hpp"
#include "options.hpp"
#include "report.hpp"
#include "transformer.hpp"

using namespace digits;

namespace {

struct Result {
  std::uint64_t seed = 0;
  double accuracy = 0;  // on the test images
  sinter::Stats stats{};
};

constexpr std::size_t all_images = static_cast<std::size_t>(-1);

// The default training and measurement of a network.
struct Course {
  std::string name{}, prefix{};  // as text; of the keys in the JSON file
  int epochs = 30;
  float learning_rate = 5e-3f;
  bool decays = false;  // the learning rate decays to 0
  // The eager backend is measured on a part of the images if an epoch would take too long.
  std::string span = "an epoch", span_key = "epoch";
  std::size_t images = all_images;
  int repeats = 10;
};

template <class Model>
void tell_first_step(const Training<Model>& training) {
  const sinter::Stats stats = training.stats();
  const char* const from = stats.compiler_runs != 0 ? "compiled by the host compiler"
                           : stats.disk_hits != 0   ? "taken from the disk cache"
                           : stats.kernels != 0     ? "still in memory"
                                                    : "every operation is interpreted";
  std::printf("first step of seed %llu: %.3f s, %lld kernels, %s\n",
              static_cast<unsigned long long>(training.setup().seed), training.first_step_seconds(),
              static_cast<long long>(stats.kernels), from);
}

template <class Model>
Result train(const Setup& setup, int epochs, const Data& data) {
  Training<Model> training(setup);
  const Progress progress;
  for (int epoch = 1; epoch <= epochs; ++epoch) {
    const double seconds = training.train_epoch(data.train);
    if (epoch == 1) tell_first_step(training);
    progress.show("epoch " + std::to_string(epoch) + "/" + std::to_string(epochs) + "  loss " +
                  fixed(training.losses().back(), 4) + "  test accuracy " +
                  fixed(training.accuracy(data.test), 4) + "  " + fixed(seconds, 4) + " s");
  }
  progress.end();
  return {setup.seed, training.accuracy(data.test), training.stats()};
}

// The result of the worst seed.
template <class Model>
Result train_seeds(const Setup& setup, int seeds, int epochs, const Data& data) {
  Result worst{.accuracy = 2};
  for (int i = 0; i < seeds; ++i) {
    Setup own = setup;
    own.seed += static_cast<std::uint64_t>(i);
    const Result result = train<Model>(own, epochs, data);
    if (result.accuracy < worst.accuracy) worst = result;
  }
  return worst;
}

void add_accuracy(Report& report, const Result& worst, int seeds) {
  if (seeds == 1) return report.add("test accuracy", "accuracy", worst.accuracy, 4);
  report.add("test accuracy, the worst of all seeds", "accuracy", worst.accuracy, 4);
  report.add("its seed", "seed", static_cast<double>(worst.seed), 0);
}

template <class Model>
void measure(Report& report, const Course& course, const Setup& setup, const Result& worst,
             const Data& data) {
  const double mebibytes =
      process_mebibytes();  // before the eager backend and the compiler add to it
  const Images part = first_images(data.train, course.images);
  const Epochs eager = measure_epochs<Model>(setup, sinter::Backend::eager, part, course.repeats);
  const Epochs fused = measure_epochs<Model>(setup, sinter::Backend::fused, part, course.repeats);
  const FirstSteps first = measure_first_steps<Model>(setup, data.train);
  const double kibibytes = static_cast<double>(worst.stats.peak_bytes) / 1024;

  report.add(course.span + ", eager", course.span_key + "_eager_seconds", eager.seconds, 4, "s");
  report.add(course.span + ", compiled", course.span_key + "_compiled_seconds", fused.seconds, 4,
             "s");
  report.add("eager / compiled", "eager_over_compiled", eager.seconds / fused.seconds, 1);
  const std::size_t steps = std::min<std::size_t>(50, eager.losses.size());
  report.add("loss, eager against compiled, " + std::to_string(steps) + " steps", "loss_difference",
             difference(eager.losses, fused.losses), 7);
  report.add("first step, compiled cold", "first_step_cold_seconds", first.cold, 3, "s");
  report.add("first step, from the disk cache", "first_step_disk_seconds", first.disk, 3, "s");
  report.add("kernels per step", "kernels", static_cast<double>(worst.stats.kernels), 0);
  report.add("recompiles", "recompiles", static_cast<double>(worst.stats.recompiles), 0);
  report.add("peak of the arena of a step", "arena_kibibytes", kibibytes, 1, "KiB");
  report.add("peak of the process in training", "process_mebibytes", mebibytes, 1, "MiB");
}

template <class Model>
void run(const Course& course, const Options& options, const Data& data, Report& report) {
  std::printf("\n%s\n", course.name.c_str());
  Setup setup = options.setup;
  setup.learning_rate = options.learning_rate.value_or(course.learning_rate);
  const int epochs = options.epochs.value_or(course.epochs);
  const std::size_t steps = (data.train.size() + batch_size - 1) / batch_size;
  if (course.decays) setup.decay_steps = epochs * static_cast<int>(steps);
  const Result worst = train_seeds<Model>(setup, options.seeds, epochs, data);
  std::printf("\n");
  report.begin(course.prefix);
  add_accuracy(report, worst, options.seeds);
  measure<Model>(report, course, setup, worst, data);
  report.print();
}

// By default the GPU, if operations can run on it.
sinter::Device device_of(const Options& options) {
  const bool has_gpu = sinter::why_not_runnable(sinter::cuda()).empty();
  return options.device.value_or(has_gpu ? sinter::cuda() : sinter::cpu());
}

int run(const Options& options) {
  const sinter::ScopedDevice scope(device_of(options));  // where all tensors are created
  if (device_of(options).is_cuda()) sinter::require_runnable(device_of(options));
  const Data data = read_data(SINTER_DATA_DIR "/digits.csv");
  std::printf("%zu images to train on, %zu to test, on %s\n", data.train.size(), data.test.size(),
              to_string(device_of(options)).c_str());
  Report report;
  if (options.linear) run<Network>({.name = "linear layers"}, options, data, report);
  if (options.transformer) {
    const Course course{.name = "vision transformer",
                        .prefix = "transformer_",
                        .epochs = 45,
                        .learning_rate = 2e-3f,
                        .decays = true,
                        .span = "two steps",
                        .span_key = "two_steps",
                        .images = 2 * batch_size,
                        .repeats = 2};
    run<Transformer>(course, options, data, report);
  }
  if (!options.json.empty()) report.write_json(options.json);
  return 0;
}

}  // namespace

int main(int count, char** values) {
  return command_line::run(count, values, help, read_options,
                           [](const Options& options) { return run(options); });
}
