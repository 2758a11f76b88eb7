#pragma once
// Emits vectorised loads and stores: a thread computes a pack of neighbouring elements.

#include <string>  // std::string

#include <sinter/codegen/text/memory.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

class CudaPacks : private KernelPart {
 public:
  /// `pack`: neighbours that a thread computes along the loop that threads share.
  CudaPacks(KernelContext& context, Values& values, Memory& memory, int pack = 1)
      : KernelPart(context), values_(values), memory_(memory), pack_(pack) {}

  /// Write the access `id`: as a pack if it is packed, else as any other.
  void write_load(ValueId id, const Instance& instance);
  void write_store(ValueId id, const Instance& instance);
  int pack() const { return pack_; }
  void set_pack(int pack) { pack_ = pack; }
  bool takes_eight_points() const;
  int pack_lanes(bool eight) const;
  /// "f32", "u16": the type in memory, as in the names of helpers.
  static std::string memory_name(DType dtype) { return is_half(dtype) ? "u16" : to_string(dtype); }
  /// "f32x4", "float": the type of `lanes` neighbours in memory.
  static std::string pack_type(DType dtype, int lanes);
  /// True if the access is contiguous along the loop that threads share.
  bool are_neighbours(ValueId id) const;
  /// True if no condition guards the access `id`.
  bool is_unguarded(ValueId id) const;
  /// True if `id` accesses a whole pack at once, where its first lane is written.
  bool packed(ValueId id) const;
  /// True if the load `id` may move before its stage, or the store `id` after it: no other access
  /// of the stage conflicts.
  bool may_be_moved(ValueId id) const;

 private:
  Values& values_;
  Memory& memory_;
  int pack_;
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cuda/nest/packs.ipp>
#endif
