#pragma once
// The name of the running module, "encoder.layers.3", stored in recorded nodes.

#include <string>  // std::string

#include <sinter/config.hpp>
#include <sinter/trace/value/lifetime.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// A unique address for each type.
template <class T>
inline constexpr char type_tag = 0;

/// During its lifetime, nodes recorded by this thread belong to the module at an address, if it is
/// part of an argument of the recording.
class ModuleScopeBase {
 public:
  ModuleScopeBase(const void* address, const void* type);
  ~ModuleScopeBase();
  ModuleScopeBase(const ModuleScopeBase&) = delete;
  ModuleScopeBase& operator=(const ModuleScopeBase&) = delete;

 private:
  const std::string* outer_ = nullptr;
};

/// Throws ValueError if `module` is a captured variable that has ended; see fixed_tensors.hpp.
template <class M>
void require_captured_alive(const M& module);

struct ModuleScope : ModuleScopeBase {
  template <class M>
  explicit ModuleScope(const M* module) : ModuleScopeBase(module, &type_tag<M>) {
#ifdef SINTER_LIFETIMES
    require_captured_alive(*module);
#endif
  }
};

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/module/scope.ipp>
#endif
