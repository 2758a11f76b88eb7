#pragma once
// CompileOptions, and the statistics and explanations of a compiled function.

#include <cstdint>      // std::int64_t
#include <string>       // std::string
#include <string_view>  // std::string_view
#include <vector>       // std::vector

#include <sinter/base/where.hpp>
#include <sinter/config.hpp>
#include <sinter/trace/core/recorder_host.hpp>

namespace sinter::inline SINTER_ABI {

/// `eager` interprets the recorded graph; `aot_eager` interprets it after the passes; `fused`
/// compiles kernels.
enum class Backend : std::uint8_t { eager, aot_eager, fused };
/// When unmarked dimensions become dynamic: once they change, always, or never.
enum class Dynamic : std::uint8_t { automatic, on, off };
/// `fast` keeps f32 between fused operations and may reassociate sums; `strict` does neither.
enum class Numerics : std::uint8_t { fast, strict };
enum class Mode : std::uint8_t {
  standard,
  reduce_overhead,
  max_autotune,
  max_autotune_no_cuda_graphs
};

struct CompileOptions {
  Backend backend = Backend::fused;
  Mode mode = Mode::standard;
  Dynamic dynamic = Dynamic::automatic;
  bool fullgraph = false;   ///< A graph break is an error.
  int recompile_limit = 8;  ///< At least 1; more recordings than that run on the eager backend.
  std::string_view name{};  ///< Used in logs and errors.
  Numerics numerics = Numerics::fast;
  bool background = false;      ///< Run eagerly while another thread compiles.
  double autotune_seconds = 1;  ///< Time budget of each recording under max_autotune.
  bool force_compiled = false;  ///< Throw instead of interpreting, without a compiler for example.
  int threads = 0;              ///< At most so many run its kernels; 0: set_num_threads() decides.
  bool evict = false;  ///< At recompile_limit the least recently used recording is dropped.
  std::string_view interpret{};       ///< Operations to interpret by name: "exp+softmax".
  std::string_view custom_backend{};  ///< One of register_backend(), which gets the graphs.
  double compile_seconds = 0;         ///< Time budget for compiling; then calls are interpreted.
  std::int64_t memory_bytes = 0;      ///< Budget of the memory of a call; 0 is no limit.
};

/// `base` with the options of `text`: parse_options("fullgraph=1,mode=max_autotune"). The options
/// of SINTER_OPTIONS apply after those that compile() is given. `text` has to outlive a name in it.
///
/// Throws ValueError for an unknown name, which lists the names, and for a value that is none.
CompileOptions parse_options(std::string_view text, CompileOptions base = {},
                             Where where = Where::current());

/// Graphs, breaks, kernels, launches, bytes and peak are those of the last call or prepare(); the
/// rest accumulates since compile(). Kernels that share a launch count once. Bytes count the
/// distinct elements that kernels read and wrote. One recording starts at most one compiler per
/// core, and only one if there is little to compile.
struct Stats {
  std::int64_t calls = 0, recordings = 0, graphs = 0, breaks = 0, variants = 0, recompiles = 0,
               eager_calls = 0, kernels = 0, launches = 0, bytes_read = 0, bytes_written = 0,
               allocations = 0, peak_bytes = 0, compiler_runs = 0, kernels_compiled = 0,
               disk_hits = 0;
  /// Of calls that recorded: initial values of parameters and of state, passes over the graph, the
  /// plan of its kernels, their text, their first run; record_seconds is the rest. compile_seconds
  /// is that of compiling kernels or loading them, in the background too.
  double record_seconds = 0, compile_seconds = 0, initialize_seconds = 0, pass_seconds = 0,
         plan_seconds = 0, emit_seconds = 0, first_run_seconds = 0;
  std::int64_t interpreted = 0;  ///< Interpreted variants and segments.
  std::int64_t evictions = 0;    ///< Recordings dropped at recompile_limit, with evict.
  std::int64_t over_budget = 0;  ///< Graphs interpreted because compile_seconds was used up.
};

struct GraphInfo {
  std::int64_t operations = 0;
  std::string text{};
  std::string interpreted{};   ///< Why it runs on the eager backend; empty if it is compiled.
  double compile_seconds = 0;  ///< Of compiling or loading its kernels; 0 if known.
};

struct KernelInfo {
  std::string name{};
  std::string source{};
  std::int64_t bytes_read = 0, bytes_written = 0;
  std::vector<Where> lines;  ///< Of the user's program.
};

/// A part of the program: a module, "encoder.layers.3", or a line outside of modules.
struct RegionInfo {
  std::string name{};
  std::int64_t operations = 0, kernels = 0;  ///< Kernels that compute some of it.
  std::int64_t flops = 0, bytes = 0;  ///< Estimated; bytes of a kernel are shared by its regions.
  double share = 0;                   ///< Of the estimated time of the call, 0 to 1.
};

/// The graphs and kernels of the last call, and the reasons for recompilation.
struct Explanation {
  std::vector<GraphInfo> graphs;
  std::vector<Break> breaks;
  std::vector<std::string> guards, recompiles;
  std::vector<KernelInfo> kernels;
  std::vector<RegionInfo> regions{};  ///< The most expensive first.
};

namespace detail {

namespace jit {

/// Throws ValueError, at `where`, unless recompile_limit >= 1, autotune_seconds >= 0, threads >= 0,
/// and force_compiled is used with Backend::fused only.
void require_options(const CompileOptions& options, Where where);

}  // namespace jit

/// `value` as a JSON string; `lines` as a list of JSON strings.
std::string json_text(std::string_view value);
std::string json_lines(const std::vector<Where>& lines);

}  // namespace detail

/// Graphs, kernels with their text, guards, and reasons for recompilation, for reading.
std::string to_string(const Explanation& explanation);
std::string to_json(const Explanation& explanation);

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/interface/option_table.hpp>
#include <sinter/jit/interface/options.ipp>
#endif
