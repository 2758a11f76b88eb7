#pragma once

#include <cstring>  // std::memcpy
#include <mutex>    // std::lock_guard

#include <sinter/base/container/sorted_map.hpp>
#include <sinter/base/process_mutex.hpp>
#include <sinter/base/text.hpp>
#include <sinter/device/host/storage.hpp>
#include <sinter/dist/collective/gpu_transport.hpp>
#include <sinter/dist/collective/kernel.hpp>
#include <sinter/dist/collective/transport.hpp>
#include <sinter/dist/parallel/bucket.hpp>
#include <sinter/graph/control.hpp>
#include <sinter/graph/custom/host_work.hpp>
#include <sinter/graph/print.hpp>
#include <sinter/runtime/host/profiler.hpp>
#include <sinter/schedule/control/section.hpp>

namespace sinter::inline SINTER_ABI::detail::parallel {

using collective::Collective;

// Profiles show what runs in the background as a thread of its own.
inline constexpr int background_thread = 1000;

// The memory of a bucket, and its reduction.
class BucketJob : public collective::Job {
 public:
  BucketJob(const Collective& what, std::span<const RawTensor> gradients)
      : what_(what), dtype_(gradients[0].dtype()) {
    for (const RawTensor& one : gradients) count_ += one.numel();
    memory_ = Storage::allocate(static_cast<std::size_t>(count_) * info(dtype_).size, cpu(),
                                Where(), "a bucket of gradients");
    auto* to = static_cast<unsigned char*>(memory_.data());
    for (const RawTensor& one : gradients) to = copy(to, one.data(), one.numel());
  }

  void run(collective::Bytes& bytes) override {
    const collective::Transport& group = collective::group(what_.group, op_of(what_), what_.where);
    const std::int64_t begin = runtime::monotonic_nanoseconds();
    collective::all_reduce(bytes, group.rank(), group.size(), what_.reduce, dtype_, memory_.data(),
                           memory_.data(), count_);
    if (!runtime::KernelProfiler::is_on()) return;
    const auto moved = static_cast<std::int64_t>(memory_.bytes());
    const std::size_t number =
        runtime::KernelProfiler::process().add_run({.kernel = "dist::all_reduce of a bucket",
                                                    .bytes_read = moved,
                                                    .bytes_written = moved,
                                                    .lines = {what_.where},
                                                    .work = HostWork::background});
    runtime::KernelProfiler::process().add_span(
        {number, background_thread, begin, runtime::monotonic_nanoseconds()});
  }

  // Copies the elements to `results`.
  void give(std::span<const RawTensor> results) const {
    const auto* from = static_cast<const unsigned char*>(memory_.data());
    for (const RawTensor& one : results) {
      const std::size_t bytes = static_cast<std::size_t>(one.numel()) * info(dtype_).size;
      if (bytes != 0) std::memcpy(one.data(), from, bytes);
      from += bytes;
    }
  }

 private:
  unsigned char* copy(unsigned char* to, const void* from, std::int64_t count) const {
    const std::size_t bytes = static_cast<std::size_t>(count) * info(dtype_).size;
    if (bytes != 0) std::memcpy(to, from, bytes);
    return to + bytes;
  }

  Collective what_;
  DType dtype_;
  std::int64_t count_ = 0;
  Storage memory_{};
};

// The buckets that were started and not waited for yet, of all plans.
class StartedBuckets {
 public:
  static StartedBuckets& process() {
    static auto& list = *new StartedBuckets;
    return list;
  }

  void add(std::uint64_t number, SharedPtr<BucketJob> job, const HostKernel* by) {
    const std::lock_guard lock(mutex_);
    started_[number] = {std::move(job), by};
  }
  SharedPtr<BucketJob> take(std::uint64_t number) {
    const std::lock_guard lock(mutex_);
    SharedPtr<BucketJob> result = std::move(started_.at(number).job);
    started_.erase(started_.find(number));
    return result;
  }
  // Whether `by` has started a bucket that nobody waited for: its call threw in between.
  bool is_abandoned(const HostKernel* by) {
    const std::lock_guard lock(mutex_);
    for (const auto& [number, bucket] : started_) {
      if (bucket.by == by) return true;
    }
    return false;
  }

 private:
  struct Started {
    SharedPtr<BucketJob> job{};
    const HostKernel* by = nullptr;
  };
  ProcessMutex mutex_{};
  SortedMap<std::uint64_t, Started> started_{};
};

class StartBucket : public HostKernel {
 public:
  explicit StartBucket(const Collective& what) : what_(what) {}

  void operator()(std::span<const RawTensor> in, std::span<const RawTensor> out) const override {
    const collective::Call call = collective::call_of_all(what_, in, {});
    collective::Transport& group = collective::group(what_.group, call.op, what_.where);
    if (StartedBuckets::process().is_abandoned(this)) {
      group.fail(text("a step ended with an error after it had begun to share gradients, at ",
                      sinter::to_string(what_.where)));
    }
    auto job = make_shared_ptr<BucketJob>(what_, in);
    const std::uint64_t number = group.start(call, SharedPtr<collective::Job>(job));
    StartedBuckets::process().add(number, std::move(job), this);
    *out[0].data<std::int64_t>() = static_cast<std::int64_t>(number);
  }

 private:
  Collective what_;
};

class WaitForBucket : public HostKernel {
 public:
  explicit WaitForBucket(const Collective& what) : what_(what) {}
  HostWork work() const override { return HostWork::wait; }

  void operator()(std::span<const RawTensor> in, std::span<const RawTensor> out) const override {
    const auto number = static_cast<std::uint64_t>(*in[0].data<std::int64_t>());
    const SharedPtr<BucketJob> job = StartedBuckets::process().take(number);
    collective::group(what_.group, op_of(what_), what_.where).wait(number);
    job->give(out);
  }

 private:
  Collective what_;
};

SINTER_INLINE Node bucket_node(const Collective& what, CustomCode code, std::size_t operands) {
  code.text_hash = hash_of(text(code.name, what.gradient));
  code.identity = Hasher().add(code.text_hash).add(word_of(what.where)).result();
  return {.op = Op::custom,
          .attributes = {{"code", make_shared_ptr<const CustomCode>(std::move(code))},
                         {"operands", constant(static_cast<std::int64_t>(operands))},
                         {"kernel", std::string("call")}},
          .where = what.where};
}

template <class Kernel>
Node host_node(const Collective& what, std::string_view name, std::size_t operands) {
  CustomCode code{.name = text("dist::", name),
                  .call = make_shared_ptr<const Kernel>(what),
                  .has_side_effects = true,
                  .where = what.where};
  return bucket_node(what, std::move(code), operands);
}

SINTER_INLINE Node gpu_node(const Collective& collective, Span<const Value> gradients,
                            Span<const TensorType> types) {
  CustomCode code{.name = "dist::all_reduce",
                  .on_stream = make_shared_ptr<const collective::GpuCollective>(collective),
                  .has_side_effects = true,
                  .where = collective.where};
  Node node = bucket_node(collective, std::move(code), gradients.size());
  node.attributes.push_back({"starts", constant(true)});
  node.attributes.push_back({schedule::overlap_attribute, constant(true)});
  for (const Value gradient : gradients) node.inputs.push_back(gradient);
  for (const TensorType& type : types) node.results.push_back(type);
  return node;
}

SINTER_INLINE Node start_node(const Collective& collective, Span<const Value> gradients) {
  Node node = host_node<StartBucket>(collective, "start_all_reduce", gradients.size());
  node.attributes.push_back({"starts", constant(true)});
  for (const Value gradient : gradients) node.inputs.push_back(gradient);
  node.results.push_back({i64, {}});
  return node;
}

SINTER_INLINE Node wait_node(const Collective& collective, Value started,
                             Span<const TensorType> types) {
  Node node = host_node<WaitForBucket>(collective, "wait_all_reduce", 1);
  node.inputs.push_back(started);
  for (const TensorType& type : types) node.results.push_back(type);
  return node;
}

}  // namespace sinter::inline SINTER_ABI::detail::parallel
