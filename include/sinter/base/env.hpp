#pragma once
// Every environment variable that sinter reads, in one table.

#include <array>        // std::array
#include <cstdlib>      // std::getenv
#include <string_view>  // std::string_view

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail {

struct EnvVariable {
  std::string_view name;
  std::string_view values;
  std::string_view meaning;
};

enum class Env {
  cache_dir,
  cache_limit,
  logs,
  dump,
  report,
  check,
  num_threads,
  cxx,
  verify,
  vector_bits,
  options
};

/// In the order of Env; docs/environment.md is this table.
inline constexpr std::array<EnvVariable, 11> env_table{{
    {"SINTER_CACHE_DIR", "a directory", "where compiled kernels are kept; ~/.cache/sinter"},
    {"SINTER_CACHE_LIMIT", "a number", "MiB that they may take there; 1024"},
    {"SINTER_LOGS",
     "breaks,recompiles,perf,code,graph,guards,fusion,memory,cudagraph,cache,autotune,"
     "recompiles_verbose,phases",
     "what to report on standard error"},
    {"SINTER_DUMP", "a directory", "where graphs, plans and sources are written"},
    {"SINTER_REPORT", "a directory", "where each compiled function leaves a report, as HTML"},
    {"SINTER_CHECK", "1, nan or both",
     "1: record every replayed call again and throw if it differs; nan: stop at the first kernel "
     "that gives NaN or infinity for finite numbers"},
    {"SINTER_NUM_THREADS", "a number", "threads that run kernels; the number of cores"},
    {"SINTER_CXX", "a command",
     "the host compiler, as \"ccache g++\"; c++, g++ or clang++ on PATH"},
    {"SINTER_VERIFY", "1", "verify the result of every stage of the compiler"},
    {"SINTER_VECTOR_BITS", "512, 256, 128 or 0",
     "the width of vectors in kernels, 0 for none; that of this machine"},
    {"SINTER_OPTIONS", "fullgraph=1,threads=2",
     "options of every compile(), which win over those of the program"},
}};

constexpr const EnvVariable& info(Env variable) {
  return env_table[static_cast<std::size_t>(variable)];
}

/// The value of `variable` in the environment; empty if it is not set.
inline std::string_view env(Env variable) {
  const char* value = std::getenv(info(variable).name.data());
  return value == nullptr ? "" : value;
}

/// True if `variable` is set to something but "" and "0".
inline bool env_flag(Env variable) { return !env(variable).empty() && env(variable) != "0"; }

}  // namespace sinter::inline SINTER_ABI::detail
