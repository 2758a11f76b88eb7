#pragma once
// Names the loops, values and buffers of a kernel in its text, and writes indices in these names.

#include <string>       // std::string
#include <string_view>  // std::string_view
#include <vector>       // std::vector

#include <sinter/base/container/function_ref.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/codegen/text/layout.hpp>
#include <sinter/codegen/text/scalar.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// An open loop: each value that depends on it has `unroll` copies, `step` iterations apart.
struct Frame {
  std::string name{};
  int unroll = 1;
  Extent step = 1;
};

/// Selects an unrolled copy: its number in each loop, by the position of the loop.
using Instance = SmallVector<int, 8>;

/// Size expressions with more characters than this are computed once and named.
inline constexpr std::size_t longest_size = 40;

/// For each instruction, which of its guards are known to hold.
using HeldGuards = Vector<Vector<bool>>;

/// The open loops of a kernel that is being written, and the names in its text.
struct Names {
  /// `lanes_of_vector`: iterations of the vectorised loop in one vector; 1 for scalar code.
  Names(const Kernel& kernel, int lanes_of_vector, const schedule::CppLimits& limits = {});

  Layout layout;
  int lanes = 1;
  DType mask = i32;
  bool masked = false;  ///< Whether only the first `lanes` lanes are active.
  Vector<Frame> frames{};
  const HeldGuards* held = nullptr;  ///< Guards that hold where the text is written; null if none.
  bool names_sizes = false;  ///< Whether long sizes are named "size0"; the caller declares these.

  /// Calls `visit` for each combination of the unrolled loops among `loops`.
  void for_each_instance(LoopSet loops, FunctionRef<void(const Instance&)> visit) const;
  /// "_1_0": the numbers of the unrolled copy in `loops`.
  std::string instance_name(LoopSet loops, const Instance& instance) const;
  /// "v12", "v12_1_0"
  std::string name(ValueId id, const Instance& instance) const;
  /// "in0", "out1", "row2"
  std::string argument_name(std::int32_t argument) const;
  /// "i1", "k0": the loop at `position` in `stage`.
  std::string loop_name(int stage, int position) const;

  /// True if the value differs between lanes.
  bool varying(ValueId id) const;
  bool varying(Extent extent, int stage) const;
  /// The type of `id` in the text: a vector if it varies.
  ValueType type_of(ValueId id) const { return typed(layout.at(id).dtype, varying(id)); }
  ValueType vector_of(DType dtype) const { return {dtype, lanes, mask}; }
  /// `dtype` as a scalar or as a vector.
  ValueType typed(DType dtype, bool vector) const { return {dtype, vector ? lanes : 1, mask}; }

  /// `extent` for one unrolled copy, at its first lane.
  Extent shifted(Extent extent, int stage, const Instance& instance) const;
  /// `extent` in C. With `lane`, for that lane: "lane" turns i0 into "(i0 + lane)".
  std::string c_index(Extent extent, int stage, const Instance& instance,
                      std::string_view lane = "") const;
  /// The same for an extent that is already shifted.
  std::string c_shifted(Extent extent, int stage, const Instance& instance,
                        std::string_view lane = "") const;
  /// The guards of `id` that are not `held`.
  Vector<Guard> guards_of(ValueId id) const;
  /// "0 <= i0 && i0 < n", without the parts that are proven; "" if nothing is left.
  std::string condition(ValueId id, const Instance& instance, std::string_view lane = "") const;
  /// The long size expressions that occur in the text, in C, in the order of their names.
  const std::vector<std::string>& long_sizes() const { return long_sizes_; }

 private:
  /// "size0"; "" if `part` depends on a loop or is short.
  std::string size_name(Extent part) const;
  std::string variable_name(Extent variable, int stage, const Instance& instance,
                            std::string_view lane) const;

  mutable std::vector<std::string> long_sizes_{};
};

/// "const float*": a pointer to `argument`.
std::string pointer_type(const schedule::Argument& argument);

/// Bytes of the widest type that `kernel` computes in vectors, which decides the number of lanes.
int lane_bytes(const Kernel& kernel);

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/text/names.ipp>
#endif
