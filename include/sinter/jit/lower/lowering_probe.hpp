#pragma once
// Follows or changes how graphs are lowered and run: for bisect() and planted faults.

#include <cstdint>  // std::int64_t

#include <sinter/base/container/span.hpp>
#include <sinter/compile/unit/translation_unit.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/jit/lower/options.hpp>
#include <sinter/jit/lower/program.hpp>
#include <sinter/schedule/ir/plan.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

/// While one is set, its thread neither finds programs in the cache of the process nor adds any.
class LoweringProbe {
 public:
  virtual ~LoweringProbe() = default;
  /// lower() begins, and has ended.
  virtual void begins(const Graph& recorded, const LowerOptions& options) {
    static_cast<void>(recorded), static_cast<void>(options);
  }
  virtual void lowered(const LoweredProgram& program) { static_cast<void>(program); }
  virtual void planning(schedule::Options& options) { static_cast<void>(options); }
  virtual void planned(schedule::Plan& plan) { static_cast<void>(plan); }
  /// Kernels whose texts it changes need another key.
  virtual void printed(compiler::TranslationUnit& unit) { static_cast<void>(unit); }
  /// A program is about to run on `memory`, and has run.
  virtual void runs(const Runnable& program, const CallMemory& memory) {
    static_cast<void>(program), static_cast<void>(memory);
  }
  virtual void ran(const Runnable& program, const CallMemory& memory,
                   Span<const std::int64_t> symbols) {
    static_cast<void>(program), static_cast<void>(memory), static_cast<void>(symbols);
  }
};
/// Null but for bisect(), minify() and tests.
inline thread_local LoweringProbe* lowering_probe = nullptr;

}  // namespace sinter::inline SINTER_ABI::detail::jit
