#pragma once
// Flattens the arguments of a call: their tensors in order, and a hash of everything else.

#include <array>        // std::array
#include <bit>          // std::bit_cast
#include <cstdint>      // std::uint8_t, std::uint64_t
#include <string>       // std::string
#include <string_view>  // std::string_view
#include <type_traits>  // std::is_const_v
#include <utility>      // std::exchange
#include <vector>       // std::vector

#include <sinter/base/container/vector.hpp>
#include <sinter/base/hash.hpp>
#include <sinter/config.hpp>
#include <sinter/symbol/dim.hpp>
#include <sinter/trace/core/recorder_scope.hpp>
#include <sinter/trace/module/scope.hpp>
#include <sinter/trace/module/walk.hpp>

namespace sinter::inline SINTER_ABI::detail::guard {

/// One tensor of a call.
struct Leaf {
  Tensor* tensor = nullptr;
  const Dim* dims = nullptr;  ///< The dimensions in the type of a typed tensor.
  bool is_mutable = false;    ///< The function may change it.
  bool is_parameter = false;  ///< Member of a layer or optimizer: static until its size changes.
};

/// A plain value in the arguments, or a part of their structure: a length, a key, presence.
struct PlainValue {
  enum class Kind : std::uint8_t {
    number,
    choice,
    text,
    length,
    presence,
    key,
    undefined,
    setting  ///< A setting of the thread or the process.
  };
  std::string name{};
  std::string value{};
  bool is_structure = false;
  Kind kind = Kind::number;
  bool is_floating = false;
  bool operator==(const PlainValue&) const = default;
};

/// The leaves of a call, and a hash of everything else: plain values, lengths of containers,
/// presence of optionals and tensors.
struct Leaves {
  Vector<Leaf> list{};
  Hasher structure{};
  bool has_unguarded_members = false;  ///< Unlisted, or referring to outside objects.
  std::uint64_t scopes = 0;  ///< Other settings that decide what is recorded; see scope_word().
};

namespace detail {

// The words of a number that has more digits than a double, or a larger exponent.
std::array<std::uint64_t, 4> words_of(long double value);

// Puts words that identify a number or an enumerator among all values of its type.
template <class T, class Put>
void put_number(T value, Put put) {
  if constexpr (std::is_floating_point_v<T> && sizeof(T) > sizeof(double)) {
    for (const std::uint64_t word : words_of(value)) put(word);
  } else if constexpr (std::is_floating_point_v<T>) {
    put(std::bit_cast<std::uint64_t>(static_cast<double>(value)));
  } else {
    put(static_cast<std::uint64_t>(value));
    if constexpr (sizeof(T) > 8) put(static_cast<std::uint64_t>(value >> 64));
  }
}

template <class T>
void add_plain(Hasher& hasher, const T& value) {
  if constexpr (std::is_same_v<T, std::string>) {
    hasher.add(std::string_view(value));
  } else {
    put_number(value, [&hasher](std::uint64_t word) { hasher.add(word); });
  }
}

// Adds how a tensor is divided among processes, if it is.
void add_division(Hasher& hasher, const Tensor& x);

// Detects a member by name, whatever its signature: in a struct that derives from both M and the
// helper, the name is then ambiguous.
struct NamesForward {
  int forward;
};
struct NamesStep {
  int step;
};
template <class M, class Names>
struct WithName : M, Names {};
template <class M>
concept HasForward = std::is_final_v<M> || !requires {
  &WithName<M, NamesForward>::forward;
};
template <class M>
concept HasStep = !std::is_final_v<M> && !requires(M & module) {
  module.step;
}
&&!requires { &WithName<M, NamesStep>::step; };

// Layers and optimizers have parameters, whose sizes are fixed by their construction. Other
// structs, such as a batch or a key-value cache, are data like any argument.
template <class M>
concept HasParameters = HasForward<M> || HasStep<M>;

class LeafCollector : public LeafVisitor {
 public:
  explicit LeafCollector(Leaves& leaves) : leaves_(leaves) {}

  void tensor(auto& value, const LeafName&) {
    leaves_.structure.add(value.defined() ? 1 : 0);
    if (value.defined()) add(value, nullptr);
    if (value.marks() != nullptr) add_division(leaves_.structure, value);
  }
  template <class T>
  void typed(T& value, const LeafName&) {
    leaves_.structure.add(value.defined() ? 1 : 0);
    if (value.defined()) add(value.tensor(), std::remove_const_t<T>::dims.data());
  }
  void scalar(auto& value, const LeafName&) { add(value.tensor(), nullptr); }
  void buffer(auto& value, const LeafName& name) { tensor(value.value, name); }
  void plain(const auto& value, const LeafName&) { add_plain(leaves_.structure, value); }
  void structure(std::size_t size, const LeafName&) { leaves_.structure.add(size); }
  template <class M>
  void module(const M&, const LeafName&) {
    if (sinter::detail::unlisted<M> != 0) leaves_.has_unguarded_members = true;
  }
  void key(const auto& key, const LeafName&) { add_plain(leaves_.structure, key); }
  void opaque(const LeafName&) { leaves_.has_unguarded_members = true; }
  // While the members of a module are visited. The innermost module around a tensor decides.
  template <class M>
  auto inside(const M&) {
    struct Scope {
      LeafCollector& collector;
      bool outer;
      ~Scope() { collector.is_parameter_ = outer; }
    };
    return Scope{*this, std::exchange(is_parameter_, HasParameters<M>)};
  }

 private:
  template <class T>
  void add(T& value, const Dim* dims) {
    leaves_.list.push_back({const_cast<Tensor*>(&value), dims, !std::is_const_v<T>, is_parameter_});
  }

  Leaves& leaves_;
  bool is_parameter_ = false;
};

// Collects the names of the leaves and the plain values, in the order of LeafCollector.
class LeafNamer : public LeafVisitor {
 public:
  LeafNamer(std::vector<std::string>& leaves, Vector<PlainValue>& plain)
      : leaves_(leaves), plain_(plain) {}

  void tensor(const Tensor& value, const LeafName& name);
  void typed(const auto& value, const LeafName& name) { tensor(value.tensor(), name); }
  void scalar(const Scalar&, const LeafName& name);
  void buffer(const nn::Buffer& buffer, const LeafName& name) { tensor(buffer.value, name); }
  template <class T>
  void plain(const T& value, const LeafName& name) {
    if constexpr (std::is_enum_v<T>) {
      const auto number = static_cast<std::int64_t>(value);
      add({to_string(name), text(number), false, Kind::choice});
    } else if constexpr (std::is_same_v<T, std::string>) {
      add({to_string(name), text("\"", value, "\""), false, Kind::text});
    } else {
      const Kind kind = std::is_same_v<T, bool> ? Kind::choice : Kind::number;
      add({to_string(name), text(value), false, kind, std::is_floating_point_v<T>});
    }
  }
  void structure(std::size_t size, const LeafName& name);
  void presence(bool is_present, const LeafName& name);
  void key(const auto& key, const LeafName& name) {
    add({to_string(name), text("the key ", key), true, Kind::key});
  }

 private:
  using Kind = PlainValue::Kind;

  void add(PlainValue value);

  std::vector<std::string>& leaves_;
  Vector<PlainValue>& plain_;
};

// Registers the names of modules, by address, with a recorder.
class ModuleNamer : public LeafVisitor {
 public:
  explicit ModuleNamer(Recorder& recorder) : recorder_(recorder) {}
  template <class M>
  void module(const M& module, const LeafName& name) {
    sinter::detail::name_module(recorder_, &module, &sinter::detail::type_tag<M>, to_string(name));
  }

 private:
  Recorder& recorder_;
};

template <class T>
inline constexpr bool holds_module =
    Module<std::remove_cvref_t<T>> || sinter::detail::Holder<std::remove_cvref_t<T>>;

}  // namespace detail

/// Adds the leaves of `value` to `leaves`.
template <class T>
void collect(T& value, Leaves& leaves) {
  detail::LeafCollector collector(leaves);
  walk(value, collector, {});
}

/// Adds the leaf names and plain values of `value`, whose name is `name`.
template <class T>
void collect_names(const T& value, std::string_view name, std::vector<std::string>& leaves,
                   Vector<PlainValue>& plain) {
  detail::LeafNamer namer(leaves, plain);
  walk(value, namer, {nullptr, name});
}

/// Registers the modules in `value` with `recorder`.
template <class T>
void name_modules(const T& value, Recorder& recorder) {
  detail::ModuleNamer namer(recorder);
  walk(value, namer, {});
}

}  // namespace sinter::inline SINTER_ABI::detail::guard

#ifdef SINTER_DEFINITIONS
#include <sinter/guard/leaves.ipp>
#endif
