#pragma once

#include <sched.h>  // sched_yield

#include <atomic>   // std::atomic
#include <chrono>   // std::chrono
#include <mutex>    // std::lock_guard
#include <thread>   // std::thread
#include <utility>  // std::exchange

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/base/process_mutex.hpp>
#include <sinter/base/text.hpp>
#include <sinter/device/cuda/stream_order.hpp>
#include <sinter/dist/backend/nccl/communicators.hpp>

namespace sinter::inline SINTER_ABI::detail::nccl {

using collective::Call;

SINTER_INLINE double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// The state that all GPUs of this process share.
struct Watched {
  ProcessMutex mutex{};
  Vector<Communicators*> all{};  // of the GPUs that have any
  Call last{};                   // the last call that was prepared
  bool has_failed = false;

  static Watched& process() {
    static auto& instance = *new Watched;
    return instance;
  }
};

SINTER_INLINE Vector<Communicator> take_all() {
  Watched& watched = Watched::process();
  const std::lock_guard lock(watched.mutex);
  Vector<Communicator> result;
  for (Communicators* const one : watched.all) {
    for (const auto& [group, communicator] : one->by_group) result.push_back(communicator);
    one->by_group.clear();
  }
  watched.all.clear();
  return result;
}

// Destroys or aborts each communicator on a thread of its own, and waits a second at most: NCCL
// waits for the graphs that use a communicator, which may live as long as the program.
SINTER_INLINE void release_all(int (*Functions::*function)(Communicator)) noexcept try {
  const Vector<Communicator> list = take_all();
  if (list.empty()) return;
  int (*const release)(Communicator) = library()->*function;
  auto left = make_shared_ptr<std::atomic<std::size_t>>(list.size());
  for (const Communicator one : list) {
    std::thread([=] {
      release(one);
      --*left;
    }).detach();
  }
  for (int i = 0; i < 1000 && *left != 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
} catch (const std::exception&) {  // no thread could start: the end of the process releases them
}

// Ends the kernels of NCCL that wait for a failed rank. Their results are lost.
SINTER_INLINE void abort_all() noexcept {
  {
    Watched& watched = Watched::process();
    const std::lock_guard lock(watched.mutex);
    watched.has_failed = true;
  }
  release_all(&Functions::abort);
}

[[noreturn]] SINTER_INLINE void throw_error(const Call& call, Communicator communicator,
                                            const char* function, int status) {
  const Functions& table = *library();
  const char* const more = communicator == nullptr ? nullptr : table.last_error(communicator);
  throw DeviceError({.op = call.op,
                     .what = "NCCL reports an error",
                     .facts = {{"call", function},
                               {"collective", call.text},
                               {"error", table.error_string(status)},
                               {"details", more == nullptr || *more == 0 ? "none" : more}},
                     .fix = "NCCL_DEBUG=INFO prints what NCCL does",
                     .where = call.where,
                     .see = "distributed"});
}

// Attends to all ranks of the World; after a failure aborts the kernels on all GPUs.
SINTER_INLINE void attend(const Call& call, double waited) {
  try {
    collective::group(0, call.op, call.where).attend(call, waited);
  } catch (const dist::RankError&) {
    abort_all();
    throw;
  }
}

// Reports the errors that NCCL finds in the background, such as those of the network.
SINTER_INLINE void check_communicators(const Call& call) {
  Vector<Communicator> list;
  {
    Watched& watched = Watched::process();
    const std::lock_guard lock(watched.mutex);
    for (const Communicators* const one : watched.all) {
      for (const auto& [group, communicator] : one->by_group) list.push_back(communicator);
    }
  }
  for (const Communicator one : list) {
    int status = 0;
    library()->async_error(one, &status);
    if (status == 0 || status == Functions::in_progress) continue;
    collective::group(0, call.op, call.where)
        .fail(text("NCCL reports in ", call.text, ": ", library()->error_string(status)));
  }
}

// A HostWait. A rank that waits pings the others every half second.
SINTER_INLINE void wait_for_gpu(FunctionRef<bool()> is_done, Where where) {
  Watched& watched = Watched::process();
  const auto begin = std::chrono::steady_clock::now();
  Call call;
  bool is_late = false;
  for (std::int64_t round = 0; !is_done(); ++round) {
    if (round < 256) continue;
    sched_yield();
    const double waited = seconds_since(begin);
    if (waited > 0.01) std::this_thread::sleep_for(std::chrono::microseconds(50));
    if (round % 64 != 0 || collective::groups().empty()) continue;
    {
      const std::lock_guard lock(watched.mutex);
      if (watched.has_failed) continue;
      call = watched.last;
    }
    check_communicators(call);
    attend(call, waited);
    is_late = waited > 0.5;
  }
  if (is_late && !collective::groups().empty()) attend(call, 0);
  const std::lock_guard lock(watched.mutex);
  if (!watched.has_failed) return;
  throw dist::RankError({.op = "read",
                         .what = "a rank failed while GPUs ran collectives",
                         .facts = {},
                         .rule = "what the GPU has computed since then is lost",
                         .fix = "restart all ranks from the last checkpoint",
                         .where = where,
                         .see = "distributed"});
}

SINTER_INLINE void Communicators::close(const CudaDriver&) noexcept {
  Watched& watched = Watched::process();
  {
    const std::lock_guard lock(watched.mutex);
    erase_if(watched.all, [this](const Communicators* one) { return one == this; });
  }
  for (const auto& [group, communicator] : by_group) library()->destroy(communicator);
  by_group.clear();
}

SINTER_INLINE void finish(const Call& call, Communicator communicator, int status,
                          const char* function) {
  const auto begin = std::chrono::steady_clock::now();
  for (int round = 0; status == Functions::in_progress; ++round) {
    if (round > 100) {
      std::this_thread::sleep_for(std::chrono::microseconds(50));
      attend(call, seconds_since(begin));
    }
    if (const int error = library()->async_error(communicator, &status); error != 0) status = error;
  }
  if (status != 0) throw_error(call, communicator, function, status);
}

SINTER_INLINE void require_communicator(const Call& call, int number, int gpu) {
  Watched& watched = Watched::process();
  CudaContext& context = CudaContext::of(cuda(gpu), call.where);
  Communicators& known = context.state<Communicators>();
  {
    const std::lock_guard lock(watched.mutex);
    watched.last = call;
    if (known.by_group.find(number) != known.by_group.end()) return;
  }
  const Functions& table = *library();
  collective::Transport& group = collective::group(number, call.op, call.where);
  UniqueId id;
  group.run(call, [&](collective::Bytes& bytes) {
    const int status = group.rank() == 0 ? table.unique_id(&id) : 0;
    if (status != 0) throw_error(call, nullptr, "ncclGetUniqueId", status);
    bytes.broadcast(&id, sizeof(id), 0);
  });
  Communicator fresh = nullptr;
  Config config;
  config.blocking = 0;  // so that a rank that fails keeps no other one waiting
  const int status = table.create(&fresh, group.size(), id, group.rank(), &config);
  try {
    finish(call, fresh, status, "ncclCommInitRankConfig");
  } catch (...) {
    if (fresh != nullptr) table.abort(fresh);
    throw;
  }
  const std::lock_guard lock(watched.mutex);
  known.by_group[number] = fresh;
  if (!contains(watched.all, &known)) watched.all.push_back(&known);
  host_wait() = wait_for_gpu;
}

SINTER_INLINE Communicator communicator(const Call& call, int number, int gpu) {
  Watched& watched = Watched::process();
  Communicators& known = CudaContext::of(cuda(gpu), call.where).state<Communicators>();
  const std::lock_guard lock(watched.mutex);
  const auto found = known.by_group.find(number);
  if (found != known.by_group.end()) return found->second;
  throw dist::RankError({.op = call.op,
                         .what = "a rank has failed",
                         .facts = {{"here", call.text}},
                         .rule = "a collective needs all ranks",
                         .fix = "restart all ranks from the last checkpoint",
                         .where = call.where,
                         .see = "distributed"});
}

SINTER_INLINE void end_communicators(bool has_failed) noexcept {
  if (has_failed) return abort_all();
  release_all(&Functions::destroy);
}

}  // namespace sinter::inline SINTER_ABI::detail::nccl
