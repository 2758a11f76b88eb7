#pragma once
// Emits vectorised loads and stores: a thread computes a pack of neighbouring elements.

#include <string>  // std::string

#include <sinter/codegen/text/reductions.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

class CudaPacks : public Reductions {
 public:
  using Reductions::Reductions;

 protected:
  std::string computed(Op op, std::span<const std::string> operands, const ValueType& from,
                       const ValueType& to) const override {
    return apply_in_cuda(op, operands, from, to);
  }
  void write_load(ValueId id, const Instance& instance) override;
  void write_store(ValueId id, const Instance& instance) override;
  bool takes_eight_points() const;
  int pack_lanes(bool eight) const;
  /// "f32", "u16": the type in memory, as in the names of helpers.
  static std::string memory_name(DType dtype);
  /// "f32x4", "float": the type of `lanes` neighbours in memory.
  static std::string pack_type(DType dtype, int lanes);
  /// True if the access is contiguous along the loop that threads share.
  bool are_neighbours(ValueId id) const;
  /// True if no condition guards the access `id`.
  bool is_unguarded(ValueId id) const;

  int pack_ = 1;  ///< Neighbours that a thread computes along the loop that threads share.
  /// True if `id` accesses a whole pack at once, where its first lane is written.
  bool packed(ValueId id) const;
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cuda/nest/packs.ipp>
#endif
