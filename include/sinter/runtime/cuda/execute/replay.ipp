#pragma once

#include <mutex>      // std::lock_guard
#include <utility>    // std::exchange

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/error.hpp>
#include <sinter/base/log.hpp>
#include <sinter/device/cuda/cublaslt.hpp>
#include <sinter/graph/custom/custom_code.hpp>
#include <sinter/runtime/cuda/execute/replay.hpp>
#include <sinter/runtime/cuda/execute/stream_replay.hpp>
#include <sinter/runtime/cuda/graph/dependencies.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

namespace detail {

// The first launch that updates an input in place; the number of launches if none does.
SINTER_INLINE std::size_t first_update(const schedule::Plan& plan,
                                       Span<const schedule::Update> updates) {
  const auto is_updated = [&](std::int32_t buffer) {
    return plan.buffers[static_cast<std::size_t>(buffer)].home == schedule::Home::output &&
           any_of(updates, [&](const schedule::Update& update) {
             return plan.outputs[static_cast<std::size_t>(update.output)] == buffer;
           });
  };
  for (std::size_t i = 0; i < plan.launches.size(); ++i) {
    const Vector<std::int32_t>& buffers = plan.launches[i].buffers;
    if (any_of(buffers, is_updated)) return i;
  }
  return plan.launches.size();
}

SINTER_INLINE std::size_t first_of_second_graph(const schedule::Plan& plan,
                                                const CudaFaults& faults,
                                                Span<const schedule::Update> updates) {
  return faults.any() ? first_update(plan, updates) : plan.launches.size();
}

SINTER_INLINE std::string describe(const schedule::Plan& plan) {
  const std::size_t count = plan.launches.size();
  std::string result = text(count, count == 1 ? " launch" : " launches");
  if (count != 0 && !plan.launches[0].lines.empty()) {
    result += text(", the first at ", sinter::to_string(plan.launches[0].lines[0]));
  }
  return result;
}

}  // namespace detail

SINTER_INLINE CudaReplay::CudaReplay(const schedule::Plan& plan, Span<const CudaGrid> grids,
                                     Span<const SharedPtr<const CudaLibraryCall>> calls,
                                     Span<const schedule::Update> updates, const CudaBodies& bodies)
    : plan_(plan),
      grids_(grids),
      calls_(calls),
      faults_(plan, Bodies::included),
      bodies_(bodies),
      dependencies_(launch_dependencies(plan, updates)),
      second_graph_begin_(detail::first_of_second_graph(plan, faults_, updates)),
      has_controls_(
          any_of(plan.launches, [&](const auto& launch) { return is_control(plan, launch); })) {
  std::int32_t numbers = 0;
  for (const std::int32_t input : plan.inputs) {
    const Extent elements = plan.buffers[static_cast<std::size_t>(input)].elements;
    number_slots_.push_back(same(elements, 1) ? numbers++ : -1);
  }
  own_bytes_ = faults_.bytes() + detail::number_bytes * static_cast<std::size_t>(numbers);
}

SINTER_INLINE CudaReplay::~CudaReplay() = default;

SINTER_INLINE std::string CudaReplay::why_not(const schedule::Plan& plan,
                                              Span<const schedule::Update> updates,
                                              const CudaBodies& bodies) {
  const auto is_custom = [](const schedule::Kernel& kernel) { return kernel.custom != nullptr; };
  if (checks_custom() && any_of(plan.kernels, is_custom)) {
    return "SINTER_CHECK puts guards around the memory of custom operations";
  }
  const auto is_control = [&](const auto& launch) { return runtime::is_control(plan, launch); };
  const auto control = find_if(plan.launches, is_control);
  if (control != plan.launches.end() && bodies.variants.empty()) {
    const auto number = static_cast<std::size_t>(control->control);
    return text(plan.controls[number].op, " needs the host: ", bodies.missing);
  }
  const CudaFaults faults(plan, Bodies::included);
  for (std::size_t i = detail::first_of_second_graph(plan, faults, updates);
       i < plan.launches.size(); ++i) {
    const bool can_fault = faults.has(i) && !plan.launches[i].is_checked;
    if (can_fault) return "data can be at fault after state is updated";
  }
  return plan.launches.empty() ? "nothing is launched" : "";
}

SINTER_INLINE void CudaReplay::note_refusal(const std::string& reason) {
  refused_ = true;
  log(Log::cudagraph, text("launched one by one: ", detail::describe(plan_), ", because ", reason));
}

// Products that are small for some sizes stay kernels: those need no new capture when sizes change.
SINTER_INLINE const CudaLibraryCall* CudaReplay::library_call(std::size_t launch) const {
  const auto kernel = static_cast<std::size_t>(plan_.launches[launch].kernel);
  const bool is_kernel = plan_.launches[launch].control < 0 && kernel < calls_.size();
  if (!is_kernel || calls_[kernel] == nullptr || !calls_[kernel]->always_pays()) return nullptr;
  return cublaslt() == nullptr ? nullptr : calls_[kernel].get();
}

// Null if too many streams have graphs, or the driver cannot create them.
SINTER_INLINE StreamReplay* CudaReplay::on(const CudaSubmission& work, Where where) {
  const std::lock_guard lock(mutex_);
  if (context_ != &work.context()) {  // the driver was replaced, or this is the first call
    streams_.clear();
    context_ = &work.context();
    refused_ = false;
  }
  for (const auto& one : streams_) {
    if (&one->stream() != &work.stream()) continue;
    return refused_ && !one->has_graphs() ? nullptr : one.get();
  }
  if (refused_) return nullptr;
  if (streams_.size() == max_streams) {
    note_refusal(text(max_streams, " other threads have graphs already"));
    return nullptr;
  }
  streams_.push_back(make_unique_ptr<StreamReplay>(*this, work.stream(), where));
  return streams_.back().get();
}

SINTER_INLINE StreamReplays CudaReplay::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(streams_, {});
}

SINTER_INLINE bool CudaReplay::run(CudaSubmission& work, const CudaCall& call) {
  StreamReplay* const replay = on(work, call.where);
  if (replay == nullptr) return false;
  try {
    replay->run(work, call);
  } catch (const DeviceError& error) {
    if (replay->has_graphs()) throw;
    const std::lock_guard lock(mutex_);
    note_refusal(text("the driver makes no graph: ", error.what()));
    return false;
  }
  return true;
}

}  // namespace sinter::inline SINTER_ABI::detail::runtime
