#pragma once

#include <cstring>  // std::memcpy
#include <mutex>    // std::lock_guard
#include <utility>  // std::move

#include <sinter/base/container/sorted_map.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/process_mutex.hpp>
#include <sinter/base/text.hpp>
#include <sinter/dist/parallel/started.hpp>
#include <sinter/graph/control.hpp>
#include <sinter/graph/custom/host_work.hpp>
#include <sinter/runtime/host/profiler.hpp>

namespace sinter::inline SINTER_ABI::detail::parallel {

using collective::Collective;

// Profiles show background collectives as this thread.
inline constexpr int background_thread = 1000;

SINTER_INLINE StartedJob::StartedJob(const Collective& what, const RawTensor& result)
    : what_(what),
      bytes_(bytes_of(result)),
      own_(checks_custom() ? Storage::allocate(bytes_, cpu(), Where(), "a collective") : Storage()),
      data_(static_cast<unsigned char*>(own_ ? own_.data() : result.data())) {}

SINTER_INLINE void StartedJob::run(collective::Bytes& bytes) {
  const std::int64_t begin = runtime::monotonic_nanoseconds();
  move(bytes, collective::group(what_.group, op_of(what_), what_.where));
  if (!runtime::KernelProfiler::is_on()) return;
  const auto moved = static_cast<std::int64_t>(bytes_);
  const bool is_bucket = what_.gradient >= 0;
  const std::size_t number = runtime::KernelProfiler::process().add_run(
      {.kernel = text(op_of(what_), is_bucket ? " of a bucket" : " of a parameter"),
       .bytes_read = moved,
       .bytes_written = moved,
       .lines = {what_.where},
       .work = HostWork::background});
  runtime::KernelProfiler::process().add_span(
      {number, background_thread, begin, runtime::monotonic_nanoseconds()});
}

// The jobs of all plans that were started and not yet waited for.
class StartedJobs {
 public:
  static StartedJobs& process() {
    static auto& list = *new StartedJobs;
    return list;
  }

  void add(std::uint64_t number, SharedPtr<StartedJob> job, const HostKernel* by) {
    const std::lock_guard lock(mutex_);
    started_[number] = {std::move(job), by};
  }
  SharedPtr<StartedJob> take(std::uint64_t number) {
    const std::lock_guard lock(mutex_);
    SharedPtr<StartedJob> result = std::move(started_.at(number).job);
    started_.erase(started_.find(number));
    return result;
  }
  // The numbers of the jobs that `by` has started.
  Vector<std::uint64_t> of(const HostKernel* by) {
    const std::lock_guard lock(mutex_);
    Vector<std::uint64_t> result;
    for (const auto& [number, started] : started_) {
      if (started.by == by) result.push_back(number);
    }
    return result;
  }

 private:
  struct Started {
    SharedPtr<StartedJob> job{};
    const HostKernel* by = nullptr;
  };
  ProcessMutex mutex_{};
  SortedMap<std::uint64_t, Started> started_{};
};

// The host function of a launch that starts a job.
class StartJob : public StartingKernel {
 public:
  StartJob(const Collective& what, SharedPtr<const JobSource> source)
      : what_(what), source_(std::move(source)) {}

  void operator()(std::span<const RawTensor> in, std::span<const RawTensor> out) const override {
    const collective::Call call = source_->call_of(what_, in);
    collective::Transport& group = collective::group(what_.group, call.op, what_.where);
    SharedPtr<StartedJob> job = source_->job_of(what_, in, out[1]);
    const std::uint64_t number = group.start(call, SharedPtr<collective::Job>(job));
    StartedJobs::process().add(number, std::move(job), this);
    *out[0].data<std::int64_t>() = static_cast<std::int64_t>(number);
  }
  void abandon() const override;

 private:
  Collective what_;
  SharedPtr<const JobSource> source_;
};

SINTER_INLINE void StartJob::abandon() const {
  const Vector<std::uint64_t> numbers = StartedJobs::process().of(this);
  if (numbers.empty()) return;
  collective::Transport& group = collective::group(what_.group, op_of(what_), what_.where);
  for (const std::uint64_t number : numbers) {
    const SharedPtr<StartedJob> job = StartedJobs::process().take(number);
    try {
      group.wait(number);
    } catch (...) {  // the run already has an error
    }
  }
  group.fail(
      text("a step failed after it had started a collective, at ", sinter::to_string(what_.where)));
}

// Waits for a job, and copies its elements to results that are not in its memory.
class WaitForJob : public HostKernel {
 public:
  explicit WaitForJob(const Collective& what) : what_(what) {}
  HostWork work() const override { return HostWork::wait; }

  void operator()(std::span<const RawTensor> in, std::span<const RawTensor> out) const override {
    const auto number = static_cast<std::uint64_t>(*in[0].data<std::int64_t>());
    collective::Transport& group = collective::group(what_.group, op_of(what_), what_.where);
    const SharedPtr<StartedJob> job = StartedJobs::process().take(number);
    group.wait(number);
    std::size_t begin = 0;
    for (const RawTensor& one : out) {
      const std::size_t bytes = bytes_of(one);
      const unsigned char* const from = job->data() + begin;
      if (bytes != 0 && one.data() != from) std::memcpy(one.data(), from, bytes);
      begin += next_begin(bytes);
    }
  }

 private:
  Collective what_;
};

SINTER_INLINE Node background_node(const Collective& what, CustomCode code, std::size_t operands) {
  code.text_hash = hash_of(text(code.name, what.gradient));
  code.identity = Hasher().add(code.text_hash).add(word_of(what.where)).result();
  return {.op = Op::custom,
          .attributes = {{"code", make_shared_ptr<const CustomCode>(std::move(code))},
                         {"operands", constant(static_cast<std::int64_t>(operands))},
                         {"kernel", std::string("call")}},
          .where = what.where};
}

// A node whose host function is `kernel`.
SINTER_INLINE Node host_node(const Collective& what, std::string_view name,
                             SharedPtr<const HostKernel> kernel, std::size_t operands) {
  return background_node(what,
                         {.name = text("dist::", name),
                          .call = std::move(kernel),
                          .has_side_effects = true,
                          .where = what.where},
                         operands);
}

SINTER_INLINE Node start_node(const Collective& what, std::string_view name,
                              SharedPtr<const JobSource> source, Span<const Value> inputs,
                              TensorType memory) {
  Node node = host_node(what, name, make_shared_ptr<const StartJob>(what, std::move(source)),
                        inputs.size());
  node.attributes.push_back({"starts", constant(true)});
  for (const Value input : inputs) node.inputs.push_back(input);
  node.results.push_back({i64, {}});
  node.results.push_back(std::move(memory));
  return node;
}

SINTER_INLINE Node wait_node(const Collective& what, std::string_view name, Value started,
                             Span<const Value> inputs, Span<const TensorType> types) {
  Node node = host_node(what, name, make_shared_ptr<const WaitForJob>(what), inputs.size() + 1);
  node.attributes.push_back({"splits", constant(true)});
  node.inputs.push_back(started);
  for (const Value input : inputs) node.inputs.push_back(input);
  for (const TensorType& type : types) node.results.push_back(type);
  return node;
}

}  // namespace sinter::inline SINTER_ABI::detail::parallel
