#pragma once
// Compiles graphs with backends of the user.

#include <string>       // std::string
#include <string_view>  // std::string_view
#include <utility>      // std::move

#include <sinter/base/where.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/jit/interface/backend_names.hpp>
#include <sinter/jit/interface/custom_backend.hpp>
#include <sinter/jit/lower/options.hpp>
#include <sinter/jit/lower/program.hpp>

namespace sinter::inline SINTER_ABI {

/// Makes `name` a backend: compile(f, {.custom_backend = name}), or SINTER_OPTIONS=backend=name.
/// An earlier one of this name is replaced for functions compiled later. Gives the name, which
/// lives as long as the process: compile(f, {.custom_backend = register_backend("mine", mine)}).
///
/// Throws ValueError for a name that an option could not have, and those of Backend.
std::string_view register_backend(std::string_view name, GraphCompiler compiler,
                                  Where where = Where::current());

namespace detail::jit {

class UserBackend final : public CustomBackend {
 public:
  UserBackend(std::string name, GraphCompiler compiler)
      : CustomBackend(std::move(name)), compiler_(std::move(compiler)) {}
  /// Throws ValueError if the compiler throws, with its exception nested. The program throws one if
  /// the function throws, and if its results are not those of the graph.
  LoweredProgram lower(const Graph& graph, const LowerOptions& options) const override;

 private:
  GraphCompiler compiler_;
};

}  // namespace detail::jit

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/lower/custom_program.ipp>
#endif
