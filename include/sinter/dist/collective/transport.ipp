#pragma once

#include <sinter/base/hash.hpp>
#include <sinter/base/text.hpp>
#include <sinter/dist/collective/transport.hpp>

namespace sinter::inline SINTER_ABI::detail::collective {

SINTER_INLINE Vector<SharedPtr<Transport>>& groups() {
  static auto& list = *new Vector<SharedPtr<Transport>>;  // read by threads that outlive main()
  return list;
}

SINTER_INLINE int split_group(int color, std::string_view op, Where where) {
  if (color < 0) {
    throw ValueError({.op = op,
                      .what = "the color of a group is negative",
                      .facts = {{"color", text(color)}},
                      .rule = "ranks with the same color form a group; colors are 0 or more",
                      .fix = "pass a number that is not negative",
                      .where = where,
                      .see = "distributed"});
  }
  const Call call{.hash = hash_of("split").low,
                  .text = text("split at ", sinter::to_string(where)),
                  .op = std::string(op),
                  .where = where};
  auto part = group(0, op, where).split(call, color);
  groups().push_back(std::move(part));
  return static_cast<int>(groups().size()) - 1;
}

SINTER_INLINE Transport& group(int number, std::string_view op, Where where) {
  const auto at = static_cast<std::size_t>(number);
  if (at < groups().size()) return *groups()[at];
  throw ValueError(
      {.op = op,
       .what = groups().empty() ? "there is no World" : "the World has no group of this number",
       .facts = {{"group", text(number)}},
       .rule = "collectives run while a dist::World lives, on its groups",
       .fix = "begin main() with dist::World world;",
       .where = where,
       .see = "distributed"});
}

}  // namespace sinter::inline SINTER_ABI::detail::collective
