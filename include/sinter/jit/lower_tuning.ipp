#pragma once

// The first run of a program whose kernels timing decides.

#include <cstring>  // std::memcpy

#include <sinter/base/log.hpp>
#include <sinter/device/cuda_copy.hpp>
#include <sinter/device/cuda_memory.hpp>
#include <sinter/device/storage.hpp>
#include <sinter/jit/lower.hpp>
#include <sinter/runtime/background.hpp>
#include <sinter/symbol/evaluate.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

/// Times the kernels of a program on copies of the inputs of a call, which goes on meanwhile.
class TuneLater : public runtime::BackgroundJob {
 public:
  TuneLater(std::shared_ptr<const Program> program, const TuningCall& call);
  void run() noexcept override { program_->tune_now({pointers_, symbols_, kept_from_}); }

 private:
  std::shared_ptr<const Program> program_;
  std::vector<Storage> copies_{};
  std::vector<void*> pointers_{};
  std::vector<const Storage*> kept_from_{};
  std::vector<std::int64_t> symbols_;
};

SINTER_INLINE TuneLater::TuneLater(std::shared_ptr<const Program> program, const TuningCall& call)
    : program_(std::move(program)), symbols_(call.symbols.begin(), call.symbols.end()) {
  const Graph& graph = program_->graph();
  const auto on_gpu = [&](const void* address) {
    const Device device = program_->device();
    return device.is_cuda() ? memory_at(device, address) : Storage();
  };
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    const TensorType& type = graph.type(graph.inputs[i]);
    const auto elements = static_cast<std::size_t>(evaluate(numel(type.shape), symbols_));
    const std::size_t bytes = elements * info(type.dtype).size;
    if (const Storage there = on_gpu(call.inputs[i])) {
      copies_.push_back(copied_to(there, program_->device()));
      pointers_.push_back(copies_.back().data());
      continue;
    }
    copies_.push_back(Storage::allocate(bytes));
    pointers_.push_back(copies_.back().data());
    if (bytes != 0) std::memcpy(pointers_.back(), call.inputs[i], bytes);
  }
  for (const std::int32_t input : program_->kept_inputs()) {
    kept_from_.push_back(&copies_[static_cast<std::size_t>(input)]);
  }
}

SINTER_INLINE void Program::tune(const TuningCall& call) const {
  if (!tuner_->options().later) return tune_now(call);
  try {
    runtime::run_in_background(std::make_shared<TuneLater>(shared_from_this(), call));
  } catch (const ValueError& error) {  // there is no memory for copies
    log(Log::autotune, text("nothing was tuned: ", error.what()));
  }
}

SINTER_INLINE void Program::tune_now(const TuningCall& call) const {
  std::optional<Build> build = tuner_->tune(graph_, first_, call);
  if (!build) return;
  tuned_ = std::move(*build);
  present_.store(&tuned_, std::memory_order_release);
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
