// From compile() to the first result, in a separate process, and the time of later calls.
//   cold   with an empty disk cache: the host compiler runs
//   warm   kernels of an earlier process are loaded from disk
//   call   of the model of 64 layers, once it is compiled

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "child.hpp"
#include "layers.hpp"
#include "measure.hpp"
#include "report.hpp"

namespace {

using sinter::Tensor;

Tensor evaluated(Tensor tensor) {
  sinter::detail::evaluate(tensor);
  return tensor;
}

bench::Layers evaluated_layers() {
  bench::Layers model = bench::make_layers();
  sinter::nn::for_each_parameter(model, [](const auto&, Tensor& value) { evaluated(value); });
  return model;
}

// The child process: prints the seconds of a first call.
int first_call(const std::string& program) {
  double seconds = 0;
  if (program == "kernel") {
    const Tensor x = evaluated(sinter::ones({10000}));
    seconds = bench::seconds([&] {
      auto function = sinter::compile([](const Tensor& value) { return sin(sin(value)); });
      function(x).data<float>();
    });
  } else {
    const Tensor x = evaluated(sinter::ones({10, 10}));
    const bench::Layers model = evaluated_layers();
    seconds = bench::seconds([&] { sinter::compile(model)(x).data<float>(); });
  }
  std::printf("%.9g\n", seconds);
  return 0;
}

struct Times {
  double cold, warm;
};

Times times_of(const std::string& self, const std::string& program) {
  std::vector<double> cold, warm;
  for (int i = 0; i < 9; ++i) {
    std::string folder = (std::filesystem::temp_directory_path() / "sinter_XXXXXX").string();
    if (mkdtemp(folder.data()) == nullptr) return {};
    const std::string cache = std::string("SINTER_CACHE_DIR=") + folder;
    const std::vector<std::string> command{"/usr/bin/env", cache, self, program};
    cold.push_back(std::atof(bench::run_child(command).output.c_str()));
    warm.push_back(std::atof(bench::run_child(command).output.c_str()));
    bench::run_child({"rm", "-r", folder});
  }
  return {bench::median(cold), bench::median(warm)};
}

}  // namespace

int main(int count, char** words) {
  if (count == 2) return first_call(words[1]);
  const bench::Report report("compile");

  const Times kernel = times_of(words[0], "kernel");
  report.add_bound("one kernel, cold", 1, kernel.cold, 25e-3);
  report.add_bound("one kernel, warm", 1, kernel.warm, 50e-3);
  const Times layers = times_of(words[0], "layers");
  report.add_bound("64 layers, cold", 1, layers.cold, 0.1);
  report.add_bound("64 layers, warm", 1, layers.warm, 50e-3);

  const Tensor x = evaluated(sinter::ones({10, 10}));
  const bench::Layers model = evaluated_layers();
  auto function = sinter::compile(model);
  const double call = bench::fastest_of(bench::sample_of([&] { bench::keep(function(x)); }));
  report.add_bound("64 layers, a call", 1, call, 20e-6);
}
