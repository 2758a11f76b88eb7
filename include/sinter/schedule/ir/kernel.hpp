#pragma once
// A kernel: one loop nest between barriers, in terms of its own arguments. Codegen prints kernels.

#include <cstdint>  // std::uint8_t
#include <string>   // std::string
#include <vector>   // std::vector

#include <sinter/base/constant.hpp>
#include <sinter/base/container/function_ref.hpp>
#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/base/container/small_vector.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/hash.hpp>
#include <sinter/base/public_call.hpp>
#include <sinter/base/where.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/custom/custom_code.hpp>
#include <sinter/graph/op.hpp>
#include <sinter/graph/print.hpp>
#include <sinter/symbol/extent/extent.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// for (variable = 0; variable < extent; ++variable); the variable is an Extent::range.
struct Loop {
  Extent variable;
  Extent extent;
  int unroll = 1;  ///< Register tile of a grid loop: neighbouring iterations per thread.
};

/// low <= value < high
struct Guard {
  Extent value, low, high;
};

/// The position of an instruction in its kernel; it also identifies its result.
using ValueId = std::int32_t;

// clang-format off
enum class Code : std::uint8_t {
  load,      ///< arguments[argument][index] where the guards hold, else `constant`
  constant,  ///< `constant`
  index,     ///< `index` as a number of `dtype`
  inside,    ///< boolean: all guards hold
  compute,   ///< the elementwise `op` of the operands. `constant` is true for a cast that rounds,
             ///< and for other results that an equality compares: all kernels compute the same bits
  random,    ///< i32: Philox of (operand 0 = seed, operand 1 = offset, constant, index)
  bind,      ///< `variable` := operand 0, or operand 0 + `bound` if negative; a fault if the result
             ///< is not in [0, bound)
  reduce,    ///< `op` of operand 0 over the loops of its stage; argmax: `index` is the position
  scan,      ///< cumsum or cumprod of operand 0 over the iterations of its stage so far
  store,     ///< arguments[argument][index] = operand 0, or += where `accumulate` is set
  combine,   ///< arguments[argument][index] = `op` of operand 0 over all grid points with this
             ///< index: a partial reduction. The first loop of the grid goes over chunks, with
             ///< `bound` results each; the points of a chunk run in order. A later kernel reduces
             ///< the results of the chunks, unless `variable` is set, which goes over the chunks:
             ///< then each chunk has results of its own, which are complete
  divisor,   ///< operand 0; a fault if it is 0 and the guards hold, with the result 1
  sort       ///< arguments[argument][index] = the positions along `variable` (< `bound`) of the
             ///< elements of arguments[source][index] in sorted order; descending if `constant`
};
// clang-format on

struct Instruction {
  Code code{};
  Op op{};
  DType dtype{};  ///< The dtype of the result, or of the elements that a store writes.
  SmallVector<ValueId, 3> operands{};
  Constant constant{};
  std::int32_t argument = -1;
  std::int32_t source = -1;  ///< The argument that a sort reads; in a subkernel, the number of the
                             ///< check in the whole kernel.
  Extent index = 0;          ///< For bind and divisor: the flat index of the element at fault.
  Vector<Guard> guards{};
  Extent variable = 0;  ///< An Extent::range over `bound`: of a bind, for later indices; of a sort,
                        ///< for its own index.
  Extent bound = 0;
  bool accumulate = false;
  SharedPtr<const CustomCode> custom{};  ///< The text of a custom_elementwise.
  bool non_temporal = false;             ///< See LaunchLimits::non_temporal_bytes.
  Where where{};              ///< The line of the user; not hashed.
  CalledFunction called{};    ///< The function that an error names; not hashed.
  Origin remark{};            ///< "mul, model.cpp:14", a comment in the text; not hashed.
};

/// Instructions in loops of their own. The stages of a kernel run in order at each point of the
/// grid. Later stages can use the results of reduce instructions, and all results of a stage
/// without loops. With `contracted` loops, which are inside `loops`, the body up to its last reduce
/// runs in them, and reduces go over the contracted loops only; the rest of the body runs after
/// them, once for each step of `loops`.
struct Stage {
  Vector<Loop> loops{};
  Vector<ValueId> body{};
  Vector<Loop> contracted{};
};

enum class Access : std::uint8_t { read, write, read_write, local };

/// A dense, row-major buffer; if local, scratch memory of `elements` for each grid point.
struct Argument {
  DType dtype{};
  Access access{};
  Extent elements = 0;
  bool call_invariant = false;  ///< Its content is likely to be the same from call to call, see
                                ///< launch/call_invariant.hpp.
  bool has_slack = false;       ///< A vector may be read from any of its elements on.
};

/// Which loop is vectorized: its neighbouring iterations share a vector register or a warp.
enum class VectorAxis : std::uint8_t { none, grid, stage };

/// Runs the stages at each point of the grid. Grid points are independent of each other, so any
/// number of threads may share them; those of `serial` kernels run in order on one thread.
struct Kernel {
  std::string name{};  ///< Named after its operations: "add_mul_exp_f32_2d"; not hashed.
  Vector<Argument> arguments{};
  std::vector<Extent> symbols{};  ///< In the order of the kernel's `sizes` parameter.
  Vector<Loop> grid{};
  Vector<Stage> stages{};
  Vector<Instruction> instructions{};
  VectorAxis vector_axis = VectorAxis::none;  ///< The last loop of the grid or of each stage.
  bool serial = false;
  bool sums_windows = false;  ///< A product that a nest of loops computes: see is_window_sum().
  /// The most runs of this kernel in one batched launch of a GPU, where each run has thread blocks
  /// of its own; 0 if it is not batched. See launch/batched.hpp.
  std::int32_t batch_capacity = 0;
  std::int32_t checks_before = 0;  ///< In a subkernel: the checks of the subkernels before it.
  /// Small kernels that read what all threads wrote: the thread that ends last runs them, in order.
  /// Their buffers and sizes follow those of this kernel.
  Vector<Kernel> finalizers{};
  /// Set in the kernel of a custom node: the text of the user instead of stages. Its arguments are
  /// the operands and the results, and its symbols the sizes that the function takes, and behind
  /// them the number of elements of the first result.
  SharedPtr<const CustomCode> custom{};
  /// The text works on guarded copies, which check 1 of its launch is about. The symbols end in the
  /// number of elements of each argument.
  bool guarded = false;
};

/// The hash of what the kernel computes, without names and lines; symbols are numbered by position.
Hash hash_of(const Kernel& kernel);
/// The same with symbols by their ids, for kernels in the symbols of one graph.
Hash hash_with_symbols(const Kernel& kernel);

std::string to_string(const Kernel& kernel);

/// True if the data can make `instruction` fail: a bind or a divisor.
inline bool can_fault(const Instruction& instruction) {
  return instruction.code == Code::bind || instruction.code == Code::divisor;
}

/// True if the data can make `kernel`, without its finalizers, fail.
bool can_fault(const Kernel& kernel);

/// The number of arguments of `kernel`, without its finalizers, that are not local.
std::size_t buffer_count(const Kernel& kernel);

/// True if `kernel` has an instruction of `code`.
bool has(const Kernel& kernel, Code code);

/// The number of iterations of a nest of `loops`.
Extent count_of(const Vector<Loop>& loops);

/// True if `kernel` has scratch memory, and if `one` of its instructions accesses some.
bool has_local(const Kernel& kernel);
bool is_local(const Kernel& kernel, const Instruction& one);

/// Calls visit(one of `list`, number of the argument) for each argument of `kernel` that is not
/// local: the nodes or buffers of these.
template <class List, class Visit>
void for_each_buffer(const Kernel& kernel, const List& list, const Visit& visit) {
  std::size_t next = 0;
  for (std::size_t i = 0; i < kernel.arguments.size(); ++i) {
    if (kernel.arguments[i].access != Access::local) visit(list[next++], i);
  }
}

/// Whether `holds` is true for a load that `value` is computed from. Asks about each load once.
bool any_load(const Kernel& kernel, ValueId value, FunctionRef<bool(const Instruction&)> holds);

/// Whether a load that `value` is computed from depends on the loop over `variable`.
bool varies_along(const Kernel& kernel, ValueId value, Extent variable);

/// True if the first access of `kernel` to `argument` is a store; later stages may read it.
bool stores_first(const Kernel& kernel, std::int32_t argument);

/// For each argument of `kernel`, without its finalizers: whether an instruction uses it.
Vector<bool> used_arguments(const Kernel& kernel);

/// Drops the arguments that are not `kept`, which must be unused, and renumbers the others.
void keep_arguments(Kernel& kernel, const Vector<bool>& kept);
/// The same for instructions; stages without instructions are dropped too.
void keep_instructions(Kernel& kernel, const Vector<bool>& kept);

/// Appends `one` to the last stage of `kernel`; returns its value.
ValueId append(Kernel& kernel, Instruction one);

/// The number of instructions of `stage` inside its contracted loops; 0 if it has none.
std::size_t contracted_size(const Kernel& kernel, const Stage& stage);

/// True if a stage of `kernel` has contracted loops. Such a kernel runs stage by stage for a tile
/// of neighbouring rows, the last loop of its grid, so that operands that do not depend on the row
/// are read once per tile.
bool is_row_tiled(const Kernel& kernel);

/// Throws InternalError unless `kernel` is well formed.
void verify(const Kernel& kernel);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/ir/kernel.ipp>
#endif
