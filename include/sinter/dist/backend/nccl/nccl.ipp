#pragma once

#include <sinter/device/cuda/submission.hpp>
#include <sinter/dist/backend/nccl/communicators.hpp>
#include <sinter/dist/backend/nccl/nccl.hpp>
#include <sinter/dist/collective/gpu_transport.hpp>

namespace sinter::inline SINTER_ABI::detail::nccl {

using collective::Collective;
using collective::Kind;

// The type with which NCCL reduces elements.
SINTER_INLINE int type_of(DType dtype) {
  switch (dtype) {
    case DType::i8:
      return Functions::i8;
    case DType::i32:
      return Functions::i32;
    case DType::i64:
      return Functions::i64;
    case DType::f16:
      return Functions::f16;
    case DType::bf16:
      return Functions::bf16;
    case DType::f32:
      return Functions::f32;
    case DType::f64:
      return Functions::f64;
    default:  // u8, and booleans, which are 0 or 1
      return Functions::u8;
  }
}

SINTER_INLINE int reduction_of(dist::Reduce reduce) {
  constexpr int all[]{Functions::sum, Functions::mean, Functions::min, Functions::max};
  return all[static_cast<std::size_t>(reduce)];
}

// Enqueues collectives on a stream, as one group of NCCL.
class Enqueuing {
 public:
  Enqueuing(const Collective& what, const collective::Call& call, int gpu, void* stream)
      : what_(what),
        call_(call),
        communicator_(communicator(call, what.group, gpu)),
        group_(collective::group(what.group, call.op, call.where)),
        stream_(stream) {}

  void run(std::span<const RawTensor> in, std::span<const RawTensor> out) {
    check(table_.group_start(), "ncclGroupStart");
    try {
      for (std::size_t i = 0; i < in.size(); ++i) enqueue(in[i], out[i]);
    } catch (...) {
      table_.group_end();  // later calls of this thread would join the group
      throw;
    }
    check(table_.group_end(), "ncclGroupEnd");
  }

 private:
  static std::size_t bytes_of(const RawTensor& x) {
    return static_cast<std::size_t>(x.numel()) * info(x.dtype()).size;
  }

  void check(int status, const char* function) { finish(call_, communicator_, status, function); }

  // In a group, calls are only recorded; group_end() enqueues them.
  void check_noted(int status, const char* function) {
    if (status != Functions::in_progress) check(status, function);
  }

  // Collectives that only move elements move bytes, whatever the dtype.
  void enqueue(const RawTensor& in, const RawTensor& out) {
    const auto count = static_cast<std::size_t>(out.numel());
    if (count == 0 && in.numel() == 0) return;
    const int type = type_of(in.dtype()), reduction = reduction_of(what_.reduce);
    const void* const from = in.data();
    switch (what_.kind) {
      case Kind::reduce:
        return check_noted(table_.reduce(from, out.data(), count, type, Functions::sum, what_.peer,
                                         communicator_, stream_),
                           "ncclReduce");
      case Kind::all_gather:
        return check_noted(table_.all_gather(from, out.data(), bytes_of(in), Functions::u8,
                                             communicator_, stream_),
                           "ncclAllGather");
      case Kind::reduce_scatter:
        return check_noted(
            table_.reduce_scatter(from, out.data(), count, type, reduction, communicator_, stream_),
            "ncclReduceScatter");
      case Kind::broadcast:
        return check_noted(table_.broadcast(from, out.data(), bytes_of(in), Functions::u8,
                                            what_.peer, communicator_, stream_),
                           "ncclBroadcast");
      case Kind::all_to_all:
        return exchange(in, out);
      default:  // a barrier reduces a number
        return check_noted(
            table_.all_reduce(from, out.data(), count, type, reduction, communicator_, stream_),
            "ncclAllReduce");
    }
  }

  void exchange(const RawTensor& in, const RawTensor& out) {
    const std::size_t part = bytes_of(in) / static_cast<std::size_t>(group_.size());
    for (int rank = 0; rank < group_.size(); ++rank) {
      const std::size_t at = part * static_cast<std::size_t>(rank);
      check_noted(table_.send(static_cast<const char*>(in.data()) + at, part, Functions::u8, rank,
                              communicator_, stream_),
                  "ncclSend");
      check_noted(table_.receive(static_cast<char*>(out.data()) + at, part, Functions::u8, rank,
                                 communicator_, stream_),
                  "ncclRecv");
    }
  }

  const Functions& table_ = *library();
  const Collective& what_;
  const collective::Call& call_;
  Communicator communicator_;
  const collective::Transport& group_;
  void* stream_;
};

class NcclTransport : public collective::GpuTransport {
 public:
  std::string why_not() const override { return why_no_library(); }

  void prepare(const collective::Call& call, int group, int gpu) override {
    try {
      collective::group(group, call.op, call.where).run(call, [](collective::Bytes&) {});
      require_communicator(call, group, gpu);
    } catch (const dist::RankError&) {
      end_communicators(true);
      throw;
    }
  }

  void enqueue(const Collective& collective, const collective::Call& call,
               std::span<const RawTensor> in, std::span<const RawTensor> out, int gpu,
               void* stream) override {
    if (collective.kind == Kind::reduce) set_to_zero(collective, out[0], gpu, stream);
    Enqueuing(collective, call, gpu, stream).run(in, out);
  }

  void end(bool has_failed) noexcept override { end_communicators(has_failed); }

 private:
  // NCCL writes the result only on the root.
  static void set_to_zero(const Collective& collective, const RawTensor& out, int gpu,
                          void* stream) {
    const std::size_t bytes = static_cast<std::size_t>(out.numel()) * info(out.dtype()).size;
    if (bytes == 0) return;
    const CudaContext& context = CudaContext::of(cuda(gpu), collective.where);
    context.check(context.driver().set_bytes_async(
                      reinterpret_cast<CudaDriver::Address>(out.data()), 0, bytes, stream),
                  "cuMemsetD8Async", collective.where);
  }
};

SINTER_INLINE bool install() {
  static auto& transport = *new NcclTransport;
  collective::gpu_transport() = &transport;
  return true;
}

}  // namespace sinter::inline SINTER_ABI::detail::nccl
