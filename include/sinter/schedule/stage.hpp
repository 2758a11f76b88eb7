#pragma once
// The end of a stage: its product is verified and, with SINTER_DUMP, written to a file.

#include <string>       // std::string
#include <string_view>  // std::string_view

#include <sinter/base/env.hpp>
#include <sinter/base/verify.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// True if SINTER_DUMP names a directory.
inline bool dumps() { return !env(Env::dump).empty(); }

/// Begins the files of another graph: what this thread dumps from now on has its number.
void begin_dump();

/// Writes the file "<directory of SINTER_DUMP>/<number of the graph>_<name>", if there is such a
/// directory. What has the same name, as the stages of branches and loops do, is appended. Warns if
/// the file cannot be written.
void dump(std::string_view name, std::string_view content);

/// Calls verify(product, context...) with SINTER_VERIFY, and dumps to_string(product) as
/// "<stage>.txt".
template <class Product, class... Context>
void finish_stage(std::string_view stage, const Product& product, const Context&... context) {
  if (verifies()) verify(product, context...);
  if (dumps()) dump(std::string(stage) + ".txt", to_string(product));
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/stage.ipp>
#endif
