#pragma once

#include <sinter/base/text.hpp>
#include <sinter/graph/region.hpp>
#include <sinter/trace/core/recorder.hpp>
#include <sinter/trace/core/tensor.hpp>  // first: what it includes needs a whole Tensor
#include <sinter/trace/module/scope.hpp>

namespace sinter::inline SINTER_ABI::detail {

SINTER_INLINE ModuleScopeBase::ModuleScopeBase(const void* address, const void* type) {
  Recorder* const recorder = current_recorder();
  if (recorder == nullptr) return;
  outer_ = recorder->path();
  own_ = recorder->module_name(address, type);
  if (own_ == nullptr) return;
  const std::string_view region = region_of(outer_);
  recorder->set_path(region.empty() ? own_ : intern(text(*own_, region)));
}

SINTER_INLINE ModuleScopeBase::~ModuleScopeBase() {
  if (Recorder* const recorder = current_recorder()) recorder->set_path(outer_);
}

SINTER_INLINE void ModuleScopeBase::note_tensor(const Tensor& result) const {
  if (current_recorder() == nullptr || !result.defined()) return;
  value_observer->observe(*own_, "", result, result.lazy()->node.where);
}

}  // namespace sinter::inline SINTER_ABI::detail
