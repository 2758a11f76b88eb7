#pragma once

#include <string>  // std::string

#include <sinter/graph/region.hpp>
#include <sinter/trace/core/recorder.hpp>
#include <sinter/trace/interop/observe.hpp>
#include <sinter/trace/module/scope.hpp>

namespace sinter::inline SINTER_ABI {

SINTER_INLINE Tensor observe(Operand x, std::string_view name) {
  Tensor value = x.tensor();
  if (detail::value_observer == nullptr) return value;
  const detail::Recorder* const recorder = detail::current_recorder();
  const std::string* const running = recorder == nullptr ? nullptr : recorder->path();
  std::string path = running == nullptr ? "" : *running;
  path.resize(path.size() - detail::region_of(running).size());
  detail::value_observer->observe(path, name, value, x.where);
  return value;
}

}  // namespace sinter::inline SINTER_ABI
