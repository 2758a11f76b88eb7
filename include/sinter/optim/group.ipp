#pragma once

#include <mutex>  // std::lock_guard

#include <sinter/base/container/vector.hpp>
#include <sinter/base/process_mutex.hpp>
#include <sinter/optim/group.hpp>
#include <sinter/trace/module/pattern.hpp>

namespace sinter::inline SINTER_ABI::optim {

namespace detail {

using SharedPredicate = sinter::detail::SharedPtr<const NamePredicate>;

// Never destroyed: optimizers that are static may be used until the process ends.
struct PredicateTable {
  sinter::detail::ProcessMutex mutex;
  sinter::detail::Vector<SharedPredicate> list;
};
SINTER_INLINE PredicateTable& predicate_table() {
  static auto& table = *new PredicateTable;
  return table;
}

SINTER_INLINE int register_predicate(SharedPredicate predicate) {
  PredicateTable& table = predicate_table();
  const std::lock_guard lock(table.mutex);
  table.list.push_back(std::move(predicate));
  return static_cast<int>(table.list.size()) - 1;
}

SINTER_INLINE SharedPredicate registered_predicate(int number) {
  PredicateTable& table = predicate_table();
  const std::lock_guard lock(table.mutex);
  return table.list[static_cast<std::size_t>(number)];
}

}  // namespace detail

SINTER_INLINE bool Selection::selects(const std::string& name) const {
  if (predicate >= 0) return (*detail::registered_predicate(predicate))(name);
  return sinter::detail::fits_pattern(pattern, name) ||
         sinter::detail::fits_pattern(pattern + ".*", name);
}

}  // namespace sinter::inline SINTER_ABI::optim
