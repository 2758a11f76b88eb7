#pragma once
// Generated CUDA, run by the emulator or a GPU.

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include <sinter/base/container/unique_ptr.hpp>
#include <sinter/codegen/cuda/emit_cuda.hpp>
#include <sinter/symbol/solve/evaluate.hpp>

#include "../cuda_emulator/gpus.hpp"
#include "../cuda_emulator/program.hpp"
#include "harness.hpp"
#include "runner.hpp"
#include "texts.hpp"

namespace kernels {

using namespace sinter;
using namespace sinter::detail;

/// A program of `kernel` and the helpers that it calls.
inline std::string with_helpers(const std::string& kernel) {
  const Source source{Language::cuda, "", kernel, {}};
  return codegen::cuda_prelude({&source, 1}) + kernel;
}

/// Device memory, with a copy of `bytes` of the host, or uninitialised.
class Mirror {
 public:
  Mirror(void* host, std::size_t bytes, bool filled, bool written)
      : host_(host), bytes_(bytes), written_(written) {
    emulator::check(emulator::driver().allocate(&address_, std::max<std::size_t>(bytes, 1)),
                    "allocate");
    if (!filled || bytes == 0) return;
    emulator::check(emulator::driver().copy_to_device(address_, host, bytes), "copy_to_device");
  }
  Mirror(const Mirror&) = delete;
  Mirror& operator=(const Mirror&) = delete;
  ~Mirror() { emulator::driver().free(address_); }

  void read_back() const {
    if (bytes_ == 0 || !written_) return;
    emulator::check(emulator::driver().copy_to_host(host_, address_, bytes_), "copy_to_host");
  }

  std::uint64_t address_ = 0;

 private:
  void* host_;
  std::size_t bytes_;
  bool written_;
};

inline std::int64_t value_at(const schedule::Kernel& kernel, const long* sizes, Extent extent) {
  return evaluate(extent, [&](Extent variable) {
    for (std::size_t i = 0; i < kernel.symbols.size(); ++i) {
      if (same(kernel.symbols[i], variable)) return static_cast<std::int64_t>(sizes[i]);
    }
    throw InternalError("not a symbol of the kernel");
  });
}

/// Launches at most `most_blocks` blocks and waits for them; gives the driver's result.
inline int launch_emulated(void* function, const schedule::Kernel& kernel, const long* sizes,
                           std::vector<std::uint64_t> words, std::int64_t most_blocks,
                           const codegen::CudaOptions& options = {}) {
  const codegen::CudaLaunch shape = codegen::cuda_launch(kernel, options);
  const std::int64_t blocks = std::min(value_at(kernel, sizes, shape.blocks), most_blocks);
  const std::int64_t shared = value_at(kernel, sizes, shape.shared_bytes);
  std::vector<void*> pointers;
  for (std::uint64_t& word : words) pointers.push_back(&word);
  const sinter::detail::CudaDriver& driver = emulator::driver();
  emulator::check(driver.set_function_attribute(function, CudaDriver::function_most_dynamic_bytes,
                                                static_cast<int>(shared)),
                  "set_function_attribute");
  const int result = driver.launch(
      function, static_cast<unsigned>(blocks), 1, 1, static_cast<unsigned>(shape.threads), 1, 1,
      static_cast<unsigned>(shared), nullptr, pointers.data(), nullptr);
  const int waited = driver.synchronize();
  return result != 0 ? result : waited;
}

/// The byte that fills write-only memory before a kernel runs.
enum class Outputs { unwritten, as_on_host };

/// `source` with the parameters of generated C++: memory is copied to the device and back. A launch
/// that fails leaves its result as the fault.
inline std::function<void(void* const*, const long*, Context*, long, long)> call_emulated(
    const emulator::Program& program, const Source& source, const schedule::Kernel& kernel,
    Outputs outputs = Outputs::unwritten, std::int64_t most_blocks = 4,
    const codegen::CudaOptions& options = {}) {
  void* const function = program.function(source.name);
  return [=, &kernel](void* const* buffers, const long* sizes, Context* context, long, long) {
    emulator::use_device(0);  // the runner calls from a thread of its own
    std::vector<UniquePtr<Mirror>> mirrors;
    std::vector<std::uint64_t> words;
    for (const schedule::Argument& argument : kernel.arguments) {
      if (argument.access == schedule::Access::local) continue;
      const auto elements = static_cast<std::size_t>(value_at(kernel, sizes, argument.elements));
      const bool only_written = argument.access == schedule::Access::write;
      mirrors.push_back(make_unique_ptr<Mirror>(buffers[mirrors.size()],
                                                elements * info(argument.dtype).size,
                                                !only_written || outputs == Outputs::as_on_host,
                                                argument.access != schedule::Access::read));
      words.push_back(mirrors.back()->address_);
    }
    for (std::size_t i = 0; i < kernel.symbols.size(); ++i) {
      words.push_back(static_cast<std::uint64_t>(sizes[i]));
    }
    mirrors.push_back(make_unique_ptr<Mirror>(context, sizeof(Context), true, true));
    words.push_back(mirrors.back()->address_);
    context->fault = -launch_emulated(function, kernel, sizes, words, most_blocks, options);
    if (context->fault != 0) return;
    for (const auto& mirror : mirrors) mirror->read_back();
  };
}

/// Runs all of `all` on an emulator with each of `sizes` of their symbols, and compares with their
/// definitions.
inline void check_emulated(const Vector<schedule::Kernel>& all, double tolerance,
                           const Vector<std::vector<std::int64_t>>& sizes = {},
                           const codegen::CudaOptions& options = {}) {
  emulator::Emulator machine;
  emulator::use_device(0);
  Vector<Source> sources;
  for (const schedule::Kernel& kernel : all) sources.push_back(codegen::emit_cuda(kernel, options));
  const emulator::Program program(cuda_program(sources, options));
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Call call = call_emulated(program, sources[i], all[i], Outputs::unwritten, 4, options);
    const bool fixed = all[i].symbols.empty();
    for (const auto& one : fixed ? Vector<std::vector<std::int64_t>>{{}} : sizes) {
      INFO(sources[i].name, " ", text(one));
      CHECK(difference(all[i], call, one, {.tolerance = tolerance}) == "");
      REQUIRE(first_report(machine) == "");
    }
  }
}

}  // namespace kernels
