#pragma once

#include <sinter/trace/module/parameter.hpp>

namespace sinter::inline SINTER_ABI::detail {

SINTER_INLINE void BufferCollector::buffer(const nn::Buffer& buffer, const LeafName& name) {
  if (buffer.value.defined()) buffers.emplace_back(to_string(name), buffer.value);
}

}  // namespace sinter::inline SINTER_ABI::detail
