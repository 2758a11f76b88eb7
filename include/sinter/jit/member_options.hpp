#pragma once
// Options of compiled functions that are called while another is recorded: what they compute keeps
// them.

#include <string>  // std::string

#include <sinter/config.hpp>
#include <sinter/jit/options.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

struct LowerOptions;

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
#include <sinter/jit/member_options.ipp>
#endif
