#pragma once
// Finalizers: the last thread to finish a kernel also runs small kernels that reduce its results.
// This saves a launch and the barrier between the two.

#include <algorithm>  // std::max
#include <utility>    // std::move

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/hash_map.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/hash.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/analysis/statistics.hpp>
#include <sinter/schedule/ir/plan.hpp>
#include <sinter/symbol/extent/interval.hpp>
#include <sinter/symbol/extent/proof.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

struct FinalizerBuilder {
  Plan& plan;
  const Options& options;
  Vector<Launch> launches{};
  // For each launch, its kernels: the prologue, the main kernel, the finalizers.
  Vector<Vector<std::int32_t>> kernels{};
  // For each kernel of the result, the kernels of the plan that it is made of: the main one, then
  // its finalizers; and the position of each list.
  Vector<Vector<std::int32_t>> collected{};
  HashMap<Hash, std::int32_t, HashOfHash> positions{};
  // For each buffer: the last launch that uses it, and the last that writes it; -1 if none does.
  Vector<std::int32_t> last_use = none(), last_write = none();

  Vector<std::int32_t> none() const { return Vector<std::int32_t>(plan.buffers.size(), -1); }

  const Kernel& kernel(std::int32_t id) const { return plan.kernels[id]; }

  // Calls visit(buffer, access) with each use of a buffer by the kernels `ids` of `launch`.
  template <class Visit>
  void for_each_use(const Launch& launch, const Vector<std::int32_t>& ids,
                    const Visit& visit) const {
    std::size_t next = 0;
    for (const std::int32_t id : ids) {
      for (const Argument& argument : kernel(id).arguments) {
        if (argument.access != Access::local) visit(launch.buffers[next++], argument.access);
      }
    }
  }

  // Whether `launch` ends with one kernel that all threads share.
  static bool has_one_kernel(const Launch& launch) {
    const Vector<Entry>& entries = launch.entries;
    if (launch.control >= 0 || entries.empty()) return launch.control < 0;
    const bool shared = entries.back().phase == LaunchPhase::parallel;
    return shared &&
           (entries.size() == 1 || entries[entries.size() - 2].phase == LaunchPhase::prologue);
  }

  // How many kernels run before it.
  static std::size_t prologue_size(const Launch& launch) {
    return launch.entries.empty() ? 0 : launch.entries.size() - 1;
  }

  Access use(std::size_t at, std::int32_t buffer) const {
    Access result = Access::local;
    if (!has_one_kernel(launches[at])) return Access::read_write;
    for_each_use(launches[at], kernels[at], [&](std::int32_t other, Access access) {
      if (other != buffer) return;
      const bool both = result != Access::local && result != access;
      result = both ? Access::read_write : access;
    });
    return result;
  }

  bool uses(std::size_t at, std::int32_t buffer) const {
    const auto& list = launches[at].buffers;
    return contains(list, buffer);
  }

  // The latest launch that `launch` depends on; -1 if there is none.
  std::ptrdiff_t before(const Launch& launch) const {
    std::int32_t result = -1;
    for_each_use(launch, {launch.kernel}, [&](std::int32_t buffer, Access access) {
      const auto& last = access == Access::read ? last_write : last_use;
      result = std::max(result, last[buffer]);
    });
    return result;
  }

  // Notes that launch `at` uses `buffers`.
  void note_uses(std::size_t at, const Vector<std::int32_t>& buffers) {
    for (const std::int32_t buffer : buffers) {
      const auto launch = static_cast<std::int32_t>(at);
      last_use[buffer] = std::max(last_use[buffer], launch);
      if (use(at, buffer) != Access::read)
        last_write[buffer] = std::max(last_write[buffer], launch);
    }
  }

  Extent elements(std::int32_t buffer) const { return plan.buffers[buffer].elements; }

  // How many elements of results of the launch `at` `launch` reads: those of the largest buffer.
  Extent elements_between(const Launch& launch, std::size_t at) const {
    Extent most = 0;
    for_each_use(launch, {launch.kernel}, [&](std::int32_t buffer, Access access) {
      if (access != Access::read || !uses(at, buffer) || use(at, buffer) == Access::read) return;
      if (proven_less_equal(most, elements(buffer))) most = elements(buffer);
    });
    return most;
  }

  // Whether `launch` reduces results of the launch `at`, to at most half as many elements or to
  // scalars.
  bool reduces(const Launch& launch, std::size_t at) const {
    const Extent most = elements_between(launch, at);
    bool fewer = true;
    for_each_use(launch, {launch.kernel}, [&](std::int32_t buffer, Access access) {
      if (access == Access::read || same(elements(buffer), 1)) return;
      fewer = fewer && proven_less_equal(elements(buffer) * 2, most);
    });
    return !same(most, 0) && fewer;
  }

  // The instruction of the launch `at` that combines partial results in `buffer`, which always get
  // a finalizer.
  const Instruction* combine_of(std::size_t at, std::int32_t buffer) const {
    const std::size_t main = prologue_size(launches[at]);
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

  // Whether `launch` writes a buffer that may be larger than `from`.
  bool may_grow(const Launch& launch, std::int32_t from) const {
    bool result = false;
    for_each_use(launch, {launch.kernel}, [&](std::int32_t buffer, Access access) {
      if (access == Access::read) return;
      result = result || !proven_less_equal(elements(buffer), elements(from));
    });
    return result;
  }

  bool combines_partials_of(const Launch& launch, std::size_t at) const {
    return any_of(launch.buffers, [&](std::int32_t buffer) {
      const Instruction* const one = combine_of(at, buffer);
      return one != nullptr && (one->variable.is_number() || !may_grow(launch, buffer));
    });
  }

  // Whether the work of `launch` is small. If sizes are unknown, it is if `launch` reads each
  // element once, unless it is known to be a large part of the work.
  bool is_small(const Launch& launch, std::size_t at) const {
    const Extent work = launch.work, all = launches[at].work;
    const LaunchLimits& limits = options.target.launches;
    const std::int64_t most = limits.most_finalizer_work, ratio = limits.finalizer_work_ratio;
    if (bounds(work).max <= most || combines_partials_of(launch, at)) return true;
    if (proven_less_equal(work * ratio, all)) return true;
    return !proven_less_equal(all, work * ratio) &&
           proven_less_equal(work - most, elements_between(launch, at));
  }

  // Whether `launch` may overwrite an input, which no later launch may read then.
  bool updates(const Launch& launch) const {
    return any_of(launch.buffers, [&](std::int32_t id) {
      const Buffer& buffer = plan.buffers[id];
      return buffer.home == Home::output && any_of(options.updates, [&](const Update& one) {
               return one.output == buffer.position;
             });
    });
  }

  bool fits(const Launch& launch, std::size_t at) const {
    const Launch& after = launches[at];
    if (!has_one_kernel(after) || !launch.checks.empty() || kernel(launch.kernel).serial)
      return false;
    const bool last = at + 1 == launches.size() && after.checks.empty();
    if (updates(launch) && !last) return false;
    return is_small(launch, at) && (reduces(launch, at) || combines_partials_of(launch, at));
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
    note_uses(at, launch.buffers);
  }

  void add(Launch& launch) {
    const bool alone = launch.control >= 0 || !launch.entries.empty();
    const std::ptrdiff_t at = alone ? -1 : before(launch);
    if (at >= 0 && fits(launch, static_cast<std::size_t>(at))) {
      return attach(launch, static_cast<std::size_t>(at));
    }
    Vector<std::int32_t> own;
    for (const Entry& entry : launch.entries) own.push_back(entry.kernel);
    if (own.empty()) own.push_back(launch.kernel);
    kernels.push_back(std::move(own));
    launches.push_back(std::move(launch));
    note_uses(launches.size() - 1, launches.back().buffers);
  }

  // The position in `collected` of kernel ids[0] with finalizers ids[1], ...; adds it if it is new.
  // An id identifies a kernel, because a plan stores each kernel once.
  std::int32_t position_of(Span<const std::int32_t> ids) {
    Hasher hasher;
    for (const std::int32_t id : ids) hasher.add(static_cast<std::uint64_t>(id));
    const auto next = static_cast<std::int32_t>(collected.size());
    const auto [known, is_new] = positions.emplace(hasher.result(), next);
    if (is_new) collected.emplace_back(ids.begin(), ids.end());
    return known->second;
  }

  // Builds the list of kernels anew, with their finalizers, in launch order.
  void collect() {
    for (std::size_t i = 0; i < launches.size(); ++i) {
      if (launches[i].control >= 0) continue;
      Vector<Entry>& entries = launches[i].entries;
      if (!has_one_kernel(launches[i])) {
        launches[i].kernel = position_of({&launches[i].kernel, 1});
        for (Entry& entry : entries) entry.kernel = position_of({&entry.kernel, 1});
        continue;
      }
      const std::size_t main = prologue_size(launches[i]);
      for (std::size_t k = 0; k < main; ++k) entries[k].kernel = position_of({&kernels[i][k], 1});
      launches[i].kernel = position_of({kernels[i].begin() + main, kernels[i].end()});
      if (!entries.empty()) entries.back().kernel = launches[i].kernel;
    }
    Vector<Kernel> result;
    for (const Vector<std::int32_t>& ids : collected) {
      result.push_back(kernel(ids[0]));
      for (std::size_t i = 1; i < ids.size(); ++i)
        result.back().finalizers.push_back(kernel(ids[i]));
    }
    plan.kernels = std::move(result);
  }
};

}  // namespace detail

/// Makes each launch that cheaply reduces results of an earlier one a finalizer of that one. Every
/// value is computed as before. Kernels that no launch uses any more are dropped.
inline void attach_finalizers(Plan& plan, const Options& options) {
  detail::FinalizerBuilder builder{plan, options};
  for (Launch& launch : plan.launches) builder.add(launch);
  builder.collect();
  plan.launches = std::move(builder.launches);
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
