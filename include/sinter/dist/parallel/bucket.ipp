#pragma once

#include <atomic>   // std::atomic
#include <cstring>  // std::memcpy, std::memset
#include <utility>  // std::move

#include <sinter/base/text.hpp>
#include <sinter/dist/collective/gpu_transport.hpp>
#include <sinter/dist/collective/kernel.hpp>
#include <sinter/dist/collective/transport.hpp>
#include <sinter/dist/parallel/bucket.hpp>
#include <sinter/dist/parallel/started.hpp>
#include <sinter/graph/print.hpp>
#include <sinter/schedule/control/section.hpp>

namespace sinter::inline SINTER_ABI::detail::parallel {

using collective::Collective;

SINTER_INLINE std::atomic<std::int64_t>& copied_bytes() {
  static std::atomic<std::int64_t> count{0};
  return count;
}

SINTER_INLINE std::int64_t bytes_copied_to_buckets() { return copied_bytes(); }

// The reduction of a bucket.
class BucketJob : public StartedJob {
 public:
  BucketJob(const Collective& what, std::span<const RawTensor> gradients, const RawTensor& bucket)
      : StartedJob(what, bucket), dtype_(bucket.dtype()), count_(bucket.numel()) {
    unsigned char* to = data();
    for (const RawTensor& one : gradients) {
      const std::size_t bytes = bytes_of(one), space = next_begin(bytes);
      if (bytes != 0 && one.data() != to) {
        std::memcpy(to, one.data(), bytes);
        copied_bytes() += static_cast<std::int64_t>(bytes);
      }
      std::memset(to + bytes, 0, space - bytes);
      to += space;
    }
  }

 protected:
  void move(collective::Bytes& bytes, const collective::Transport& group) override {
    collective::all_reduce(bytes, group.rank(), group.size(), what().reduce, dtype_, data(), data(),
                           count_);
  }

 private:
  DType dtype_;
  std::int64_t count_;
};

class BucketSource : public JobSource {
 public:
  SharedPtr<StartedJob> job_of(const Collective& what, std::span<const RawTensor> in,
                               const RawTensor& memory) const override {
    return SharedPtr<StartedJob>(make_shared_ptr<BucketJob>(what, in, memory));
  }

  // The ranks compare all gradients of the bucket.
  collective::Call call_of(const Collective& what, std::span<const RawTensor> in) const override {
    return collective::call_of_all(what, in, {});
  }
};

SINTER_INLINE Node start_bucket(const Collective& collective, Span<const Value> gradients,
                                Span<const TensorType> types) {
  const std::size_t size = info(types[0].dtype).size;
  std::size_t bytes = 0;
  for (const TensorType& type : types) {
    bytes += next_begin(static_cast<std::size_t>(numel(type.shape).number()) * size);
  }
  Node node = start_node(collective, "start_all_reduce", make_shared_ptr<const BucketSource>(),
                         gradients, {types[0].dtype, {static_cast<std::int64_t>(bytes / size)}});
  node.attributes.push_back({"joins", constant(true)});
  return node;
}

SINTER_INLINE Node wait_for_bucket(const Collective& collective, NodeId start,
                                   Span<const TensorType> types) {
  const Value bucket(start, 1);
  return wait_node(collective, "wait_all_reduce", start, {&bucket, 1}, types);
}

SINTER_INLINE Node gpu_bucket(const Collective& collective, Span<const Value> gradients,
                              Span<const TensorType> types) {
  CustomCode code{.name = "dist::all_reduce",
                  .on_stream = make_shared_ptr<const collective::GpuCollective>(collective),
                  .has_side_effects = true,
                  .where = collective.where};
  Node node = background_node(collective, std::move(code), gradients.size());
  node.attributes.push_back({"starts", constant(true)});
  node.attributes.push_back({schedule::overlap_attribute, constant(true)});
  for (const Value gradient : gradients) node.inputs.push_back(gradient);
  for (const TensorType& type : types) node.results.push_back(type);
  return node;
}

}  // namespace sinter::inline SINTER_ABI::detail::parallel
