#include "gpus.hpp"

#include <atomic>
#include <cstdlib>
#include <string_view>

#include <sinter/base/text.hpp>

namespace emulator {

namespace {

std::atomic<std::size_t> launches_of_driver, graphs_of_driver, compilations_of_nvrtc;

// The driver of this machine, with a count of the work it is given.
const sinter::detail::CudaDriver& counted_driver() {
  static const sinter::detail::CudaDriver real = *sinter::detail::cuda_driver();
  static const sinter::detail::CudaDriver counted = [] {
    sinter::detail::CudaDriver table = real;
    table.launch = [](auto... arguments) {
      return ++launches_of_driver, real.launch(arguments...);
    };
    table.launch_graph = [](auto... arguments) {
      return ++graphs_of_driver, real.launch_graph(arguments...);
    };
    return table;
  }();
  return counted;
}

const sinter::detail::Nvrtc& counted_nvrtc() {
  static const sinter::detail::Nvrtc real = *sinter::detail::nvrtc();
  static const sinter::detail::Nvrtc counted = [] {
    sinter::detail::Nvrtc table = real;
    table.compile_program = [](auto... arguments) {
      return ++compilations_of_nvrtc, real.compile_program(arguments...);
    };
    return table;
  }();
  return counted;
}

}  // namespace

bool uses_real_gpus() {
  const char* const asked = std::getenv("SINTER_TEST_GPU");
  return asked != nullptr && std::string_view(asked) == "1";
}

std::string missing_gpus(int count) {
  if (!uses_real_gpus()) return "";
  const std::string reason = sinter::why_not_runnable(sinter::cuda(count - 1));
  if (reason.empty()) return "";
  return count == 1 ? "no GPU: " + reason
                    : sinter::detail::text("fewer than ", count, " GPUs: ", reason);
}

Gpus::Gpus(const Settings& settings) {
  if (!uses_real_gpus()) {
    emulated_.emplace(settings);
    return;
  }
  launches_of_driver = graphs_of_driver = compilations_of_nvrtc = 0;
  sinter::detail::replace_cuda_driver(&counted_driver());
  sinter::detail::replace_nvrtc(&counted_nvrtc());
}

Gpus::~Gpus() {
  if (emulated_) return;
  sinter::detail::replace_cuda_driver(nullptr);
  sinter::detail::replace_nvrtc(nullptr);
}

void Gpus::set_driver_version(int version) {
  if (emulated_) emulated_->set_driver_version(version);
}

std::size_t Gpus::launches() const {
  return emulated_ ? emulated_->launches() : launches_of_driver.load();
}
std::size_t Gpus::graph_launches() const {
  return emulated_ ? emulated_->graph_launches() : graphs_of_driver.load();
}
std::size_t Gpus::compilations() const {
  return emulated_ ? emulated_->compilations() : compilations_of_nvrtc.load();
}

std::vector<std::string> Gpus::reports() {
  return emulated_ ? emulated_->reports() : std::vector<std::string>{};
}

}  // namespace emulator
