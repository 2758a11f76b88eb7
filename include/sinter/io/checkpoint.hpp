#pragma once
// Saves and loads the state of modules and optimizers, by dotted name.

#include <concepts>     // std::same_as, std::integral
#include <string>       // std::string
#include <type_traits>  // std::is_const_v
#include <utility>      // std::pair
#include <vector>       // std::vector

#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/io/safetensors.hpp>
#include <sinter/trace/module/walk.hpp>
#include <sinter/trace/ops/typed/tensor.hpp>

namespace sinter::inline SINTER_ABI::io {

/// How load() maps names in a file to names of a module.
struct LoadOptions {
  /// If false, missing and unexpected names are returned rather than refused.
  bool strict = true;
  /// Loads only names in the file that start with this prefix, which is removed: "encoder." loads a
  /// submodule from the file of the whole, "module." a model that was saved inside another.
  std::string prefix{};
  /// Renames {from, to}, applied in order to the names in the file after `prefix` is removed: the
  /// dot-separated words `from` become `to`: {"gamma", "weight"}, {"attention.self", "attention"};
  /// {"model", ""} removes a word.
  std::vector<std::pair<std::string, std::string>> renames{};
};

/// The names that load() could not match; empty if it was strict.
struct LoadResult {
  std::vector<std::string> missing{};     ///< Names of the module; their values are unchanged.
  std::vector<std::string> unexpected{};  ///< Names in the file, after renaming.
};

namespace detail {

/// How a tensor is divided, as Division; files have the whole.
struct StatePart {
  std::vector<std::int64_t> shape{};  ///< Of the whole.
  std::int64_t rank = 0, ranks = 0;   ///< No ranks: it is not divided.
};

/// A tensor of a module, and the types that may replace it.
struct StateSlot {
  std::string name;
  Tensor* tensor = nullptr;
  StatePart part{};
  bool is_scalar = false;        ///< A number of rank 0, whose dtype is part of its value.
  const DType* dtype = nullptr;  ///< For a TensorOf, ...
  sinter::detail::Span<const Dim> dims{};  ///< ... with these dimensions.
};

/// An empty container, which receives all entries whose names start with its own.
struct StateContainer {
  std::string prefix;
  bool is_list = false;  ///< Names go on with 0, 1, 2, ...
  bool of_scalars = false;
  void* container = nullptr;
  void (*fill)(void* container, NamedTensors entries) = nullptr;
  const std::map<std::string, StatePart>* parts = nullptr;  ///< Entries that are divided, by key.
};

struct State {
  sinter::detail::Vector<StateSlot> slots;
  sinter::detail::Vector<StateContainer> containers;
};

template <class T>
concept StateLeaf =
    std::same_as<T, Tensor> || std::same_as<T, Scalar> || std::same_as<T, nn::Buffer>;
template <class T>
concept StateMap =
    !std::is_const_v<T> && sinter::detail::Map<T> &&
    std::same_as<typename T::key_type, std::string> && StateLeaf<typename T::mapped_type>;
template <class T>
concept StateList = sinter::detail::Range<T> && StateLeaf<typename T::value_type> &&
    requires(T& list, Tensor tensor) {
  list.emplace_back(tensor);
};

template <class T>
void fill_container(void* container, NamedTensors entries) {
  T result;
  for (auto& [key, tensor] : entries) {
    if constexpr (StateMap<T>) {
      result.emplace(key, typename T::mapped_type(std::move(tensor)));
    } else {
      result.emplace_back(std::move(tensor));
    }
  }
  *static_cast<T*>(container) = std::move(result);
}

/// Collects the state of a module. Plain numbers and strings are configuration, not state.
struct StateVisitor : sinter::detail::LeafVisitor {
  explicit StateVisitor(State& s) : state(s) {}

  void tensor(const Tensor& value, const sinter::detail::LeafName& name) { add(value, name); }
  void buffer(const nn::Buffer& buffer, const sinter::detail::LeafName& name) {
    add(buffer.value, name);
  }
  void scalar(const Scalar& scalar, const sinter::detail::LeafName& name) {
    add(scalar.tensor(), name).is_scalar = true;
  }
  template <class T>
  void typed(const T& value, const sinter::detail::LeafName& name) {
    StateSlot& slot = add(value.tensor(), name);
    slot.dtype = &T::type.dtype;
    slot.dims = T::dims;
  }
  template <class M>
  void module(M& module, const sinter::detail::LeafName& name) {
    for_each_member(module, [&](const char* member, auto& value) {
      using Value = std::remove_reference_t<decltype(value)>;
      if constexpr (StateMap<Value>) {
        add_container<Value, typename Value::mapped_type>(value, {&name, member});
      } else if constexpr (StateList<Value>) {
        add_container<Value, typename Value::value_type>(value, {&name, member});
      }
    });
  }

  State& state;

 private:
  // save() passes a const module, load() a non-const one.
  StateSlot& add(const Tensor& tensor, const sinter::detail::LeafName& name);
  template <class Container, class Value>
  void add_container(Container& container, const sinter::detail::LeafName& name) {
    if (container.size() != 0) return;
    state.containers.push_back({.prefix = sinter::detail::to_string(name) + ".",
                                .is_list = StateList<Container>,
                                .of_scalars = std::same_as<Value, Scalar>,
                                .container = &container,
                                .fill = fill_container<Container>});
  }
};

template <class M>
State state_of(M& module) {
  State result;
  StateVisitor visitor(result);
  sinter::detail::walk(module, visitor, {});
  return result;
}

void save_state(const Access& access, const State& state);

LoadResult load_state(const Access& access, State& state, const LoadOptions& options);

template <class M>
concept HasState = Module<M> || sinter::detail::Holder<M>;

}  // namespace detail

/// Writes the state of `module` to the file, bit for bit: parameters, buffers and Scalars,
/// including those in containers, by dotted name. Modules are layers, optimizers, and structs of
/// both. Plain numbers and strings are not state. The file is replaced atomically: on failure it is
/// unchanged.
///
/// Throws IoError if the file cannot be written; ValueError if two tensors have the same name
template <class M>
void save(const std::string& path, const M& module, Where where = Where::current()) {
  static_assert(detail::HasState<M>,
                "sinter::io::save(path, module) requires a module: list the members of the struct "
                "with SINTER_MODULE");
  if constexpr (detail::HasState<M>) {  // keeps the static_assert above the only error
    detail::save_state({"io::save", path, where}, detail::state_of(module));
  }
}

/// Loads the state that save() wrote into `module`. Missing state is created: an undefined tensor
/// takes any tensor, and an empty map or list of tensors takes all entries whose names start with
/// its own, such as the moments of an optimizer before its first step. Tensors stay on their
/// device; created ones are placed on the device of the others.
///
/// Throws   IoError if the file cannot be read, or if names are missing or unexpected in strict
///          mode; ShapeError or DTypeError if only shapes or dtypes differ; GraphBreakError inside
///          a recording. Each error lists all differences, and the module is unchanged.
template <class M>
LoadResult load(const std::string& path, M& module, const LoadOptions& options,
                Where where = Where::current()) {
  static_assert(detail::HasState<M>,
                "sinter::io::load(path, module) requires a module: list the members of the struct "
                "with SINTER_MODULE");
  if constexpr (detail::HasState<M>) {  // keeps the static_assert above the only error
    detail::State state = detail::state_of(module);
    return detail::load_state({"io::load", path, where}, state, options);
  } else {
    return {};
  }
}
/// Strict loading without prefix or renames.
template <class M>
LoadResult load(const std::string& path, M& module, Where where = Where::current()) {
  return load(path, module, LoadOptions{}, where);
}

namespace detail {
/// `name` with the dot-separated words `from` replaced by `to`; an empty `from` inserts `to` at the
/// front.
std::string renamed(const std::string& name, const std::string& from, const std::string& to);
}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::io

#ifdef SINTER_DEFINITIONS
#include <sinter/io/checkpoint.ipp>
#endif
