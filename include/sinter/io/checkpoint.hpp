#pragma once
// The state of modules and optimizers in files, by dotted name.

#include <concepts>     // std::same_as, std::integral
#include <span>         // std::span
#include <string>       // std::string
#include <type_traits>  // std::is_const_v
#include <utility>      // std::pair
#include <vector>       // std::vector

#include <sinter/config.hpp>
#include <sinter/io/safetensors.hpp>
#include <sinter/trace/module/walk.hpp>
#include <sinter/trace/typed/tensor.hpp>

namespace sinter::inline SINTER_ABI::io {

/// How load() finds the names of a module in a file.
struct LoadOptions {
  /// If false, names that are missing or unexpected are returned rather than refused.
  bool strict = true;
  /// Only the names of the file that start with this are looked at, without it: "encoder." loads a
  /// submodule from the file of the whole, "module." a model that was saved inside of another.
  std::string prefix{};
  /// Each {from, to}, in order: in the names of the file, without `prefix`, the words `from`
  /// between dots become `to`: {"gamma", "weight"}, {"attention.self", "attention"}; {"model", ""}
  /// leaves a word out.
  std::vector<std::pair<std::string, std::string>> renames{};
};

/// What load() could not pair: empty if it was strict.
struct LoadResult {
  std::vector<std::string> missing{};     ///< Of the module; they are as they were.
  std::vector<std::string> unexpected{};  ///< Of the file, renamed.
};

namespace detail {

/// A tensor of a module, and what may take its place.
struct StateSlot {
  std::string name;
  Tensor* tensor = nullptr;
  bool is_scalar = false;        ///< A number of rank 0, whose dtype is part of its value.
  const DType* dtype = nullptr;  ///< Of a TensorOf, ...
  std::span<const Dim> dims{};   ///< ... of these dimensions.
};

/// An empty container, which takes all entries of the file whose names start with its own.
struct StateContainer {
  std::string prefix;
  bool is_list = false;  ///< Names go on with 0, 1, 2, ...
  bool of_scalars = false;
  void* container = nullptr;
  void (*fill)(void* container, NamedTensors entries) = nullptr;
};

struct State {
  std::vector<StateSlot> slots;
  std::vector<StateContainer> containers;
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

/// Collects what of a module is state. Plain numbers and strings are not: they are configuration.
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
  // save() gives a const module, and reads only; load() one that is not.
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

/// Replaces the file by one with the state of `module`, bit for bit: its parameters, buffers and
/// Scalars, and what its containers hold of these, by dotted name. Modules are layers, optimizers,
/// and structs of both. Plain numbers and strings are not state. If anything fails, the file is as
/// it was.
///
/// Throws IoError if the file cannot be written; ValueError if two tensors have one name
template <class M>
void save(const std::string& path, const M& module, Where where = Where::current()) {
  static_assert(detail::HasState<M>,
                "sinter::io::save(path, module) requires a module: list the members of the struct "
                "with SINTER_MODULE");
  if constexpr (detail::HasState<M>) {  // so that the sentence above is the only error
    detail::save_state({"io::save", path, where}, detail::state_of(module));
  }
}

/// Gives `module` the state that save() wrote. What is not there yet is created: a tensor that is
/// undefined takes any, and an empty map or list of tensors all whose names start with its own, as
/// the moments of an optimizer that has made no step. Tensors stay on the device where they are,
/// and what is created is made where all others are.
///
/// Throws   IoError if the file cannot be read, or names are missing or unexpected and the options
///          are strict; else ShapeError or DTypeError if that is all that differs. Each error lists
///          all that differs, and nothing has changed then; GraphBreakError inside of a recording.
template <class M>
LoadResult load(const std::string& path, M& module, const LoadOptions& options,
                Where where = Where::current()) {
  static_assert(detail::HasState<M>,
                "sinter::io::load(path, module) requires a module: list the members of the struct "
                "with SINTER_MODULE");
  if constexpr (detail::HasState<M>) {  // so that the sentence above is the only error
    detail::State state = detail::state_of(module);
    return detail::load_state({"io::load", path, where}, state, options);
  } else {
    return {};
  }
}
/// The same for the names as they are: all of them, and no other.
template <class M>
LoadResult load(const std::string& path, M& module, Where where = Where::current()) {
  return load(path, module, LoadOptions{}, where);
}

namespace detail {
/// `name` with the words `from`, between dots, replaced by `to`; an empty `from` is in front of
/// all.
std::string renamed(const std::string& name, const std::string& from, const std::string& to);
}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::io

#ifdef SINTER_DEFINITIONS
#include <sinter/io/checkpoint.ipp>
#endif
