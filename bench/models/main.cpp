// The models of <sinter/models.hpp>, with the same weights as in torch: training steps, which are
// forward, loss, gradients and update as one compiled function, and inference; beside torch and,
// for inference, ONNX Runtime and OpenVINO. Results are compared before they are timed. Peak memory
// is that of the process; first calls are made in processes of their own.

#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <sstream>
#include <utility>

#include "../../examples/command_line.hpp"
#include "child.hpp"
#include "comparison.hpp"
#include "models/problems.hpp"

namespace {

using bench::Batch;
using bench::Problem;
using sinter::Tensor;
using Words = std::vector<std::string>;

const char* const help =
    "bench_models [option value]...\n"
    "  --models A,B,...    alexnet resnet18 resnet50 resnext50 vit bert gpt2 captioner; all\n"
    "  --work A,B          train, infer; both\n"
    "  --batch N,...       examples of a call of inference; 1,16\n"
    "  --train-batch N     examples of a training step; 2 to 32, by the model\n"
    "  --threads N,...     all of the machine and 1\n"
    "  --peers A,...       eager compile best onnxruntime openvino; all. The last three for\n"
    "                      inference, on the first number of threads\n"
    "  --first-calls on|off  of training steps: cold, and with kernels on disk; on\n"
    "  --pairs N           turns of both sides; by the length of a call, at least 5\n";

struct Options {
  Words models{}, work{"train", "infer"};
  std::vector<int> batches{1, 16};
  int train_batch = 0;  ///< 0: that of the model.
  std::vector<int> threads{sinter::detail::runtime::num_threads(), 1};
  Words peers{"eager", "compile", "best", "onnxruntime", "openvino"};
  bool first_calls = true;
  int pairs = 0;  ///< 0: by the length of a call.
  Words child{};  ///< Not for users: a model, train or infer, and the batch.
  bool help = false;
};

Words split(const std::string& text) {
  Words result;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) result.push_back(part);
  return result;
}

// The parts of `text`, each of which must be one of `known`.
Words choose(const std::string& text, const Words& known) {
  Words result = split(text);
  for (const std::string& part : result) {
    if (std::find(known.begin(), known.end(), part) == known.end()) {
      throw std::runtime_error("unknown: " + part + "; --help lists what there is");
    }
  }
  return result;
}

std::vector<int> counts(const std::string& text) {
  std::vector<int> result;
  for (const std::string& part : split(text)) result.push_back(command_line::count_of(part));
  return result;
}

Words model_names() {
  Words result;
  for (const Problem& problem : bench::problems) result.emplace_back(problem.name);
  return result;
}

Options read_options(const Words& arguments) {
  Options result;
  result.models = model_names();
  const auto is_flag = [&](const std::string& name) { return result.help |= name == "--help"; };
  const auto set = [&, all = Options()](const std::string& name, const std::string& value) {
    if (name == "--models")
      result.models = choose(value, model_names());
    else if (name == "--work")
      result.work = choose(value, all.work);
    else if (name == "--batch")
      result.batches = counts(value);
    else if (name == "--train-batch")
      result.train_batch = command_line::count_of(value);
    else if (name == "--threads")
      result.threads = counts(value);
    else if (name == "--peers")
      result.peers = choose(value, all.peers);
    else if (name == "--first-calls")
      result.first_calls = command_line::choice(value, "on", "off");
    else if (name == "--pairs")
      result.pairs = command_line::count_of(value);
    else if (name == "--child")
      result.child = split(value);
    else
      command_line::throw_unknown(name);
  };
  command_line::read(arguments, set, is_flag);
  return result;
}

/// A row of the table, but for the competitor.
struct Case {
  const Problem& problem;
  bool trains;
  std::int64_t batch;

  std::string text() const { return (trains ? "train " : "infer ") + std::to_string(batch); }
  std::string name() const {
    return std::string(problem.name) + (trains ? " train b" : " infer b") + std::to_string(batch);
  }
  // A gradient takes two products for each of the forward pass.
  bench::Work work() const {
    return {0, (trains ? 6e6 : 2e6) * problem.multiply_adds * static_cast<double>(batch)};
  }
};

struct Call {
  std::function<Tensor()> function{};
  std::function<sinter::Stats()> stats{};
  Tensor operator()() const { return function(); }
};

template <class Model, class Optimizer>
Call training(Model model, Optimizer optimizer, Batch batch) {
  struct State {
    Model model;
    Optimizer optimizer;
    Batch batch;
  };
  const auto state = std::make_shared<State>(std::move(model), std::move(optimizer), batch);
  const auto step = sinter::compile(bench::train_step<Model, Optimizer>, {.fullgraph = true});
  return {[=] { return step(state->model, state->optimizer, state->batch); },
          [=] { return step.stats(); }};
}

template <class Model>
Call inference(Model model, Batch batch) {
  sinter::nn::eval(model);
  const auto call = sinter::compile(bench::infer<Model>, {.fullgraph = true});
  const auto shared = std::make_shared<const Model>(std::move(model));
  return {[=] { return call(*shared, batch); }, [=] { return call.stats(); }};
}

// A function that makes one call; weights and inputs are the same each time.
Call make_call(const Case& row) {
  Call result;
  bench::with_model(row.problem.name, [&](auto model, auto optimizer) {
    bench::fill(model);
    const Batch batch = bench::make_batch(row.problem, row.batch);
    result = row.trains ? training(std::move(model), std::move(optimizer), batch)
                        : inference(std::move(model), batch);
  });
  return result;
}

// As in torch_peer.py: of many numbers those at equal distances.
std::vector<float> few(const std::vector<float>& values) {
  std::vector<float> result;
  const std::size_t step = std::max<std::size_t>(1, values.size() / 15);
  for (std::size_t i = 0; i < values.size() && result.size() < 16; i += step) {
    result.push_back(values[i]);
  }
  return result;
}

// The losses of two steps, or a few logits. The third loss of ResNet-50 differs between f32 and f64
// by a hundredth, also in torch.
std::vector<float> first_results(const Case& row, const Call& call) {
  if (!row.trains) return few(call().to_vector<float>());
  std::vector<float> losses;
  for (int i = 0; i < 2; ++i) losses.push_back(call().item<float>());
  return losses;
}

// Within the error of reordered sums.
bool agree(const std::string& name, const std::vector<float>& own, const std::string& answer) {
  std::istringstream other(answer);
  float value = 0, worst = 0, largest = 0;
  std::size_t count = 0;
  for (; count < own.size() && other >> value; ++count) {
    worst = std::max(worst, std::abs(value - own[count]));
    largest = std::max(largest, std::abs(value));
  }
  if (count == own.size() && worst <= 1e-3f * largest) return true;
  std::printf("%s: differs by %g of %g in %zu of %zu numbers\n", name.c_str(), worst, largest,
              count, own.size());
  return false;
}

double peak_bytes() {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("VmHWM:")) return 1024 * std::atof(line.c_str() + 6);
  }
  return 0;
}

const Problem& problem_of(const std::string& name) {
  return *std::find_if(bench::problems.begin(), bench::problems.end(),
                       [&](const Problem& problem) { return name == problem.name; });
}

// What a first call does before its kernels run.
double seconds_to_prepare(const sinter::Stats& stats) {
  return stats.initialize_seconds + stats.record_seconds + stats.pass_seconds + stats.plan_seconds +
         stats.emit_seconds + stats.compile_seconds;
}

// The child: prints the seconds of the first call, of its part before the kernels run, and of the
// shortest later call; then the peak of the process in bytes.
int run_child(const Words& words) {
  const Case row{problem_of(words.at(0)), words.at(1) == "train", std::stoll(words.at(2))};
  const Call call = make_call(row);
  const auto seconds = [&] { return bench::seconds([&] { call().data<float>(); }); };
  const double first = seconds(), prepare = seconds_to_prepare(call.stats());
  double later = seconds();
  for (int i = 0; i < 2; ++i) later = std::min(later, seconds());
  std::printf("%.9g %.9g %.9g %.0f\n", first, prepare, later, peak_bytes());
  return 0;
}

/// What a child printed.
struct Child {
  double first = 0, prepare = 0, later = 0, peak = 0;
};

Child run_in_child(const std::string& self, const Case& row, int threads,
                   const std::string& cache) {
  Words command{"/usr/bin/env", "SINTER_NUM_THREADS=" + std::to_string(threads)};
  if (!cache.empty()) command.push_back("SINTER_CACHE_DIR=" + cache);
  const std::string work = row.trains ? "train," : "infer,";
  command.insert(command.end(),
                 {self, "--child", row.problem.name + ("," + work) + std::to_string(row.batch)});
  Child child;
  std::istringstream(bench::run_child(command).output) >> child.first >> child.prepare >>
      child.later >> child.peak;
  return child;
}

// A folder that goes with it.
struct Folder {
  std::string path = (std::filesystem::temp_directory_path() / "sinter_XXXXXX").string();
  Folder() {
    if (mkdtemp(path.data()) == nullptr) throw std::runtime_error("no temporary folder");
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path); }
};

bool is_torch(const std::string& kind) { return kind != "onnxruntime" && kind != "openvino"; }

class Table {
 public:
  Table(std::string self, Options options) : self_(std::move(self)), options_(std::move(options)) {}

  void measure(const Case& row, bench::Peer& peer) {
    for (const int threads : options_.threads) {
      sinter::set_num_threads(threads);
      measure(row, peer, threads);
      sinter::set_num_threads(0);
    }
  }

  /// 0, or 1 if results differed.
  int finish() const {
    for (const auto& [threads, ratios] : better_) {
      double sum = 0, least = ratios[0];
      for (const double ratio : ratios) sum += std::log(ratio), least = std::min(least, ratio);
      std::printf(
          "%zu training steps on %d threads against torch's better mode: geometric mean "
          "%.3g, least %.3g\n",
          ratios.size(), threads, std::exp(sum / static_cast<double>(ratios.size())), least);
    }
    return differs_ ? 1 : 0;
  }

 private:
  void measure(const Case& row, bench::Peer& peer, int threads) {
    const bool first = threads == options_.threads[0];
    const Call call = make_call(row);
    const std::vector<float> results = first_results(row, call);
    const bool cold = row.trains && first && options_.first_calls;
    Child child = cold ? first_calls(row, threads) : Child();
    auto sample = bench::sample_of([&] { bench::keep(call()); });
    const int pairs = options_.pairs > 0 ? options_.pairs : bench::pairs_for(sample());
    double better = 0;
    for (const std::string& kind : options_.peers) {
      if (!first && kind != "eager" && kind != "compile") continue;
      if (!prepare(row, peer, kind, threads, cold, results)) continue;
      const bench::Comparison times = bench::compare(sample, peer, pairs);
      add(row, threads, times, kind);
      if (is_torch(kind)) {
        if (child.peak == 0) child = run_in_child(self_, row, threads, "");
        add_peak(row, threads, child.peak, peer, kind);
      }
      if (better == 0 || times.ratio < better) better = times.ratio;
    }
    if (row.trains && better > 0) better_[threads].push_back(better);
    if (better == 0) report_alone(row, threads, bench::median_of(sample, pairs));
  }

  static std::string text_of(const std::string& kind) {
    return is_torch(kind) ? "torch " + kind : kind;
  }

  // False if there is no such peer, or its results differ.
  bool prepare(const Case& row, bench::Peer& peer, const std::string& kind, int threads, bool cold,
               const std::vector<float>& results) {
    const std::string name = kind + " " + row.problem.name + " " + row.text();
    if (!peer.prepare(name, threads)) return false;
    if (cold && kind == "compile") {
      const double seconds = std::atof(peer.tell("first", threads).c_str());
      add_first(row, threads, "cold", cold_, seconds, 5);
      if (!peer.prepare(name, threads)) return false;
      add_first(row, threads, "warm", warm_, std::atof(peer.tell("first", threads).c_str()), 1);
    }
    if (agree(name, results, peer.tell("result", threads))) return true;
    differs_ = true;
    return false;
  }

  // Cold, then with the kernels of the first on disk. That call does a step too, the first that
  // touches the pages of the optimizer's state.
  Child first_calls(const Case& row, int threads) {
    const Folder cache;
    cold_ = run_in_child(self_, row, threads, cache.path).first;
    const Child child = run_in_child(self_, row, threads, cache.path);
    warm_ = child.first;
    report_.add(row.name() + " cold", threads, {cold_, warm_, warm_ / cold_}, "warm", 0);
    report_.add(row.name() + " warm", threads, {warm_, child.later, child.later / warm_}, "step",
                0);
    report_.add_bound(row.name() + " prepare", threads, child.prepare, 0.5);
    return child;
  }

  void add(const Case& row, int threads, const bench::Comparison& times, const std::string& kind) {
    report_.add(row.name(), threads, times, text_of(kind), 1,
                bench::least_seconds(row.work(), threads));
  }

  void report_alone(const Case& row, int threads, double seconds) {
    const double least = bench::least_seconds(row.work(), threads);
    report_.add(row.name(), threads, {seconds, least, least / seconds}, "roof", 0, least);
  }

  void add_first(const Case& row, int threads, const std::string& what, double own, double other,
                 double target) {
    report_.add(row.name() + " " + what, threads, {own, other, other / own}, "torch compile",
                target);
  }

  void add_peak(const Case& row, int threads, double own, bench::Peer& peer,
                const std::string& kind) {
    const double other = std::atof(peer.tell("peak", threads).c_str());
    report_.add({.problem = {},
                 .size = row.name() + " peak",
                 .threads = threads,
                 .sinter = own,
                 .peer = other,
                 .peer_name = text_of(kind),
                 .ratio = other / own,
                 .target = 1,
                 .least = 0,
                 .unit = bench::Unit::bytes});
  }

  std::string self_;
  Options options_;
  bench::Report report_{"models"};
  double cold_ = 0, warm_ = 0;  // of the latest case
  std::map<int, std::vector<double>> better_{};
  bool differs_ = false;
};

int run(const std::string& self, const Options& options) {
  if (!options.child.empty()) return run_child(options.child);
  const Folder cache;  // so that the first calls of torch.compile are cold
  if (options.first_calls) setenv("TORCHINDUCTOR_CACHE_DIR", cache.path.c_str(), 1);
  Table table(self, options);
  for (const std::string& name : options.models) {
    bench::Peer peer(SINTER_BENCH_DIR "/models/torch_peer.py");
    const Problem& problem = problem_of(name);
    for (const std::string& work : options.work) {
      if (work == "train") {
        const std::int64_t batch = options.train_batch;
        table.measure({problem, true, batch > 0 ? batch : problem.train_batch}, peer);
        continue;
      }
      for (const int batch : options.batches) table.measure({problem, false, batch}, peer);
    }
  }
  return table.finish();
}

}  // namespace

int main(int count, char** values) {
  return command_line::run(count, values, help, read_options, [&](const Options& options) {
    return run(std::filesystem::read_symlink("/proc/self/exe").string(), options);
  });
}
