#pragma once
// How a graph is lowered, and the options of compiled members in it, which keep their own.

#include <string>  // std::string
#include <vector>  // std::vector

#include <sinter/config.hpp>
#include <sinter/device/host/storage.hpp>
#include <sinter/jit/interface/options.hpp>
#include <sinter/schedule/ir/plan.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

struct LowerOptions {
  Backend backend = Backend::fused;
  Numerics numerics = Numerics::fast;
  std::vector<schedule::Update> updates{};
  bool tunes = false;         ///< Whether timing decides how kernels are written, ...
  double tuning_seconds = 0;  ///< ... and how long it may take,
  bool tunes_later = false;   ///< in the background.
  Device device = cpu();      ///< Where it runs.
  bool graphs = false;        ///< Whether a GPU replays it as CUDA Graphs.
  bool has_members = true;    ///< Compiled members keep options of their own.
};

/// From now on these are the options of an interpreted program, compiled members included.
inline void interpret(LowerOptions& options) {
  options.backend = Backend::eager;
  options.has_members = false;
}

/// What a compiled member keeps of its options. Which sizes are dynamic, how often may be recorded,
/// and what is compiled in the background is up to the function that is recorded.
struct MemberOptions {
  Backend backend = Backend::fused;
  Mode mode = Mode::standard;
  Numerics numerics = Numerics::fast;
  bool fullgraph = false;
  double autotune_seconds = 1;
  bool operator==(const MemberOptions&) const = default;
};

/// What a compiled member keeps of `options`.
MemberOptions member_options_of(const CompileOptions& options);
/// The text of the region whose nodes are compiled with `options`, which member_options() finds
/// from now on: " [Backend::eager, Numerics::strict]".
std::string region_of_options(const MemberOptions& options);

/// What the nodes of a region are compiled with; null outside of regions: see region_of().
const MemberOptions* member_options(const std::string* path);

/// `outer`, but for what `member` says.
LowerOptions with_member_options(LowerOptions outer, const MemberOptions& member);

namespace detail {

void set_mode(LowerOptions& options, Mode mode, double seconds);

}  // namespace detail

/// Whether a program is compiled alike with both.
bool same_code(const LowerOptions& a, const LowerOptions& b);

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/lower/options.ipp>
#endif
