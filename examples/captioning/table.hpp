#pragma once
// The table: each way to compile the training step, measured in a process of its own.

#include <sinter/data.hpp>
#include <sinter/sinter.hpp>

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../digits/report.hpp"
#include "options.hpp"
#include "ways.hpp"

namespace captioning {

/// What a process measures of a row. Torch counts graphs, not kernels.
struct Measured {
  double first = 0;      ///< Seconds of the first step.
  double pass = 0;       ///< Of a first step with each of the lengths: all that is compiled.
  double median = 0;     ///< Milliseconds of a later step.
  double processor = 0;  ///< The same, of processors: all threads together.
  double recordings = 0, recompiles = 0, kernels = 0;
  double arena = 0;                        ///< MiB of intermediates of a step.
  double process = 0;                      ///< MiB, the peak of the process.
  double first_loss = 0, second_loss = 0;  ///< Of the first steps: those of all rows agree.
};

struct Batch {
  Tensor images{}, tokens{};
};

inline constexpr std::size_t batches_of_row = 24;

/// Batches with captions of all lengths.
inline std::vector<Batch> row_batches(const Setup& setup, const digits::Images& source,
                                      Lengths lengths) {
  const auto size = static_cast<std::size_t>(setup.batch);
  const Pictures pictures{.source = &source,
                          .seed = 5,
                          .count = size * batches_of_row,
                          .group = size,
                          .augments = true};
  const bool is_padded = lengths == Lengths::padded;
  sinter::data::Loader loader(
      pictures,
      {.batch_size = setup.batch, .pad_to_multiple = is_padded ? static_cast<int>(longest) : 1});
  std::vector<Batch> result;
  for (auto& [images, tokens] : loader) {
    Batch batch{images, tokens};
    if (lengths == Lengths::marked) mark_lengths(batch.tokens);
    if (lengths == Lengths::bucketed) {
      batch.tokens = sinter::bucket(batch.tokens, 1, {10, 20, 30, 40});
    }
    result.push_back(batch);
  }
  return result;
}

/// The peak memory of this process so far, in MiB.
inline double peak_mebibytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

inline double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

inline Measured measure(const Row& row, const Setup& setup, const digits::Images& source) {
  std::vector<Batch> batches = row_batches(setup, source, row.lengths);
  if (row.is_slow) batches.resize(row.key == "blocks" ? 6 : 2);
  Training training{new_model(setup.size, setup.seed), new_optimizer()};
  const Way way = row.make();
  Measured result;
  std::vector<double> times, processor_times;
  const int passes = row.is_slow ? 2 : 4;
  for (int pass = 0; pass < passes; ++pass) {
    for (const Batch& batch : batches) {
      const double began = wall_seconds(), processor_began = processor_seconds();
      const double loss = way.step(training, batch.images, batch.tokens).item<double>();
      const double seconds = wall_seconds() - began;
      if (pass == 0 && &batch == &batches[0]) result.first = seconds, result.first_loss = loss;
      if (pass == 0 && &batch == &batches[1]) result.second_loss = loss;
      if (pass == 0) result.pass += seconds;
      if (pass == 0) continue;
      times.push_back(1e3 * seconds);
      processor_times.push_back(1e3 * (processor_seconds() - processor_began));
    }
  }
  result.median = median_of(times);
  result.processor = median_of(processor_times);
  for (const sinter::Stats& stats : way.stats()) {
    result.recordings += static_cast<double>(stats.recordings);
    result.recompiles += static_cast<double>(stats.recompiles);
    result.kernels += static_cast<double>(stats.kernels);
    result.arena = std::max(result.arena, static_cast<double>(stats.peak_bytes) / (1 << 20));
  }
  result.process = peak_mebibytes();
  return result;
}

/// In the process of a row: prints what it measures. A file of kernels is loaded, or else saved.
inline int run_row(const Options& options, const digits::Images& source) {
  const std::vector<Row> known = rows();
  const auto row =
      std::find_if(known.begin(), known.end(), [&](const Row& r) { return r.key == options.row; });
  if (row == known.end()) throw std::runtime_error("no row of the table: " + options.row);
  const std::string file = options.checkpoint;
  const bool is_saved = !file.empty() && std::filesystem::exists(file);
  if (is_saved) sinter::load_cache(file);
  const Measured m = measure(*row, options.setup, source);
  if (!file.empty() && !is_saved) sinter::save_cache(file);
  std::printf("losses %.6f %.6f\n", m.first_loss, m.second_loss);
  std::printf("row %.6f %.6f %.6f %.6f %.0f %.0f %.0f %.3f %.3f\n", m.first, m.pass, m.median,
              m.processor, m.recordings, m.recompiles, m.kernels, m.arena, m.process);
  return 0;
}

/// Runs a command that ends with lines "losses ..." and "row ..."; throws with its output if it
/// does not.
inline Measured measured_by(const std::string& command) {
  std::FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("cannot run " + command);
  std::string output;
  char buffer[4096];
  while (std::fgets(buffer, sizeof buffer, pipe) != nullptr) output += buffer;
  const int status = pclose(pipe);
  Measured m;
  const std::size_t at = output.rfind("losses ");
  if (status != 0 || at == std::string::npos ||
      std::sscanf(output.c_str() + at, "losses %lf %lf row %lf %lf %lf %lf %lf %lf %lf %lf %lf",
                  &m.first_loss, &m.second_loss, &m.first, &m.pass, &m.median, &m.processor,
                  &m.recordings, &m.recompiles, &m.kernels, &m.arena, &m.process) != 11) {
    throw std::runtime_error("failed: " + command + "\n" + output);
  }
  return m;
}

/// A folder that is removed at the end.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "captioning-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
    path_ = name;
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string in(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_{};
};

class Table {
 public:
  explicit Table(const Options& options) : options_(options) {
    std::printf(
        "batches of %d pictures, captions of 5 to 40 tokens; each row is a process with no "
        "kernels on disk\n\n",
        options.setup.batch);
    std::printf("%-44s %7s %7s %9s %9s %5s %6s %7s %6s %7s\n", "", "first s", "all s", "median ms",
                "threads'", "rec.", "recomp", "kernels", "arena", "process");
  }

  void add(const std::string& name, const std::string& key, const Measured& m) {
    std::printf("%-44s %7.2f %7.2f %9.1f %9.1f %5.0f %6.0f %7.0f %6.1f %7.1f\n", name.c_str(),
                m.first, m.pass, m.median, m.processor, m.recordings, m.recompiles, m.kernels,
                m.arena, m.process);
    if (!agrees(m)) {
      std::printf("  its first losses are %.5f and %.5f, those of the first row %.5f and %.5f\n",
                  m.first_loss, m.second_loss, first_->first_loss, first_->second_loss);
    }
    std::fflush(stdout);
    report_.begin(key + "_");
    report_.add(name, "first_seconds", m.first, 2);
    report_.add(name, "pass_seconds", m.pass, 2);
    report_.add(name, "median_milliseconds", m.median, 1);
    report_.add(name, "processor_milliseconds", m.processor, 1);
    report_.add(name, "recordings", m.recordings, 0);
    report_.add(name, "recompiles", m.recompiles, 0);
    report_.add(name, "kernels", m.kernels, 0);
    report_.add(name, "arena_mebibytes", m.arena, 1);
    report_.add(name, "process_mebibytes", m.process, 1);
  }

  /// The row of a process of ours, with this folder of kernels and this file of kernels.
  Measured run(const std::string& key, const std::string& folder, const std::string& file) const {
    const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
    return measured_by("SINTER_CACHE_DIR='" + folder + "' '" + program + "' --row " + key +
                       " --batch " + std::to_string(options_.setup.batch) + " --width " +
                       std::to_string(options_.setup.size.width) + " --checkpoint '" + file + "'");
  }

  void write() const {
    if (!options_.json.empty()) report_.write_json(options_.json);
  }

  /// Whether the losses of all rows agreed.
  bool all_agree() const { return all_agree_; }

 private:
  // Whether the step computes what that of the first row does.
  bool agrees(const Measured& m) {
    if (!first_) first_ = m;
    const auto near = [](double a, double b) { return std::abs(a - b) < 1e-3 * std::abs(b); };
    const bool result =
        near(m.first_loss, first_->first_loss) && near(m.second_loss, first_->second_loss);
    all_agree_ = all_agree_ && result;
    return result;
  }

  const Options& options_;
  std::optional<Measured> first_{};
  bool all_agree_ = true;
  digits::Report report_{};
};

inline void add_torch(Table& table, const Options& options, const ScratchFolder& scratch) {
  const char* const given = std::getenv("SINTER_BENCH_PEERS");
  const std::string python = given != nullptr ? given : "python3";
  if (std::system((python + " -c 'import torch' >/dev/null 2>&1").c_str()) != 0) {
    std::printf("torch: %s cannot import it; set SINTER_BENCH_PEERS to a Python that can\n",
                python.c_str());
    return;
  }
  const std::string batches = scratch.in("batches.npz");
  const digits::Data data = digits::read_data(SINTER_DATA_DIR "/digits.csv");
  std::map<std::string, Tensor> arrays;
  std::size_t number = 0;
  for (const Batch& batch : row_batches(options.setup, data.train, Lengths::as_they_are)) {
    arrays["images" + std::to_string(number)] = batch.images;
    arrays["tokens" + std::to_string(number++)] = batch.tokens;
  }
  models::Captioner model = new_model(options.setup.size, options.setup.seed);
  sinter::nn::for_each_parameter(
      model, [&](const std::string& path, Tensor& value) { arrays["model." + path] = value; });
  sinter::io::save_npz(batches, arrays);
  for (const auto& [key, name] : {std::pair{"eager", "torch, eager"},
                                  {"blocks", "torch, repeated blocks compiled, dynamic"},
                                  {"padded", "torch, compiled, padded to 40"},
                                  {"dynamic", "torch, compiled, dynamic"}}) {
    table.add(name, std::string("torch_") + key,
              measured_by("TORCHINDUCTOR_CACHE_DIR='" + scratch.in(std::string("torch_") + key) +
                          "' " + python + " '" SINTER_EXAMPLE_DIR "/torch_peer.py' " + key + " '" +
                          batches + "' " + std::to_string(options.setup.size.width)));
  }
}

inline int run_table(const Options& options) {
  const ScratchFolder scratch;
  Table table(options);
  for (const Row& row : rows()) {
    table.add(row.name, row.key, table.run(row.key, scratch.in(row.key), scratch.in("kernels")));
    if (row.key != "marked") std::filesystem::remove(scratch.in("kernels"));
  }
  table.add("  the same, kernels from the disk cache", "disk",
            table.run("marked", scratch.in("marked"), ""));
  table.add("  the same, kernels from a saved cache", "saved",
            table.run("marked", scratch.in("empty"), scratch.in("kernels")));
  if (options.peers) add_torch(table, options, scratch);
  table.write();
  return table.all_agree() ? 0 : 1;
}

}  // namespace captioning
