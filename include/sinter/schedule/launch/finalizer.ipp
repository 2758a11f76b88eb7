#pragma once

#include <algorithm>  // std::any_of
#include <utility>    // std::move

#include <sinter/schedule/analysis/statistics.hpp>
#include <sinter/schedule/ir/kernel_list.hpp>
#include <sinter/schedule/ir/plan.hpp>
#include <sinter/schedule/launch/finalizer.hpp>
#include <sinter/symbol/extent/interval.hpp>
#include <sinter/symbol/extent/proof.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

// So much one thread does before others could have helped it, ...
inline constexpr std::int64_t most_finish_work = 1 << 18;
// ... or this part of the operations that all of them do before. A multiply-add of a product takes
// a sixteenth of the time that reading an element does, so this is 1/256 of their time at most.
inline constexpr std::int64_t finish_share = 4096;

struct Finisher {
  Plan& plan;
  const Options& options;
  std::vector<Launch> launches{};
  // Of each launch: those that run before the others, its own, those of its finish.
  std::vector<std::vector<std::int32_t>> kernels{};

  const Kernel& kernel(std::int32_t id) const { return plan.kernels[static_cast<std::size_t>(id)]; }

  // Calls visit(buffer, access) with each use of a buffer by the kernels `ids` of `launch`.
  template <class Visit>
  void for_each_use(const Launch& launch, const std::vector<std::int32_t>& ids,
                    const Visit& visit) const {
    std::size_t next = 0;
    for (const std::int32_t id : ids) {
      for (const Argument& argument : kernel(id).arguments) {
        if (argument.access != Access::local) visit(launch.buffers[next++], argument.access);
      }
    }
  }

  // Whether all threads share one kernel, with which `launch` ends.
  static bool has_one(const Launch& launch) {
    const std::vector<Entry>& entries = launch.entries;
    if (launch.control >= 0 || entries.empty()) return launch.control < 0;
    const bool shared = entries.back().turn == Turn::together;
    return shared && (entries.size() == 1 || entries[entries.size() - 2].turn == Turn::before);
  }

  // How many kernels run before it.
  static std::size_t starts(const Launch& launch) {
    return launch.entries.empty() ? 0 : launch.entries.size() - 1;
  }

  Access use(std::size_t at, std::int32_t buffer) const {
    Access result = Access::local;
    if (!has_one(launches[at])) return Access::read_write;
    for_each_use(launches[at], kernels[at], [&](std::int32_t other, Access access) {
      if (other != buffer) return;
      const bool both = result != Access::local && result != access;
      result = both ? Access::read_write : access;
    });
    return result;
  }

  bool uses(std::size_t at, std::int32_t buffer) const {
    const auto& list = launches[at].buffers;
    return std::find(list.begin(), list.end(), buffer) != list.end();
  }

  // The latest launch that has to be over before `launch`; -1 if there is none.
  std::ptrdiff_t before(const Launch& launch) const {
    for (std::size_t at = launches.size(); at-- > 0;) {
      bool conflict = false;
      for_each_use(launch, {launch.kernel}, [&](std::int32_t buffer, Access access) {
        if (!uses(at, buffer)) return;
        conflict = conflict || access != Access::read || use(at, buffer) != Access::read;
      });
      if (conflict) return static_cast<std::ptrdiff_t>(at);
    }
    return -1;
  }

  Extent elements(std::int32_t buffer) const {
    return plan.buffers[static_cast<std::size_t>(buffer)].elements;
  }

  // How many elements `launch` reads of what the launch `at` wrote: of the largest buffer.
  Extent elements_between(const Launch& launch, std::size_t at) const {
    Extent most = 0;
    for_each_use(launch, {launch.kernel}, [&](std::int32_t buffer, Access access) {
      if (access != Access::read || !uses(at, buffer) || use(at, buffer) == Access::read) return;
      if (proven_less_equal(most, elements(buffer))) most = elements(buffer);
    });
    return most;
  }

  // Whether `launch` makes less of what the launch `at` wrote: fewer elements, or numbers.
  bool reduces(const Launch& launch, std::size_t at) const {
    const Extent most = elements_between(launch, at);
    bool fewer = true;
    for_each_use(launch, {launch.kernel}, [&](std::int32_t buffer, Access access) {
      if (access == Access::read || same(elements(buffer), 1)) return;
      fewer = fewer && proven_less_equal(elements(buffer) * 2, most);
    });
    return !same(most, 0) && fewer;
  }

  // What combines `buffer` in chunks in the launch `at`, which is meant for its finish then.
  const Instruction* combining(std::size_t at, std::int32_t buffer) const {
    const std::size_t main = starts(launches[at]);
    const Kernel& first = kernel(kernels[at][main]);
    std::size_t next = 0;
    for (std::size_t i = 0; i < main; ++i) next += buffer_count(kernel(kernels[at][i]));
    for (std::size_t i = 0; i < first.arguments.size(); ++i) {
      if (first.arguments[i].access == Access::local) continue;
      if (launches[at].buffers[next++] != buffer) continue;
      for (const Instruction& one : first.instructions) {
        const bool stores = one.argument == static_cast<std::int32_t>(i);
        if (one.code == Code::combine && stores) return &one;
      }
      return nullptr;
    }
    return nullptr;
  }

  // Whether it is no more than `launch` writes to any buffer.
  bool grows(const Launch& launch, std::int32_t from) const {
    bool result = false;
    for_each_use(launch, {launch.kernel}, [&](std::int32_t buffer, Access access) {
      if (access == Access::read) return;
      result = result || !proven_less_equal(elements(buffer), elements(from));
    });
    return result;
  }

  bool combines_for(const Launch& launch, std::size_t at) const {
    return std::any_of(launch.buffers.begin(), launch.buffers.end(), [&](std::int32_t buffer) {
      const Instruction* const one = combining(at, buffer);
      return one != nullptr && (one->variable.is_number() || !grows(launch, buffer));
    });
  }

  // Where sizes decide it, a launch that goes once over what it reads, unless it is known to be a
  // large part.
  bool is_small(const Launch& launch, std::size_t at) const {
    const Extent work = launch.work, all = launches[at].work;
    if (bounds(work).max <= most_finish_work || combines_for(launch, at)) return true;
    if (proven_less_equal(work * finish_share, all)) return true;
    return !proven_less_equal(all, work * finish_share) &&
           proven_less_equal(work - most_finish_work, elements_between(launch, at));
  }

  // Whether `launch` may write what an input has: then nobody may read that later.
  bool updates(const Launch& launch) const {
    return std::any_of(launch.buffers.begin(), launch.buffers.end(), [&](std::int32_t id) {
      const Buffer& buffer = plan.buffers[static_cast<std::size_t>(id)];
      return buffer.home == Home::output &&
             std::any_of(options.updates.begin(), options.updates.end(),
                         [&](const Update& one) { return one.output == buffer.position; });
    });
  }

  bool fits(const Launch& launch, std::size_t at) const {
    const Launch& after = launches[at];
    if (!has_one(after) || !launch.checks.empty() || kernel(launch.kernel).serial) return false;
    const bool last = at + 1 == launches.size() && after.checks.empty();
    if (updates(launch) && !last) return false;
    return is_small(launch, at) && (reduces(launch, at) || combines_for(launch, at));
  }

  void attach(Launch& launch, std::size_t at) {
    Launch& to = launches[at];
    kernels[at].push_back(launch.kernel);
    if (!to.entries.empty()) {
      Entry& last = to.entries.back();
      last.buffers += static_cast<std::int32_t>(launch.buffers.size());
      last.sizes += static_cast<std::int32_t>(launch.sizes.size());
      last.work += launch.work;
    }
    add_run(to, launch, launch.sizes);
  }

  void add(Launch& launch) {
    const bool alone = launch.control >= 0 || !launch.entries.empty();
    const std::ptrdiff_t at = alone ? -1 : before(launch);
    if (at >= 0 && fits(launch, static_cast<std::size_t>(at))) {
      return attach(launch, static_cast<std::size_t>(at));
    }
    std::vector<std::int32_t> own;
    for (const Entry& entry : launch.entries) own.push_back(entry.kernel);
    if (own.empty()) own.push_back(launch.kernel);
    kernels.push_back(std::move(own));
    launches.push_back(std::move(launch));
  }

  // The kernels of the launches, each once.
  void collect() {
    KernelList list;
    for (std::size_t i = 0; i < launches.size(); ++i) {
      if (launches[i].control >= 0) continue;
      std::vector<Entry>& entries = launches[i].entries;
      if (!has_one(launches[i])) {
        launches[i].kernel = list.add(kernel(launches[i].kernel));
        for (Entry& entry : entries) entry.kernel = list.add(kernel(entry.kernel));
        continue;
      }
      const std::size_t main = starts(launches[i]);
      Kernel joined = kernel(kernels[i][main]);
      for (std::size_t k = main + 1; k < kernels[i].size(); ++k) {
        joined.finish.push_back(kernel(kernels[i][k]));
      }
      for (std::size_t k = 0; k < main; ++k) entries[k].kernel = list.add(kernel(kernels[i][k]));
      launches[i].kernel = list.add(joined);
      if (!entries.empty()) entries.back().kernel = launches[i].kernel;
    }
    plan.kernels = std::move(list.kernels);
  }
};

}  // namespace detail

SINTER_INLINE void attach_finishes(Plan& plan, const Options& options) {
  detail::Finisher finisher{plan, options};
  for (Launch& launch : plan.launches) finisher.add(launch);
  finisher.collect();
  plan.launches = std::move(finisher.launches);
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
