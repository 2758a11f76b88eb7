#pragma once

#include <cstddef>  // std::size_t

#include <sinter/base/text.hpp>
#include <sinter/dist/collective/kind.hpp>

namespace sinter::inline SINTER_ABI::detail::collective {

SINTER_INLINE std::string_view to_string(Kind kind) {
  constexpr std::string_view names[]{"all_reduce", "all_gather", "reduce_scatter", "broadcast",
                                     "reduce",     "all_to_all", "barrier",        "send",
                                     "recv",       "shard"};
  return names[static_cast<std::size_t>(kind)];
}

SINTER_INLINE std::string op_of(const Collective& collective) {
  return text("dist::", to_string(collective.kind));
}

SINTER_INLINE std::string described(const Collective& collective) {
  const std::string_view name = to_string(collective.kind);
  const std::string_view reduce = dist::to_string(collective.reduce);
  switch (collective.kind) {
    case Kind::all_reduce:
      return text(name, "(", reduce, ")");
    case Kind::reduce_scatter:
      return text(name, "(axis ", collective.axis, ", ", reduce, ")");
    case Kind::all_gather:
    case Kind::all_to_all:
      return text(name, "(axis ", collective.axis, ")");
    case Kind::broadcast:
    case Kind::reduce:
      return text(name, "(root ", collective.peer, ")");
    case Kind::send:
      return text(name, "(to ", collective.peer, ")");
    case Kind::receive:
      return text(name, "(from ", collective.peer, ")");
    case Kind::commit:
      return "the end of a step";
    case Kind::barrier:
      break;
  }
  return std::string(name);
}

}  // namespace sinter::inline SINTER_ABI::detail::collective
