#pragma once
// The names of loops, values and buffers in the text of one kernel, and indices in terms of them.

#include <string>       // std::string
#include <string_view>  // std::string_view
#include <vector>       // std::vector

#include <sinter/base/function_ref.hpp>
#include <sinter/codegen/text/layout.hpp>
#include <sinter/codegen/text/scalar.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// An open loop: each value that depends on it exists `unroll` times, `step` iterations apart.
struct Frame {
  std::string name{};
  int unroll = 1;
  Extent step = 1;
};

/// Which of the unrolled neighbours, by the position of their loop.
using Instance = SmallVector<int, 8>;

/// Sizes that take more than that are computed once, and have a name.
inline constexpr std::size_t longest_size = 40;

class Names {
 public:
  /// `lanes` is how many neighbours of the vectorised loop share a vector; 1 for none.
  Names(const Kernel& kernel, int lanes);

 protected:
  const Instruction& at(ValueId id) const;
  const Dependence& dependence(ValueId id) const;
  const schedule::Argument& argument(const Instruction& instruction) const;

  /// Calls `visit` for each combination of the unrolled loops among `loops`.
  void for_each_instance(LoopSet loops, FunctionRef<void(const Instance&)> visit) const;
  /// "_1_0": which neighbours, of those that `loops` tells apart.
  std::string instance_name(LoopSet loops, const Instance& instance) const;
  /// "v12", "v12_1_0"
  std::string name(ValueId id, const Instance& instance) const;
  /// "in0", "out1", "row2"
  std::string argument_name(std::int32_t argument) const;
  /// "i1", "k0": of the loop at `position` inside of `stage`.
  std::string loop_name(int stage, int position) const;

  /// True if the value differs between the lanes of a vector.
  bool varying(ValueId id) const;
  bool varying(Extent extent, int stage) const;
  /// The type of `id` in the text: a vector where it varies.
  ValueType type_of(ValueId id) const;
  ValueType vector_of(DType dtype) const { return {dtype, lanes_, mask_}; }
  /// `dtype`, by itself or in a vector.
  ValueType typed(DType dtype, bool vector) const { return {dtype, vector ? lanes_ : 1, mask_}; }

  /// `extent` for one of the unrolled neighbours, its first lane.
  Extent shifted(Extent extent, int stage, const Instance& instance) const;
  /// `extent` in C. With `lane`, of that lane: "lane" makes i0 "(i0 + lane)".
  std::string c_index(Extent extent, int stage, const Instance& instance,
                      std::string_view lane = "") const;
  /// The same, of an extent that was shifted already.
  std::string c_shifted(Extent extent, int stage, const Instance& instance,
                        std::string_view lane = "") const;
  /// "0 <= i0 && i0 < n", without what can be proven; "" if nothing is left.
  std::string condition(ValueId id, const Instance& instance, std::string_view lane = "") const;

  Layout layout_;
  int lanes_ = 1;
  DType mask_ = i32;
  bool masked_ = false;  ///< Whether only the first `lanes` lanes count.
  std::vector<Frame> frames_{};

  /// What sizes are long to write and occur in the text: in C, in the order of their names.
  const std::vector<std::string>& long_sizes() const { return long_sizes_; }
  bool names_sizes_ = false;  ///< Whether these are written as "size0", declared by the caller.

 private:
  /// "size0"; "" for what depends on a loop, or is short.
  std::string size_name(Extent part) const;

  std::string variable_name(Extent variable, int stage, const Instance& instance,
                            std::string_view lane) const;

  mutable std::vector<std::string> long_sizes_{};
};

/// The bytes of the widest number that shares vectors in `kernel`: what decides the lanes.
int lane_bytes(const Kernel& kernel);

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/text/names.ipp>
#endif
