// Trains 64-128-128-10 on handwritten digits, the whole step as one compiled function; measures it.

#include <sinter/sinter.hpp>

#include <exception>

#include "measure.hpp"
#include "options.hpp"
#include "report.hpp"

using namespace digits;

namespace {

struct Result {
  std::uint64_t seed = 0;
  double accuracy = 0;  // on images that it was not trained on
  sinter::Stats stats{};
};

void tell_first_step(const Training& training) {
  const sinter::Stats stats = training.stats();
  const char* const from = stats.compiler_runs != 0 ? "compiled by the host compiler"
                           : stats.disk_hits != 0   ? "taken from the disk cache"
                           : stats.kernels != 0     ? "still in memory"
                                                    : "every operation is interpreted";
  std::printf("first step of seed %llu: %.3f s, %lld kernels, %s\n",
              static_cast<unsigned long long>(training.setup().seed), training.first_step_seconds(),
              static_cast<long long>(stats.kernels), from);
}

Result train(const Setup& setup, int epochs, const Data& data) {
  Training training(setup);
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

// The result of the seed that came out worst.
Result train_seeds(const Options& options, const Data& data) {
  Result worst{.accuracy = 2};
  for (int i = 0; i < options.seeds; ++i) {
    Setup setup = options.setup;
    setup.seed += static_cast<std::uint64_t>(i);
    const Result result = train(setup, options.epochs, data);
    if (result.accuracy < worst.accuracy) worst = result;
  }
  return worst;
}

Report report_of(const Options& options, const Result& worst, const Data& data) {
  Report report;
  const double mebibytes =
      process_mebibytes();  // before the eager backend and the compiler add theirs
  const Epochs eager = measure_epochs(options.setup, sinter::Backend::eager, data.train);
  const Epochs fused = measure_epochs(options.setup, sinter::Backend::fused, data.train);
  const FirstSteps first = measure_first_steps(options.setup, data.train);
  const double kibibytes = static_cast<double>(worst.stats.peak_bytes) / 1024;

  if (options.seeds == 1) {
    report.add("test accuracy", "accuracy", worst.accuracy, 4);
  } else {
    report.add("test accuracy, the worst of all seeds", "accuracy", worst.accuracy, 4);
    report.add("its seed", "seed", static_cast<double>(worst.seed), 0);
  }
  report.add("an epoch, eager", "epoch_eager_seconds", eager.seconds, 4, "s");
  report.add("an epoch, compiled", "epoch_compiled_seconds", fused.seconds, 4, "s");
  report.add("eager / compiled", "eager_over_compiled", eager.seconds / fused.seconds, 1);
  report.add("loss, eager against compiled, 50 steps", "loss_difference",
             difference(eager.losses, fused.losses), 7);
  report.add("first step, compiled cold", "first_step_cold_seconds", first.cold, 3, "s");
  report.add("first step, from the disk cache", "first_step_disk_seconds", first.disk, 3, "s");
  report.add("kernels per step", "kernels", static_cast<double>(worst.stats.kernels), 0);
  report.add("recompiles", "recompiles", static_cast<double>(worst.stats.recompiles), 0);
  report.add("peak of the arena of a step", "arena_kibibytes", kibibytes, 1, "KiB");
  report.add("peak of the process in training", "process_mebibytes", mebibytes, 1, "MiB");
  return report;
}

int run(const Options& options) {
  const Data data = read_data(SINTER_DATA_DIR "/digits.csv");
  std::printf("%zu images to train on, %zu to test\n", data.train.size(), data.test.size());
  const Result worst = train_seeds(options, data);
  const Report report = report_of(options, worst, data);
  std::printf("\n");
  report.print();
  if (!options.json.empty()) report.write_json(options.json);
  return 0;
}

}  // namespace

int main(int count, char** values) {
  try {
    const Options options = read_options({values + 1, values + count});
    if (!options.help) return run(options);
    std::fputs(help, stdout);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
