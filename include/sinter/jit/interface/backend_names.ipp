#pragma once

#include <mutex>  // std::lock_guard

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/error.hpp>
#include <sinter/base/process_mutex.hpp>
#include <sinter/base/text.hpp>
#include <sinter/jit/interface/backend_names.hpp>
#include <sinter/jit/interface/nearest.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

namespace detail {

// All backends that were added. A later one hides earlier ones of the same name.
struct CustomBackends {
  ProcessMutex mutex;
  Vector<SharedPtr<const CustomBackend>> list;
};

SINTER_INLINE CustomBackends& custom_backends() {
  static auto& all = *new CustomBackends;
  return all;
}

}  // namespace detail

SINTER_INLINE void add_custom_backend(SharedPtr<const CustomBackend> backend) {
  detail::CustomBackends& all = detail::custom_backends();
  const std::lock_guard lock(all.mutex);
  all.list.push_back(std::move(backend));
}

SINTER_INLINE SharedPtr<const CustomBackend> find_custom_backend(std::string_view name) {
  detail::CustomBackends& all = detail::custom_backends();
  const std::lock_guard lock(all.mutex);
  for (std::size_t i = all.list.size(); i-- > 0;) {
    if (all.list[i]->name() == name) return all.list[i];
  }
  return nullptr;
}

SINTER_INLINE SharedPtr<const CustomBackend> require_custom_backend(std::string_view name,
                                                                    Where where) {
  if (auto known = find_custom_backend(name)) return known;
  std::string list;
  Vector<std::string_view> names;
  detail::CustomBackends& all = detail::custom_backends();
  const std::lock_guard lock(all.mutex);
  for (const auto& backend : all.list) {
    if (contains(names, backend->name())) continue;
    names.push_back(backend->name());
    list += text(list.empty() ? "" : ", ", backend->name());
  }
  const std::string_view nearest = nearest_name(name, names);
  throw ValueError({.op = "compile",
                    .what = "there is no backend of this name",
                    .facts = {{"custom_backend", name}},
                    .rule = list.empty() ? "no backend is registered"
                                         : text("the registered backends are ", list),
                    .fix = nearest.empty() ? "call register_backend before compile"
                                           : text("did you mean ", nearest, "?"),
                    .where = where});
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
