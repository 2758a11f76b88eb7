#pragma once

#include <sinter/guard/leaves.hpp>

namespace sinter::inline SINTER_ABI::detail::guard::detail {

SINTER_INLINE void Namer::tensor(const Tensor& value, const LeafName& name) {
  if (value.defined()) {
    leaves_.push_back(to_string(name));
  } else {
    add({to_string(name), "undefined", true, Kind::undefined});
  }
}

SINTER_INLINE void Namer::scalar(const Scalar&, const LeafName& name) {
  leaves_.push_back(to_string(name));
}

SINTER_INLINE void Namer::structure(std::size_t size, const LeafName& name) {
  const std::string value = text(size, size == 1 ? " element" : " elements");
  add({to_string(name), value, true, Kind::length});
}

SINTER_INLINE void Namer::presence(bool is_present, const LeafName& name) {
  add({to_string(name), is_present ? "present" : "absent", true, Kind::presence});
}

SINTER_INLINE void Namer::add(PlainValue value) { plain_.push_back(std::move(value)); }

}  // namespace sinter::inline SINTER_ABI::detail::guard::detail
