#pragma once
// Writes loads and stores of CUDA threads that take several neighbours at once.

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
  bool takes_eight() const;
  int pack_lanes(bool eight) const;
  /// "f32", "u16": what is in memory, as helpers call it.
  static std::string memory_name(DType dtype);
  /// "f32x4", "float": what `lanes` neighbours are in memory.
  static std::string pack_type(DType dtype, int lanes);
  /// True if neighbours on the loop that threads share are neighbours in memory.
  bool are_neighbours(ValueId id) const;
  /// True if nothing is asked before `id` reads or writes.
  bool is_unguarded(ValueId id) const;

  int pack_ = 1;  ///< How many neighbours on the loop that threads share one of them computes.
  /// True if these neighbours of `id` are loaded or stored at once, with the first of them.
  bool packed(ValueId id) const;
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cuda/nest/packs.ipp>
#endif
