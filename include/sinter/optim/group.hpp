#pragma once
// Groups of parameters with a learning rate or a weight decay of their own.

#include <concepts>     // std::convertible_to
#include <optional>     // std::optional
#include <string>       // std::string
#include <string_view>  // std::string_view
#include <utility>      // std::move
#include <vector>       // std::vector

#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/base/where.hpp>
#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>
#include <sinter/trace/module/module.hpp>

namespace sinter::inline SINTER_ABI::optim {

namespace detail {

struct NamePredicate {
  virtual ~NamePredicate() = default;
  virtual bool operator()(const std::string& name) const = 0;
};

template <class F>
struct NamePredicateOf final : NamePredicate {
  explicit NamePredicateOf(F f) : function(std::move(f)) {}
  bool operator()(const std::string& name) const override { return function(name); }
  mutable F function;
};

/// Stores `predicate` for the lifetime of the process; returns its index.
int register_predicate(sinter::detail::SharedPtr<const NamePredicate> predicate);

}  // namespace detail

/// Selects parameters by dotted name: with a pattern, in which * stands for any text and ? for a
/// character, and which also selects what is inside a module of that name ("encoder" selects
/// "encoder.norm.weight"); or with a function of the name that gives a bool.
struct Selection {
  template <class Pattern>
  requires std::convertible_to<const Pattern&, std::string_view> Selection(const Pattern& p)
      : pattern(std::string_view(p)) {}
  template <class Select>
  requires std::predicate<Select&, const std::string&> Selection(Select select)
      : predicate(detail::register_predicate(
            sinter::detail::make_shared_ptr<const detail::NamePredicateOf<Select>>(select))) {}
  bool selects(const std::string& name) const;

  std::string pattern{};
  int predicate = -1;  ///< The number of a function, which a compiled step guards; -1 for none.
  SINTER_MODULE(Selection, pattern, predicate)
};

/// What a group has of its own; where there is no value, that of the optimizer counts.
struct GroupOptions {
  std::optional<Scalar> learning_rate{}, weight_decay{};
};

/// A group of an optimizer. Its numbers are inputs of a compiled step; assign them freely. step()
/// throws ValueError if it selects no parameter of the module.
struct Group {
  Selection select;
  std::optional<Scalar> learning_rate{}, weight_decay{};
  SINTER_MODULE(Group, select, learning_rate, weight_decay)
};

}  // namespace sinter::inline SINTER_ABI::optim

#ifdef SINTER_DEFINITIONS
#include <sinter/optim/group.ipp>
#endif
