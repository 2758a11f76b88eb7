#pragma once
// One launch of a kernel: blocks run one after another, the threads of a block as fibers.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "fiber.hpp"
#include "kernel/link.hpp"
#include "memory.hpp"
#include "module.hpp"
#include "shared.hpp"

namespace emulator {

using emulated::Index;

/// The configuration and arguments of a launch.
struct Launch {
  std::shared_ptr<Function> function{};
  Index grid{1, 1, 1}, block{1, 1, 1};
  std::size_t shared_bytes = 0;
  std::vector<std::vector<unsigned char>> parameters{};
  std::string within{};  ///< " (node 3 of a graph)"
};

/// The contribution of a lane to a warp operation. `work` runs once all lanes have arrived.
struct Meeting {
  const char* name = "";
  unsigned mask = 0;
  std::uint64_t kind = 0;  ///< Must be equal in all lanes of the operation.
  void* data = nullptr;
  void (*work)(struct Thread** lanes) = nullptr;
};

/// A cp.async, executed when the thread waits for it: `read` bytes, then zeros.
struct Copy {
  std::uintptr_t to = 0, from = 0;
  std::size_t bytes = 0, read = 0;
};

/// A range of addresses.
struct Span {
  std::uintptr_t first = 0;
  std::size_t bytes = 0;
  bool holds(std::uintptr_t address) const { return address - first < bytes; }
};

struct Thread {
  enum class State { ready, at_barrier, in_warp, finished };

  Fiber* fiber = nullptr;  ///< Its stack; null before it starts and after it ends.
  State state = State::ready;
  Index index{};
  unsigned number = 0;
  const void* frame = nullptr;  ///< The frame in which it waits.
  const void* site = nullptr;
  Meeting meeting{};
  int predicate = 0;
  emulated::Join join{};
  std::vector<std::vector<Copy>> copies{};  ///< Groups of cp.async; the last is open.

  unsigned lane() const { return number % 32; }
};

/// Masks of the lanes that are alive, runnable, and waiting for other lanes.
struct Warp {
  unsigned lanes = 0, ready = 0, waiting = 0;
};

/// The functions that compiled kernels call.
emulated::Link& link_table();

/// The running launch; there is at most one.
class Running {
 public:
  Running(const Launch& launch, Arena& arena);
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running();

  /// 0, or the error of the driver if the launch failed.
  int run();

  // Implementations of the functions of `emulated::Link`.
  void access(std::uintptr_t address, std::size_t bytes, unsigned access, const void* frame);
  /// Fast path: true if the access is certainly valid.
  bool is_plain(std::uintptr_t address, std::size_t bytes) const {
    if (arena_.owns(address)) {
      return (address & (bytes - 1)) == 0 && arena_.written(address, bytes) &&
             address - twice_.first >= twice_.bytes;
    }
    return thread_->fiber->contains(reinterpret_cast<const void*>(address));
  }
  int barrier(emulated::Join join, int predicate, const void* frame);
  /// Waits until all lanes in the mask have arrived.
  void meet(const Meeting& meeting, const void* frame);
  unsigned active_mask() const;
  void copy_later(const Copy& copy);
  void close_copies();
  void finish_copies(std::size_t but, const void* frame);

  /// Reports an error after which the kernel can continue.
  void report(const std::string& kind, const std::string& what, const void* frame);
  /// Ends the launch, abandoning the stack of the thread: callers must own no memory at this point.
  [[noreturn]] void stop(int error);

  Thread& thread() { return *thread_; }
  const Launch& launch() const { return launch_; }
  Arena& arena() { return arena_; }
  Shared& shared() { return shared_; }
  /// Where the variables of the module begin in the shadow of shared memory.
  static std::size_t static_shared(const Launch& launch) {
    return (launch.shared_bytes + 15) / 16 * 16;
  }

 private:
  static void run_threads();
  void run_thread();
  int run_block();
  void start_block();
  Thread* next_ready(const Thread& after);
  void go_to(Thread* next);
  static Fiber* free_fiber();
  void begin(Thread& thread);
  void pause();
  void release_barrier();
  void finish_meeting(Thread& thread);
  void finish_meetings(Warp& warp, unsigned first);
  void finish_copy(const Copy& copy, const void* frame);
  Warp& warp_of(const Thread& thread) { return warps_[thread.number / 32]; }
  void report_deadlock();
  void refuse_mask(const Meeting& meeting, const void* frame);
  void access_shared(std::uintptr_t address, std::size_t at, std::size_t bytes, unsigned access,
                     const void* frame);
  void access_elsewhere(std::uintptr_t address, std::size_t bytes, unsigned access,
                        const void* frame);
  void check_global(Arena& arena, std::uintptr_t address, std::size_t bytes, unsigned access,
                    const void* frame);
  std::string place(const Thread& thread, const void* frame) const;
  void find_twice();
  void check_order(std::uintptr_t address, std::size_t bytes, unsigned access, const void* frame);

  const Launch& launch_;
  emulated::Link& link_ = link_table();
  const Module& module_ = *launch_.function->module;
  const std::uintptr_t dynamic_ = reinterpret_cast<std::uintptr_t>(Shared::dynamic());
  Arena& arena_;
  Shared shared_;
  std::span<Thread> threads_{};
  std::vector<Warp> warps_{};
  std::vector<void*> arguments_{};
  Thread* thread_ = nullptr;
  unsigned count_ = 0, finished_ = 0, arrived_ = 0;
  int joined_ = 0;
  int error_ = 0;
  std::vector<std::string> said_{};
  // Memory that is passed to the launch more than once, i.e. updated in place: what one thread
  // reads there another may write.
  Span twice_{};  // covers all of it
  std::vector<Span> spans_{};
  std::unordered_map<std::uintptr_t, Touched> touched_{};
};

/// The running launch; null between launches.
inline Running*& running() {
  static constinit Running* instance = nullptr;
  return instance;
}

unsigned vote_of_lanes(emulated::Vote vote, unsigned mask, unsigned long long value,
                       const void* frame);
unsigned long long shuffle_of_lanes(emulated::Shuffle kind, unsigned mask, unsigned long long value,
                                    int argument, int width, const void* frame);
void set_condition(unsigned long long handle, unsigned value, const void* frame);
void run_ptx(const char* text, const emulated::Operand* operands, const void* frame);
/// Converts offsets in the shared memory window to pointers, and back.
unsigned shared_offset(const void* address);
void* shared_pointer(unsigned offset);
/// "byte 4 of allocation 1 (8 bytes on cuda:0)": describes any address.
std::string where(std::uintptr_t address);

}  // namespace emulator
