#pragma once
// Options for lowering a graph, and the options that compiled members in it keep.

#include <string>       // std::string
#include <string_view>  // std::string_view

#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/device/host/storage.hpp>
#include <sinter/jit/interface/options.hpp>
#include <sinter/schedule/ir/plan.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

class CustomBackend;

struct LowerOptions {
  Backend backend = Backend::fused;
  Numerics numerics = Numerics::fast;
  Vector<schedule::Update> updates{};
  bool tunes = false;                ///< Autotune the kernels ...
  double tuning_seconds = 0;         ///< ... for at most this time,
  bool tunes_in_background = false;  ///< in the background.
  Device device = cpu();             ///< Where it runs.
  bool graphs = false;               ///< Replay on a GPU as CUDA Graphs.
  bool has_members = true;           ///< Compiled members keep their own options.
  Vector<std::string> interpreted{};        ///< Operations that are interpreted, by name.
  std::int64_t memory_bytes = 0;            ///< Budget of a call; 0 is no limit.
  SharedPtr<const CustomBackend> custom{};  ///< Compiles instead of `backend`; null for none.
};

/// Makes these the options of an interpreted program, compiled members included.
inline void interpret(LowerOptions& options) {
  options.backend = Backend::eager;
  options.has_members = false;
  options.interpreted.clear();
  options.custom = nullptr;
}

/// The options of its own that a compiled member has inside another compiled function, whose
/// options decide about dynamic sizes, recompile_limit and background compilation.
struct MemberOptions {
  Backend backend = Backend::fused;
  Mode mode = Mode::standard;
  Numerics numerics = Numerics::fast;
  bool fullgraph = false;
  double autotune_seconds = 1;
  bool operator==(const MemberOptions&) const = default;
};

/// Those of `options` that apply to a compiled member.
MemberOptions member_options_of(const CompileOptions& options);
/// The name of the region whose nodes are compiled with `options`, for example
/// " [Backend::eager, Numerics::strict]". Registers it for member_options().
std::string region_of_options(const MemberOptions& options);

/// The options of the region in `path`; null outside of regions. See region_of().
const MemberOptions* member_options(const std::string* path);

/// The names in CompileOptions::interpret: "exp+softmax".
Vector<std::string> interpreted_names(std::string_view list);

/// `outer` with the options of `member`.
LowerOptions with_member_options(LowerOptions outer, const MemberOptions& member);

namespace detail {

void set_mode(LowerOptions& options, Mode mode, double seconds);

}  // namespace detail

/// True if both give the same program.
bool same_code(const LowerOptions& a, const LowerOptions& b);

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/lower/options.ipp>
#endif
