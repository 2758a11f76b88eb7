#pragma once

#include <algorithm>  // std::clamp
#include <cstring>    // std::memcpy

#include <sinter/base/container/vector.hpp>
#include <sinter/base/hash.hpp>
#include <sinter/base/text.hpp>
#include <sinter/device/host/storage.hpp>
#include <sinter/dist/collective/kernel.hpp>
#include <sinter/graph/print.hpp>

namespace sinter::inline SINTER_ABI::detail::collective {

// Up to this many bytes, an all_reduce gathers the elements of all ranks and adds them locally: one
// communication step instead of two.
inline constexpr std::size_t gathered_whole = 32 << 10;
// The pieces of an all_reduce begin at multiples of this number of elements.
inline constexpr std::int64_t piece_alignment = 64;

// Uninitialised memory for one call.
SINTER_INLINE Storage scratch(std::size_t bytes) {
  return Storage::allocate(bytes, cpu(), Where(), "a collective");
}

SINTER_INLINE std::size_t bytes_of(const RawTensor& x) {
  return static_cast<std::size_t>(x.numel()) * info(x.dtype()).size;
}

SINTER_INLINE void copy_bytes(void* to, const void* from, std::size_t bytes) {
  if (bytes != 0 && to != from) std::memcpy(to, from, bytes);
}

// Copies from[rows][columns][bytes] to to[columns][rows][bytes].
SINTER_INLINE void transpose(const void* from, void* to, std::int64_t rows, std::int64_t columns,
                             std::size_t bytes) {
  const auto* const source = static_cast<const unsigned char*>(from);
  auto* const target = static_cast<unsigned char*>(to);
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < columns; ++column) {
      copy_bytes(target + static_cast<std::size_t>(column * rows + row) * bytes,
                 source + static_cast<std::size_t>(row * columns + column) * bytes, bytes);
    }
  }
}

// Reduces the blocks of `bytes` bytes at `blocks`, one for each rank.
SINTER_INLINE void reduce_blocks(dist::Reduce reduce, DType dtype, const Storage& blocks, int size,
                                 void* out, std::size_t bytes) {
  Vector<const void*> parts;
  for (int i = 0; i < size; ++i) {
    parts.push_back(static_cast<const unsigned char*>(blocks.data()) +
                    static_cast<std::size_t>(i) * bytes);
  }
  reduce_parts(reduce, dtype, parts, out, static_cast<std::int64_t>(bytes / info(dtype).size));
}

SINTER_INLINE void all_reduce(Bytes& bytes, int rank, int size, dist::Reduce reduce, DType dtype,
                              const void* in, void* out, std::int64_t count) {
  const std::size_t element = info(dtype).size;
  const std::size_t total = static_cast<std::size_t>(count) * element;
  if (total <= gathered_whole || size == 1) {
    const Storage blocks = scratch(total * static_cast<std::size_t>(size));
    bytes.all_gather(in, blocks.data(), total);
    return reduce_blocks(reduce, dtype, blocks, size, out, total);
  }
  // Each rank reduces one piece, then the pieces are gathered.
  const std::int64_t each = (count / size / piece_alignment + 1) * piece_alignment;
  const auto begin_of = [&](int i) { return std::clamp<std::int64_t>(each * i, 0, count); };
  Vector<std::size_t> pieces;
  for (int i = 0; i < size; ++i) {
    pieces.push_back(static_cast<std::size_t>(begin_of(i + 1) - begin_of(i)) * element);
  }
  const std::size_t own = pieces[static_cast<std::size_t>(rank)];
  const Vector<std::size_t> received(static_cast<std::size_t>(size), own);
  const Storage blocks = scratch(own * static_cast<std::size_t>(size));
  bytes.exchange(in, pieces, blocks.data(), received);
  auto* const mine =
      static_cast<unsigned char*>(out) + static_cast<std::size_t>(begin_of(rank)) * element;
  reduce_blocks(reduce, dtype, blocks, size, mine, own);
  bytes.all_gather(mine, out, pieces);
}

SINTER_INLINE Call call_of(const Collective& collective, std::span<const RawTensor> in,
                           std::span<const RawTensor> out) {
  const RawTensor& x = collective.kind == Kind::receive ? out[0] : in[0];
  Hasher hasher;
  // The hash of a message has only its dtype and shape, which are equal in send and recv.
  if (!collective.is_between_two()) hasher.add(described(collective));
  hasher.add(static_cast<std::uint64_t>(x.dtype()));
  Shape shape;
  for (const std::int64_t extent : x.shape()) {
    hasher.add(static_cast<std::uint64_t>(extent));
    shape.push_back(extent);
  }
  const bool has_elements = collective.kind != Kind::barrier && collective.kind != Kind::commit;
  const Where& where = collective.where;
  return {
      hasher.result().low,
      text(described(collective), has_elements ? text(" of ", TensorType{x.dtype(), shape}) : "",
           " at ", sinter::to_string(where)),
      op_of(collective), where};
}

SINTER_INLINE Call call_of_all(const Collective& collective, std::span<const RawTensor> in,
                               std::span<const RawTensor> out) {
  if (in.size() == 1) return call_of(collective, in, out);
  Call result = call_of(collective, in.subspan(0, 1), {});
  Hasher hasher;
  std::int64_t count = 0;
  for (const RawTensor& one : in) {
    hasher.add(call_of(collective, {&one, 1}, {}).hash);
    count += one.numel();
  }
  result.hash = hasher.result().low;
  result.text = text(described(collective), " of ", in.size(), " gradients, number ",
                     collective.gradient, " and below, ", to_string(in[0].dtype()), "[", count,
                     "] at ", sinter::to_string(collective.where));
  return result;
}

// One run of a collective on host memory.
class CollectiveRun {
 public:
  CollectiveRun(const Collective& collective, const Transport& transport, Bytes& bytes,
                std::span<const RawTensor> in, std::span<const RawTensor> out)
      : collective_(collective),
        bytes_(bytes),
        in_(in[0]),
        out_(out[0]),
        rank_(transport.rank()),
        size_(transport.size()) {
    for (int axis = 0; axis < collective.axis; ++axis) outer_ *= in_.size(axis);
  }

  void run() {
    switch (collective_.kind) {
      case Kind::all_reduce:
        return reduce_all(collective_.reduce);
      case Kind::reduce:
        reduce_all(dist::Reduce::sum);
        if (rank_ != collective_.peer) std::memset(out_.data(), 0, bytes_of(out_));
        return;
      case Kind::all_gather:
        return gather();
      case Kind::reduce_scatter:
        return scatter();
      case Kind::all_to_all:
        return exchange();
      case Kind::broadcast:
        if (rank_ == collective_.peer) copy_bytes(out_.data(), in_.data(), bytes_of(in_));
        return bytes_.broadcast(out_.data(), bytes_of(out_), collective_.peer);
      default:  // a barrier or a commit has nothing to move
        return copy_bytes(out_.data(), in_.data(), bytes_of(out_));
    }
  }

 private:
  void reduce_all(dist::Reduce reduce) {
    collective::all_reduce(bytes_, rank_, size_, reduce, in_.dtype(), in_.data(), out_.data(),
                           in_.numel());
  }

  // The bytes of `part` for each index of the axes before the divided one.
  std::size_t row(const RawTensor& part) const {
    return outer_ == 0 ? 0 : bytes_of(part) / static_cast<std::size_t>(outer_);
  }

  void gather() {
    if (outer_ == 1) return bytes_.all_gather(in_.data(), out_.data(), bytes_of(in_));
    const Storage blocks = scratch(bytes_of(out_));
    bytes_.all_gather(in_.data(), blocks.data(), bytes_of(in_));
    transpose(blocks.data(), out_.data(), size_, outer_, row(in_));
  }

  // The input, with a contiguous part for each rank.
  const void* by_rank(Storage& memory) const {
    if (outer_ == 1) return in_.data();
    memory = scratch(bytes_of(in_));
    transpose(in_.data(), memory.data(), outer_, size_, row(in_) / static_cast<std::size_t>(size_));
    return memory.data();
  }

  Vector<std::size_t> equal_parts() const {
    const auto size = static_cast<std::size_t>(size_);
    return Vector<std::size_t>(size, bytes_of(in_) / size);
  }

  void scatter() {
    Storage packed;
    const Storage blocks = scratch(bytes_of(in_));
    const Vector<std::size_t> parts = equal_parts();
    bytes_.exchange(by_rank(packed), parts, blocks.data(), parts);
    reduce_blocks(collective_.reduce, in_.dtype(), blocks, size_, out_.data(), parts[0]);
  }

  void exchange() {
    Storage packed;
    const Storage blocks = outer_ == 1 ? Storage() : scratch(bytes_of(in_));
    const Vector<std::size_t> parts = equal_parts();
    void* const received = outer_ == 1 ? out_.data() : blocks.data();
    bytes_.exchange(by_rank(packed), parts, received, parts);
    if (outer_ == 1) return;
    transpose(received, out_.data(), size_, outer_, row(in_) / static_cast<std::size_t>(size_));
  }

  const Collective& collective_;
  Bytes& bytes_;
  const RawTensor &in_, &out_;
  int rank_, size_;
  std::int64_t outer_ = 1;  // the product of the sizes of the axes before the divided one
};

SINTER_INLINE void CollectiveKernel::operator()(std::span<const RawTensor> in,
                                                std::span<const RawTensor> out) const {
  const Call call = call_of(collective_, in, out);
  Transport& transport = group(collective_.group, call.op, collective_.where);
  if (collective_.kind == Kind::receive) {
    return transport.receive(call, out[0].data(), bytes_of(out[0]), collective_.peer);
  }
  if (collective_.kind == Kind::send) {
    transport.send(call, in[0].data(), bytes_of(in[0]), collective_.peer);
    std::memset(out[0].data(), 0, bytes_of(out[0]));
    return;
  }
  transport.run(call,
                [&](Bytes& bytes) { CollectiveRun(collective_, transport, bytes, in, out).run(); });
}

}  // namespace sinter::inline SINTER_ABI::detail::collective
