#pragma once
// Programs that a back end of the user computes.

#include <cstdint>  // std::int64_t
#include <string>   // std::string

#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/where.hpp>
#include <sinter/config.hpp>
#include <sinter/device/host/device.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/jit/interface/custom_backend.hpp>
#include <sinter/jit/lower/options.hpp>
#include <sinter/jit/lower/program.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

/// What a back end gave for a graph.
struct CustomProgram {
  GraphFunction function;
  std::string backend;  ///< Its name.

  /// Computes the outputs of `graph`, as Program::run() does.
  ///
  /// Throws ValueError if the function throws, with its exception nested, and if its results are
  /// not those of the graph.
  void run(const Graph& graph, Span<void* const> inputs, Span<void* const> outputs,
           Span<const std::int64_t> symbols, Device device, Where where) const;
};

/// `graph`, compiled by the back end in `options`. Throws ValueError if that throws, with its
/// exception nested.
LoweredProgram lower_custom(const Graph& graph, const LowerOptions& options);

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/lower/custom_program.ipp>
#endif
