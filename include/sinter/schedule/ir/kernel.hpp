#pragma once
// One loop nest between barriers, in terms of its own arguments: what codegen prints.

#include <cstdint>  // std::uint8_t
#include <string>   // std::string
#include <vector>   // std::vector

#include <sinter/base/constant.hpp>
#include <sinter/base/hash.hpp>
#include <sinter/base/public_call.hpp>
#include <sinter/base/small_vector.hpp>
#include <sinter/base/where.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/op.hpp>
#include <sinter/symbol/extent/extent.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// for (variable = 0; variable < extent; ++variable); the variable is an Extent::range.
struct Loop {
  Extent variable;
  Extent extent;
  int unroll = 1;  ///< Of a grid loop: how many neighbours one thread keeps in registers.
};

/// low <= value < high
struct Guard {
  Extent value, low, high;
};

/// A result of so many bytes that no kernel of the plan reads is not worth a place in the caches,
/// where it drives out what kernels do read.
inline constexpr std::int64_t unread_bytes = std::int64_t{4} << 20;

/// The position of an instruction in its kernel, which names its result.
using ValueId = std::int32_t;

// clang-format off
enum class Code : std::uint8_t {
  load,      ///< arguments[argument][index] where the guards hold, else `constant`
  constant,  ///< `constant`
  index,     ///< `index` as a number of `dtype`
  inside,    ///< boolean: all guards hold
  compute,   ///< the elementwise `op` of the operands
  random,    ///< i32: Philox of (operand 0 = seed, operand 1 = offset, constant, index)
  bind,      ///< `variable` := operand 0, counted from `bound` if negative; outside of it: a fault
  reduce,    ///< `op` over the loops of its stage of operand 0; argmax: of position `index`
  running,   ///< cumsum or cumprod of operand 0 over the iterations of its stage so far
  store,     ///< arguments[argument][index] = operand 0, or += where `accumulate` is set
  combine,   ///< arguments[argument][index] = the `op` of operand 0 over the grid points that have
             ///< this index. The first loop of the grid goes over chunks, of `bound` results each;
             ///< the points of a chunk run in order. The results of the chunks are combined later,
             ///< unless `variable`, which goes over the chunks, says that they are complete
  divisor,   ///< operand 0, or 1 where it is 0; that is a fault if the guards hold
  sort       ///< arguments[argument][index] = the positions along `variable`, which goes over
             ///< `bound`, of the sorted elements of arguments[source][index]; `constant` is true
             ///< where the largest come first
};
// clang-format on

struct Instruction {
  Code code{};
  Op op{};
  DType dtype{};  ///< Of the result; of a store: of what is stored.
  SmallVector<ValueId, 3> operands{};
  Constant constant{};
  std::int32_t argument = -1;
  std::int32_t source = -1;  ///< Of a sort; of a check in a part of a kernel: which of its checks.
  Extent index = 0;  ///< Of a bind and a divisor: which element is at fault, as people count.
  std::vector<Guard> guards{};
  Extent variable = 0;  ///< Of a bind: an Extent::range over `bound`, used by later indices. Of a
                        ///< sort: used by its own.
  Extent bound = 0;
  bool accumulate = false;
  bool unread = false;  ///< Of a store to at least unread_bytes that no kernel of the plan reads.
  Where where{};        ///< The line of the user; never part of the key.
  CalledFunction called{};  ///< What an error names; never part of the key.
  std::string remark{};     ///< "mul, model.cpp:14", for the text; never part of the key.
};

/// What runs once for each point of the grid, in order: instructions inside of loops of their own.
/// Results of reduce, and all results of a stage without loops, can be used by later stages;
/// other results only inside their stage. Where loops are `contracted`, the body up to its last
/// reduce runs for each of their steps, and reduces go over them alone; the rest of the body, which
/// can use what they give, runs after them, once for each step of `loops`.
struct Stage {
  std::vector<Loop> loops{};
  std::vector<ValueId> body{};
  std::vector<Loop> contracted{};
};

enum class Access : std::uint8_t { read, write, read_write, local };

/// A buffer, dense and row-major, or a row of scratch memory of `elements` for each grid point.
struct Argument {
  DType dtype{};
  Access access{};
  Extent elements = 0;
  bool steady = false;  ///< It may well have the same content from call to call: see
                        ///< launch/call_invariant.hpp.
};

/// The loop whose neighbouring iterations share a vector register or a warp.
enum class VectorAxis : std::uint8_t { none, grid, stage };

/// Runs the stages for each point of the grid. Grid points are independent of each other, so any
/// number of threads may share them; those of `serial` kernels run in order on one.
struct Kernel {
  std::string name{};  ///< What it computes: "add_mul_exp_f32_2d"; never part of the key.
  std::vector<Argument> arguments{};
  std::vector<Extent> symbols{};  ///< In the order of the kernel's `sizes` parameter.
  std::vector<Loop> grid{};
  std::vector<Stage> stages{};
  std::vector<Instruction> instructions{};
  VectorAxis vector_axis = VectorAxis::none;  ///< The last loop of the grid or of each stage.
  bool serial = false;
  /// Of a GPU: as many runs as one launch makes at most, each in blocks of its own; 0 if it makes
  /// one run. See launch/batched.hpp.
  std::int32_t parts = 0;
  std::int32_t checks_before = 0;  ///< Of a part of a block: the checks of the parts before it.
  /// What the thread that ends last runs then, in order: small kernels that read what all threads
  /// wrote. Their buffers and sizes follow those of this kernel.
  std::vector<Kernel> finish{};
};

/// The hash of what the kernel computes: no names, no lines; symbols by their position.
Hash hash_of(const Kernel& kernel);
/// The same with symbols by their ids: of kernels of one graph whose symbols are those of the
/// graph.
Hash hash_with_symbols(const Kernel& kernel);

std::string to_string(const Kernel& kernel);

/// True if the data can make `instruction` fail: a bind, a divisor.
inline bool can_fault(const Instruction& instruction) {
  return instruction.code == Code::bind || instruction.code == Code::divisor;
}

/// How many arguments of `kernel`, without its finish, are not local.
std::size_t buffer_count(const Kernel& kernel);

/// True if `kernel` has an instruction of `code`.
bool has(const Kernel& kernel, Code code);

/// True if `kernel` writes to `argument` before it reads from it, if it does: a product may read
/// rows that an earlier stage has stored.
bool stores_first(const Kernel& kernel, std::int32_t argument);

/// Which arguments of `kernel`, without its finish, its instructions name.
std::vector<bool> used_arguments(const Kernel& kernel);

/// Drops the arguments that are not `kept`, which nothing names, and numbers the others anew.
void keep_arguments(Kernel& kernel, const std::vector<bool>& kept);

/// How many instructions of `stage` run inside of its contracted loops; 0 if it has none.
std::size_t contracted_size(const Kernel& kernel, const Stage& stage);

/// True if a stage of `kernel` contracts: it runs for blocks of neighbouring rows, the last loop of
/// its grid, stage by stage, so that what does not depend on the row is read once for a block.
bool is_block(const Kernel& kernel);

/// Throws InternalError unless `kernel` is well formed.
void verify(const Kernel& kernel);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/ir/kernel.ipp>
#endif
