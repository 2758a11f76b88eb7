#pragma once
// The options of compile() by name: one table for parsing, errors and the documentation.

#include <string_view>  // std::string_view

#include <sinter/base/container/span.hpp>
#include <sinter/config.hpp>
#include <sinter/jit/interface/options.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

/// One member of CompileOptions.
struct Option {
  std::string_view name;
  std::string_view values;  ///< As docs/compile_options.md lists them, the default first.
  /// Sets the member to `value`; false if that is none of the values.
  bool (*set)(CompileOptions& options, std::string_view value);
};

/// In the order of CompileOptions; docs/compile_options.md has a row for each.
Span<const Option> option_table();

/// `options` with those of SINTER_OPTIONS. `where` is the line of compile().
CompileOptions with_environment(CompileOptions options, Where where);

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/interface/option_table.ipp>
#endif
