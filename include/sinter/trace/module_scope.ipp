#pragma once

#include <sinter/trace/tensor.hpp>  // first: what it includes needs a whole Tensor

#include <sinter/trace/module_scope.hpp>
#include <sinter/trace/recorder.hpp>

namespace sinter::inline SINTER_ABI::detail {

SINTER_INLINE ModuleScopeBase::ModuleScopeBase(const void* address, const void* type) {
  Recorder* const recorder = current_recorder();
  if (recorder == nullptr) return;
  outer_ = recorder->path();
  const std::string* const name = recorder->module_name(address, type);
  if (name != nullptr) recorder->set_path(name);
}

SINTER_INLINE ModuleScopeBase::~ModuleScopeBase() {
  if (Recorder* const recorder = current_recorder()) recorder->set_path(outer_);
}

}  // namespace sinter::inline SINTER_ABI::detail
