#pragma once

#include <string_view>  // std::string_view

#include <sinter/base/container/optional.hpp>
#include <sinter/graph/region.hpp>
#include <sinter/jit/call/options_scope.hpp>
#include <sinter/jit/lower/options.hpp>
#include <sinter/jit/record/tracer.hpp>
#include <sinter/jit/state/state.hpp>
#include <sinter/trace/core/recorder.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

namespace detail {

// The options that apply at this point of the recording; empty outside of compiled functions.
SINTER_INLINE Optional<MemberOptions> options_around(const Recorder& recorder) {
  if (const MemberOptions* const region = member_options(recorder.path())) return *region;
  const auto* const tracer = dynamic_cast<const Tracer*>(recorder.host());
  if (tracer == nullptr) return std::nullopt;
  return member_options_of(tracer->options());
}

}  // namespace detail

SINTER_INLINE OptionsScope::OptionsScope(const State& state) {
  Recorder* const recorder = current_recorder();
  if (recorder == nullptr) return;
  const Optional<MemberOptions> around = detail::options_around(*recorder);
  if (!around) return;
  MemberOptions own = member_options_of(state.options());
  own.fullgraph = own.fullgraph || around->fullgraph;
  if (own == *around) return;
  const std::string region = region_of_options(own);
  recorder_ = recorder, outer_ = recorder->path();
  const std::string path = outer_ == nullptr ? "" : *outer_;
  const std::size_t length = path.size() - region_of(outer_).size();
  recorder->set_path(intern(text(std::string_view(path).substr(0, length), region)));
  note();
}

SINTER_INLINE OptionsScope::~OptionsScope() {
  if (recorder_ == nullptr) return;
  recorder_->set_path(outer_);
  note();
}

// Adds the options to the tape's hash: the same operations under other options are another program.
SINTER_INLINE void OptionsScope::note() const {
  const Hash hash = hash_of(region_of(recorder_->path()));
  recorder_->tape().note(hash.high);
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
