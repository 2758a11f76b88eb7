#pragma once
// Writes loads and stores of CUDA threads that take several neighbours at once.

#include <string>  // std::string

#include <sinter/codegen/reductions.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::codegen {

class CudaPacks : public Reductions {
 public:
  using Reductions::Reductions;

 protected:
  void write_load(ValueId id, const Instance& instance) override;
  void write_store(ValueId id, const Instance& instance) override;
  int pack_lanes() const;

  int pack_ = 1;  ///< How many neighbours on the last loop of the grid a thread computes.

 private:
  /// True if the neighbours of `id` on the last loop are loaded or stored at once.
  bool packed(ValueId id) const;
  std::string pack_type(ValueId id) const;
};

}  // namespace sinter::inline SINTER_ABI::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cuda_packs.ipp>
#endif
