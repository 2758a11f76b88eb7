#pragma once

#include <sinter/base/container/algorithm.hpp>
#include <sinter/trace/core/recorder.hpp>
#include <sinter/trace/interop/host.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

// The `tensors` that the recording in progress must compute.
SINTER_INLINE std::vector<Tensor> recorded_among(Span<Tensor* const> tensors) {
  std::vector<Tensor> result;
  for (const Tensor* const tensor : tensors) {
    const Lazy& target = *target_of(tensor->lazy().get());
    if (target.recording == current_recording) result.push_back(*tensor);
  }
  return result;
}

SINTER_INLINE void break_before(Span<Tensor* const> arguments, Where where,
                                std::string_view reason) {
  Recorder& recorder = *current_recorder();
  if (recorder.host() == nullptr || current_body != 0) throw_unexpected_break("disable", where);
  const std::vector<Tensor> values = recorded_among(arguments);
  recorder.host()->interrupt(values, {.reason = std::string(reason),
                                      .where = where,
                                      .fix = "let it be recorded, or use host(f) if it gives "
                                             "nothing"});
  if (active_differentiations() != 0) return;  // its operations are differentiated
  for (Tensor* const argument : arguments) {
    const Lazy& target = *target_of(argument->lazy().get());
    if (target.recording != recorder.id()) continue;
    Shape shape;
    for (const Extent& extent : argument->shape()) shape.push_back(recorder.hint(extent));
    *argument = Tensor(
        make_evaluated({argument->dtype(), shape}, target_of(argument->lazy().get())->elements[0]));
  }
}

SINTER_INLINE ElementsForTensors::ElementsForTensors(Span<Tensor* const> arguments, Where where,
                                                     std::string_view reason) {
  for (const Tensor* const argument : arguments) before_.push_back(*argument);
  break_before(arguments, where, reason);
  for (const Tensor* const argument : arguments) elements_.push_back(*argument);
}

SINTER_INLINE void ElementsForTensors::restore(Span<Tensor* const> arguments) const {
  for (Tensor* const argument : arguments) {
    const auto is_same = [&](const Tensor& known) { return known.lazy() == argument->lazy(); };
    const auto known = find_if(elements_, is_same);
    if (known != elements_.end())
      *argument = before_[static_cast<std::size_t>(known - elements_.begin())];
  }
}

SINTER_INLINE bool& calls_are_disabled() {
  static thread_local bool disabled = false;
  return disabled;
}

SINTER_INLINE DisabledScope::DisabledScope(Recursive recursive)
    : host_(is_recording() ? current_recorder()->host() : nullptr),
      recorder_(nullptr),
      outer_(calls_are_disabled()) {
  calls_are_disabled() = outer_ || recursive == Recursive::yes;
  if (host_ != nullptr) host_->pause();
}

SINTER_INLINE DisabledScope::~DisabledScope() {
  calls_are_disabled() = outer_;
  if (host_ != nullptr) host_->resume();
}

}  // namespace detail

SINTER_INLINE void graph_break(std::string reason, Where where) {
  detail::Recorder* const recorder = detail::current_recorder();
  if (recorder == nullptr) return;
  if (recorder->host() == nullptr || detail::current_body != 0) {
    detail::throw_unexpected_break("graph_break", where);
  }
  recorder->host()->interrupt_all(
      {.reason = std::move(reason), .where = where, .fix = "remove graph_break"});
}

}  // namespace sinter::inline SINTER_ABI
