#pragma once

#include <optional>  // std::optional
#include <utility>   // std::move

#include <sinter/device/host/scoped_device.hpp>
#include <sinter/jit/interface/signature.hpp>
#include <sinter/trace/context/autocast.hpp>
#include <sinter/trace/context/matmul_precision.hpp>

namespace sinter::inline SINTER_ABI::detail::jit::detail {

SINTER_INLINE std::uint64_t scope_word() {
  const std::optional<DType> dtype = autocast_dtype();
  const Device device = current_device();
  const int made_on = device.is_cpu() ? 0 : device.index() + 1;
  const int products_in = dtype ? static_cast<int>(*dtype) + 1 : 0;
  const bool tf32 = get_float32_matmul_precision() != MatmulPrecision::highest;
  return (tf32 ? tf32_scope : 0) | requires_grad_scope << 24 |
         static_cast<std::uint64_t>(made_on) << 8 | static_cast<std::uint64_t>(products_in);
}

SINTER_INLINE void add_settings(Vector<guard::PlainValue>& plain) {
  const std::optional<DType> autocast = autocast_dtype();
  const auto add = [&](const char* name, std::string value) {
    plain.push_back({name, std::move(value), true, guard::PlainValue::Kind::setting});
  };
  add("autocast", autocast ? to_string(*autocast) : "off");
  add("ScopedDevice", to_string(current_device()));
  add("gradients", requires_grad_text());
  add("float32_matmul_precision", (scope_word() & tf32_scope) != 0 ? "high" : "highest");
}

SINTER_INLINE Names names_at(std::uintptr_t pointed_to, Names names) {
  if (pointed_to != 0) {
    names.plain.push_back({"the address of the function", text(pointed_to), true});
  }
  return names;
}

}  // namespace sinter::inline SINTER_ABI::detail::jit::detail

namespace sinter::inline SINTER_ABI::detail::jit {

SINTER_INLINE CallSignature signature_at(std::uintptr_t pointed_to, CallSignature signature) {
  if (pointed_to == 0) return signature;
  signature.structure = signature.leaves.structure.add(pointed_to).result();
  return signature;
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
