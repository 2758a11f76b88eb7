#pragma once
// The name of the running module, "encoder.layers.3", stored in recorded nodes.

#include <string>       // std::string
#include <string_view>  // std::string_view
#include <tuple>        // std::get, std::tuple
#include <type_traits>  // std::is_convertible_v
#include <utility>      // std::exchange, std::pair

#include <sinter/base/where.hpp>
#include <sinter/config.hpp>
#include <sinter/trace/value/lifetime.hpp>

namespace sinter::inline SINTER_ABI {
class Tensor;
}  // namespace sinter::inline SINTER_ABI

namespace sinter::inline SINTER_ABI::detail {

/// Is told of results of modules, and of values with a name, in recordings of this thread.
class ValueObserver {
 public:
  virtual ~ValueObserver() = default;
  /// `path` is that of the module; for a value with a `name`, of the module that runs.
  virtual void observe(const std::string& path, std::string_view name, const Tensor& value,
                       Where where) = 0;
};

/// That of this thread; null for none.
inline constinit thread_local ValueObserver* value_observer = nullptr;

class ScopedValueObserver {
 public:
  explicit ScopedValueObserver(ValueObserver* observer)
      : outer_(std::exchange(value_observer, observer)) {}
  ScopedValueObserver(const ScopedValueObserver&) = delete;
  ScopedValueObserver& operator=(const ScopedValueObserver&) = delete;
  ~ScopedValueObserver() { value_observer = outer_; }

 private:
  ValueObserver* outer_;
};

/// Whether a tensor stands for the result of a module: the result itself, its member `output`, or
/// the first of a pair or tuple.
template <class R>
inline constexpr bool is_observable = std::is_class_v<R>&& std::is_convertible_v<const R&, Tensor>;
template <class R>
requires requires(const R& result) { result.output; }
inline constexpr bool is_observable<R> = is_observable<decltype(R::output)>;
template <class First, class... Rest>
inline constexpr bool is_observable<std::tuple<First, Rest...>> = is_observable<First>;
template <class First, class Second>
inline constexpr bool is_observable<std::pair<First, Second>> = is_observable<First>;

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

  /// Tells the observer of this thread, if there is one, what the module gives.
  template <class R>
  void note_result(const R& result) const {
    if (value_observer == nullptr || own_ == nullptr) return;
    if constexpr (std::is_convertible_v<const R&, Tensor>) {
      note_tensor(result);
    } else if constexpr (requires { result.output; }) {
      note_result(result.output);
    } else {
      note_result(std::get<0>(result));
    }
  }

 private:
  void note_tensor(const Tensor& result) const;

  const std::string* outer_ = nullptr;
  const std::string* own_ = nullptr;  // null if the module is not part of an argument
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
