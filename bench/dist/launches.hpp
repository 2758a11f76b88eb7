#pragma once
// The launches of a compiled training step: those of its plan, and their times.

#include <sinter/dist.hpp>
#include <sinter/sinter.hpp>

#include <algorithm>    // std::max
#include <cstring>      // std::memcpy
#include <functional>   // std::function
#include <limits>       // std::numeric_limits
#include <map>          // std::map
#include <stdexcept>    // std::runtime_error
#include <string>       // std::string
#include <string_view>  // std::string_view
#include <utility>      // std::move, std::swap
#include <vector>       // std::vector

#include <sinter/dist/collective/transport.hpp>
#include <sinter/dist/parallel/bucket_gradients.hpp>
#include <sinter/jit/lower/lowering_probe.hpp>
#include <sinter/jit/rewrite/program_rewrite.hpp>
#include <sinter/jit/rewrite/resolve_custom.hpp>
#include <sinter/pass/pipeline.hpp>
#include <sinter/runtime/host/profiler.hpp>
#include <sinter/schedule/plan.hpp>
#include <sinter/symbol/solve/evaluate.hpp>

#include "../measure.hpp"
#include "simulation.hpp"

namespace bench {

namespace plans = sinter::detail::schedule;
namespace collectives = sinter::detail::collective;

/// A group whose collectives take no time: all ranks have the tensors of this one, and background
/// jobs do nothing. Plans are made for its size, and kernels are measured without waits.
class FreeGroup : public collectives::Transport {
 public:
  explicit FreeGroup(int size) : Transport(0, size) {}

  void run(const collectives::Call&,
           sinter::detail::FunctionRef<void(collectives::Bytes&)> body) override {
    Copies copies(static_cast<std::size_t>(size()));
    body(copies);
  }
  std::uint64_t start(const collectives::Call&,
                      sinter::detail::SharedPtr<collectives::Job>) override {
    return ++started_;
  }
  void wait(std::uint64_t) override {}
  void send(const collectives::Call& call, const void*, std::size_t, int) override { refuse(call); }
  void receive(const collectives::Call& call, void*, std::size_t, int) override { refuse(call); }
  void attend(const collectives::Call&, double) override {}
  void fail(std::string_view why) override { throw std::runtime_error(std::string(why)); }
  sinter::detail::SharedPtr<Transport> split(const collectives::Call& call, int) override {
    refuse(call);
  }

 private:
  class Copies : public collectives::Bytes {
   public:
    explicit Copies(std::size_t size) : size_(size) {}
    void all_gather(const void* in, void* out, std::size_t bytes) override {
      for (std::size_t i = 0; i < size_; ++i) std::memmove(at(out, i * bytes), in, bytes);
    }
    void all_gather(const void* in, void* out,
                    sinter::detail::Span<const std::size_t> bytes) override {
      for (std::size_t i = 0, begin = 0; i < size_; begin += bytes[i++]) {
        std::memmove(at(out, begin), in, std::min(bytes[0], bytes[i]));
      }
    }
    void exchange(const void* in, sinter::detail::Span<const std::size_t> sent, void* out,
                  sinter::detail::Span<const std::size_t> received) override {
      for (std::size_t i = 0, begin = 0; i < size_; begin += received[i++]) {
        std::memcpy(at(out, begin), in, std::min(sent[0], received[i]));
      }
    }
    void broadcast(void*, std::size_t, int) override {}

   private:
    static void* at(void* memory, std::size_t offset) {
      return static_cast<unsigned char*>(memory) + offset;
    }
    std::size_t size_;
  };

  [[noreturn]] static void refuse(const collectives::Call& call) {
    throw std::runtime_error(call.text + " has no part in a simulation");
  }

  std::uint64_t started_ = 0;
};

/// While it lives, the group of all ranks is a FreeGroup of `size`, with a World or without.
class ScopedFreeGroup {
 public:
  explicit ScopedFreeGroup(int size) {
    auto& groups = collectives::groups();
    real_ = groups.empty() ? nullptr : groups[0];
    if (groups.empty()) groups.emplace_back();
    groups[0] = sinter::detail::make_shared_ptr<FreeGroup>(size);
    std::swap(rewrite_, sinter::detail::jit::program_rewrite());
  }
  ScopedFreeGroup(const ScopedFreeGroup&) = delete;
  ScopedFreeGroup& operator=(const ScopedFreeGroup&) = delete;
  ~ScopedFreeGroup() {
    auto& groups = collectives::groups();
    std::swap(rewrite_, sinter::detail::jit::program_rewrite());
    if (real_ == nullptr) {
      groups.clear();
    } else {
      groups[0] = real_;
    }
  }

 private:
  sinter::detail::SharedPtr<collectives::Transport> real_{};
  sinter::detail::jit::ProgramRewrite rewrite_ = sinter::detail::parallel::bucket_gradients;
};

/// What a GPU can do at most, and what a launch costs.
struct GpuRoof {
  double bytes_per_second, operations_per_second;
  double operations_per_second_16;  ///< Of products of 16-bit numbers.
  double launch;                    ///< Seconds from the end of a kernel to the begin of the next.
};

namespace detail {

inline double number(const sinter::Extent& extent) {
  return static_cast<double>(
      sinter::detail::evaluate(extent, sinter::detail::Span<const std::int64_t>()));
}

inline double bytes_of(const sinter::detail::TensorType& type) {
  return number(sinter::numel(type.shape)) *
         static_cast<double>(sinter::detail::info(type.dtype).size);
}

inline bool is_16_bit(sinter::DType dtype) { return dtype == sinter::bf16 || dtype == sinter::f16; }

inline bool has_16_bit(const plans::Kernel& kernel) {
  return std::any_of(kernel.arguments.begin(), kernel.arguments.end(),
                     [](const auto& one) { return is_16_bit(one.dtype); }) ||
         std::any_of(kernel.instructions.begin(), kernel.instructions.end(),
                     [](const auto& one) { return is_16_bit(one.dtype); });
}

inline double roofline_seconds(const plans::Plan& plan, const plans::Launch& launch,
                               const GpuRoof& roof) {
  const plans::Kernel& kernel = plan.kernels[static_cast<std::size_t>(launch.kernel)];
  const double bytes = number(launch.bytes_read) + number(launch.bytes_written);
  const double rate =
      has_16_bit(kernel) ? roof.operations_per_second_16 : roof.operations_per_second;
  return roof.launch + std::max(bytes / roof.bytes_per_second, number(launch.operations) / rate);
}

}  // namespace detail

/// The launches of `plan` in their order, with the times of `roof`: a kernel takes the least time
/// for its bytes or for its operations, whichever is longer. Gradients that are computed outside of
/// their bucket are copied into it, and those that are read outside of it are copied back.
inline std::vector<Launch> launches_of(const plans::Plan& plan, const GpuRoof& roof) {
  constexpr std::string_view dist = "dist::", starts = "start_", waits = "wait_";
  std::vector<Launch> result;
  std::map<std::int32_t, int> buckets;  // by the buffer of the job's number
  for (const plans::Launch& launch : plan.launches) {
    if (launch.control < 0) {
      const auto& kernel = plan.kernels[static_cast<std::size_t>(launch.kernel)];
      result.push_back(
          {.name = kernel.name, .seconds = detail::roofline_seconds(plan, launch, roof)});
      continue;
    }
    const plans::Control& control = plan.controls[static_cast<std::size_t>(launch.control)];
    std::string_view name = control.code == nullptr ? "" : std::string_view(control.code->name);
    if (!name.starts_with(dist)) {
      throw std::runtime_error("a step to simulate has kernels and collectives only");
    }
    name.remove_prefix(dist.size());
    double in = 0, out = 0, copied = 0;
    const auto inputs = static_cast<std::size_t>(control.inputs);
    for (std::size_t i = 0; i < control.types.size(); ++i) {
      const double bytes = detail::bytes_of(control.types[i]);
      (i < inputs ? in : out) += bytes;
      const bool is_gradient = name.starts_with(starts) ? i < inputs : i >= inputs;
      const auto& buffer = plan.buffers[static_cast<std::size_t>(launch.buffers[i])];
      if (is_gradient && buffer.whole < 0) copied += bytes;
    }
    if (name.starts_with(starts)) {
      const int bucket = static_cast<int>(buckets.size());
      buckets[launch.buffers[inputs]] = bucket;
      result.push_back({Launch::Kind::start, std::string(name.substr(starts.size())),
                        2 * copied / roof.bytes_per_second, in, bucket});
    } else if (name.starts_with(waits)) {
      result.push_back({Launch::Kind::wait, std::string(name.substr(waits.size())),
                        2 * copied / roof.bytes_per_second, 0, buckets.at(launch.buffers[0])});
    } else {
      result.push_back({Launch::Kind::collective, std::string(name), 0, std::max(in, out)});
    }
  }
  return result;
}

namespace detail {

// Takes the graph that is about to be compiled, and ends the call.
class Recorded : public sinter::detail::jit::LoweringProbe {
 public:
  struct Taken {};

  Recorded() { sinter::detail::jit::lowering_probe = this; }
  Recorded(const Recorded&) = delete;
  Recorded& operator=(const Recorded&) = delete;
  ~Recorded() override { sinter::detail::jit::lowering_probe = nullptr; }

  void begins(const sinter::detail::Graph& recorded,
              const sinter::detail::jit::LowerOptions& options) override {
    graph_ = recorded;
    updates_ = options.updates;
    throw Taken{};
  }

  plans::Plan plan(const plans::Target& target) const {
    using namespace sinter::detail;
    Graph graph = pass::optimize(jit::resolve_custom(graph_, true), {});
    graph = jit::program_rewrite()(std::move(graph));
    return plans::plan(graph, {.updates = updates_, .row_tiles = true, .target = target});
  }

 private:
  sinter::detail::Graph graph_{};
  sinter::detail::Vector<plans::Update> updates_{};
};

// Takes the plan of the graph that is compiled.
class Planned : public sinter::detail::jit::LoweringProbe {
 public:
  Planned() { sinter::detail::jit::lowering_probe = this; }
  Planned(const Planned&) = delete;
  Planned& operator=(const Planned&) = delete;
  ~Planned() override { sinter::detail::jit::lowering_probe = nullptr; }
  void planned(plans::Plan& plan) override { plan_ = plan; }

  plans::Plan plan_{};
};

}  // namespace detail

/// The launches, for `target` and this number of ranks, of the one graph that `prepare` would
/// compile. Nothing is compiled, so that any machine can plan for any target.
template <class Prepare>
std::vector<Launch> planned_launches(int ranks, const plans::Target& target, const GpuRoof& roof,
                                     const Prepare& prepare) {
  const ScopedFreeGroup group(ranks);
  const detail::Recorded recorded;
  try {
    prepare();
  } catch (const detail::Recorded::Taken&) {
  }
  return launches_of(recorded.plan(target), roof);
}

/// A measured step: its launches, with the times of its fastest call.
class MeasuredStep {
 public:
  /// `step` is compiled in its first call, for `ranks` ranks.
  MeasuredStep(int ranks, std::function<void()> step) : ranks_(ranks), step_(std::move(step)) {
    const ScopedFreeGroup group(ranks_);
    const detail::Planned planned;
    step_();
    launches_ = launches_of(planned.plan_, {1, 1, 1, 0});
  }

  /// Measures a call in which collectives take no time.
  void measure() {
    const ScopedFreeGroup group(ranks_);
    step_();  // a warm-up
    auto& profiler = sinter::detail::runtime::KernelProfiler::process();
    profiler.start();
    const double whole = bench::seconds(step_);
    const std::vector<double> found = seconds_of_runs(profiler.stop());
    if (found.size() != launches_.size()) {
      throw std::runtime_error("the step ran " + std::to_string(found.size()) + " of " +
                               std::to_string(launches_.size()) + " launches");
    }
    if (whole >= fastest_) return;
    fastest_ = whole;
    outside_ = whole;
    for (std::size_t i = 0; i < found.size(); ++i) {
      launches_[i].seconds = found[i];
      outside_ -= found[i];
    }
  }

  /// The launches of the fastest call, after a launch for the time outside of them.
  std::vector<Launch> launches() const {
    std::vector<Launch> result{{.name = "outside of kernels", .seconds = outside_}};
    result.insert(result.end(), launches_.begin(), launches_.end());
    return result;
  }

 private:
  // Of each run, in order.
  static std::vector<double> seconds_of_runs(const sinter::detail::runtime::KernelTrace& trace) {
    std::vector<std::int64_t> begins(trace.runs.size()), ends(trace.runs.size());
    for (const auto& span : trace.spans) {
      const bool is_first = ends[span.run] == 0;
      begins[span.run] = is_first ? span.start : std::min(begins[span.run], span.start);
      ends[span.run] = std::max(ends[span.run], span.end);
    }
    std::vector<double> result;
    for (std::size_t i = 0; i < begins.size(); ++i) {
      result.push_back(1e-9 * static_cast<double>(ends[i] - begins[i]));
    }
    return result;
  }

  int ranks_;
  std::function<void()> step_;
  std::vector<Launch> launches_{};
  double fastest_ = std::numeric_limits<double>::infinity(), outside_ = 0;
};

}  // namespace bench
