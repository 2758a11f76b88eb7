#pragma once

#include <atomic>   // std::atomic
#include <cstring>  // std::memcpy, std::memset

#include <sinter/base/text.hpp>
#include <sinter/dist/collective/kernel.hpp>
#include <sinter/dist/collective/transport.hpp>
#include <sinter/dist/parallel/bucket.hpp>
#include <sinter/dist/parallel/started.hpp>
#include <sinter/graph/print.hpp>

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

  // All ranks have the same gradients in the bucket.
  collective::Call call_of(const Collective& what, std::span<const RawTensor> in) const override {
    collective::Call result = collective::call_of(what, in.subspan(0, 1), {});
    Hasher hasher;
    std::int64_t count = 0;
    for (const RawTensor& one : in) {
      hasher.add(collective::call_of(what, {&one, 1}, {}).hash);
      count += one.numel();
    }
    result.hash = hasher.result().low;
    result.text = text(described(what), " of ", in.size(), " gradients from number ", what.gradient,
                       " down, ", to_string(in[0].dtype()), "[", count, "] at ",
                       sinter::to_string(what.where));
    return result;
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

}  // namespace sinter::inline SINTER_ABI::detail::parallel
