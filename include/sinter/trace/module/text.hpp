#pragma once
// Modules as text: a tree of their members, with the shapes and counts of parameters.

#include <cstdint>      // std::int64_t
#include <string>       // std::string
#include <string_view>  // std::string_view
#include <type_traits>  // std::remove_cvref_t

#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/trace/module/walk.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

/// A function signature that contains the name of T.
template <class T>
constexpr std::string_view signature_with_type() {
  return __PRETTY_FUNCTION__;
}
/// What stands for T in such a signature, without namespaces of sinter and long template arguments.
std::string type_in_signature(std::string_view signature);

/// A member and its own members.
struct MemberText {
  std::string name{}, text{};
  std::int64_t parameters = 0;  ///< Elements, with those of its members.
  std::int64_t bytes = 0;       ///< Of a tensor.
  bool is_plain = false, is_module = false;
  Vector<MemberText> members{};
};

/// Builds the tree during a walk.
class ModuleTextBuilder : public LeafVisitor {
 public:
  void tensor(const Tensor& value, const LeafName& name) { add_tensor(value, name, true); }
  void typed(const auto& value, const LeafName& name) { add_tensor(value.tensor(), name, true); }
  void buffer(const nn::Buffer& value, const LeafName& name) {
    add_tensor(value.value, name, false);
  }
  void scalar(const Scalar& value, const LeafName& name);
  void plain(const auto& value, const LeafName& name) {
    using Plain = std::remove_cvref_t<decltype(value)>;
    if constexpr (std::is_enum_v<Plain>) {
      add_plain(std::to_string(static_cast<std::int64_t>(value)), name);
    } else if constexpr (std::is_same_v<Plain, std::string>) {
      add_plain('"' + value + '"', name);
    } else {
      add_plain(sinter::detail::text(value), name);
    }
  }
  void structure(std::size_t length, const LeafName& name);
  void presence(bool is_present, const LeafName& name);
  template <class M>
  void module(const M&, const LeafName& name) {
    add_module(type_in_signature(signature_with_type<M>()), name);
  }

  /// A line for each member.
  std::string text() const;
  /// The module, without sums over members.
  const MemberText& tree() const { return root_; }

 private:
  MemberText& at(const LeafName& name);
  void add_tensor(const Tensor& value, const LeafName& name, bool is_parameter);
  void add_plain(std::string value, const LeafName& name);
  void add_module(std::string type, const LeafName& name);

  MemberText root_{};
};

}  // namespace detail

/// The members of `module` as a tree, one line each: its type and number of parameter elements, the
/// dtype and shape of each tensor, and plain values.
template <class M>
requires detail::HasModule<M> std::string to_string(const M& module) {
  detail::ModuleTextBuilder builder;
  detail::walk(module, builder, {});
  return builder.text();
}

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/module/text.ipp>
#endif
