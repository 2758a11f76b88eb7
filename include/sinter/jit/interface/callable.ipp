#pragma once

#include <sinter/base/container/vector.hpp>
#include <sinter/base/env.hpp>
#include <sinter/jit/interface/callable.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

SINTER_INLINE const detail::Names& AnyCall::names() const {
  if (!names_) names_ = find_names();
  return *names_;
}

SINTER_INLINE std::vector<std::string> AnyCall::leaves() const { return names().leaves; }

SINTER_INLINE Vector<guard::PlainValue> AnyCall::plain() const { return names().plain; }

SINTER_INLINE void detail::fill(const guard::Leaves& leaves, Span<const Tensor> tensors) {
  for (std::size_t i = 0; i < tensors.size(); ++i) *leaves.list[i].tensor = tensors[i];
}

SINTER_INLINE bool checks() {
  static const bool result = env_flag(Env::check) && env(Env::check) != "nan";
  return result;
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
