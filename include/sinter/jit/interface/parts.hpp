#pragma once
// Parts of the compiler that core.hpp leaves out of a header-only program; parts() finds them.

#include <atomic>       // std::atomic
#include <string_view>  // std::string_view

#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>

namespace sinter::inline SINTER_ABI::detail {

class Storage;

namespace jit {

class Program;
class State;
struct CallFrame;
struct CallMemory;

/// Each member points to the function of the same name. jit/parts.hpp fills it in.
struct Parts {
  void (*log_hints)(const State& state, const CallFrame& frame) = nullptr;
  void (*run_checked)(const Program& program, const CallMemory& memory) = nullptr;
  Vector<Storage> (*interpret_checked)(const Graph& graph, Span<const Storage> inputs) = nullptr;
};

/// Null pointers in a header-only program that includes core.hpp alone.
inline Parts& parts() {
  static Parts all;
  return all;
}

/// Throws ValueError: `asked` needs a part that this program does not have.
[[noreturn]] void throw_left_out(std::string_view asked);

/// The number of ScopedNumericsCheck objects that exist.
inline std::atomic<int>& numerics_checks() {
  static std::atomic<int> count{0};
  return count;
}
/// True under SINTER_CHECK=nan, and in a ScopedNumericsCheck.
bool checks_numerics();

}  // namespace jit

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/interface/parts.ipp>
#endif
