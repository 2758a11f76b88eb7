#pragma once
// The emulated machine: its GPUs, and the objects behind the handles of the driver.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "emulator.hpp"
#include "graphs.hpp"
#include "launch.hpp"
#include "memory.hpp"
#include "module.hpp"

namespace emulator {

struct Stream;

/// A point in a stream, reached when all work before it is done.
struct Moment {
  Stream* stream = nullptr;
  bool passed = false;
  std::int64_t time = 0;
};

/// An entry in the queue of a stream: runs something, or waits for a moment.
struct Work {
  std::function<int()> run{};
  std::shared_ptr<Moment> wait{};
};

struct Stream {
  int device = 0;
  unsigned flags = 0;
  std::deque<Work> queue{};
  std::shared_ptr<Graph> capture{};
  std::vector<void*> last_captured{};
};

struct Event {
  int device = 0;
  unsigned flags = 0;
  std::shared_ptr<Moment> moment{};
};

/// Page-locked host memory, which kernels may access.
class HostMemory {
 public:
  void* allocate(std::size_t bytes);
  bool free(void* address);
  bool holds(std::uintptr_t address, std::size_t bytes) const;
  std::string describe(std::uintptr_t address) const;
  std::size_t pieces() const { return all_.size(); }

 private:
  std::map<std::uintptr_t, std::vector<unsigned char>> all_{};
};

struct Device {
  Device(int number, std::size_t memory) : arena(number, memory) {}
  Arena arena;
  Stream default_stream{};
  std::vector<std::unique_ptr<Stream>> streams{};
  int retained = 0;
  int error = 0;           ///< Sticky, like kernel errors of the driver.
  std::int64_t clock = 0;  ///< In nanoseconds.
  std::set<int> peers{};
};

struct Machine {
  std::recursive_mutex mutex{};
  Settings settings{};
  std::vector<std::unique_ptr<Device>> devices{};
  HostMemory host{};
  std::map<void*, std::shared_ptr<Module>> modules{};
  std::map<void*, std::shared_ptr<Function>> functions{};
  std::map<void*, std::unique_ptr<Event>> events{};
  std::map<void*, std::shared_ptr<Graph>> graphs{};
  std::map<void*, std::shared_ptr<Executable>> executables{};
  std::vector<std::string> compile_options{};
  std::size_t launches = 0, graph_launches = 0, compilations = 0;
  std::size_t heuristics = 0, products = 0;
  Times times{};
  std::vector<GraphNode> last_graph{};
  /// Runs the work of all streams while another process can keep one waiting; else the threads that
  /// wait for it do.
  std::thread worker{};
  bool worker_stops = false;

  /// The device of the context that is current on this thread; null if there is none.
  Device* current();
  Arena* arena_of(Address address);
  /// Its duration; negative if it is refused.
  std::int64_t time_of(const Timed& timed) const;
};

/// Another library that comes with the machine of a test, as NCCL does.
struct Extension {
  void (*begin)() = nullptr;
  void (*end)() = nullptr;  ///< After the GPUs are closed.
};
std::vector<Extension>& extensions();

Machine& machine();
int& current_device();

/// While one of these lives, the host can access device memory.
struct Opened {
  Opened();
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;
  ~Opened();
};

/// The status code of a result; sticky ones are stored in the device.
int run_launch(const Launch& launch, int device);
/// The status if the launch is refused; 0 if it is not.
int check_launch(const Launch& launch);
int make_launch(const sinter::detail::CudaKernelNode& node, Launch& result);

// Memory, checked.
int write_device(Address to, const void* from, std::size_t bytes);
int read_device(void* to, Address from, std::size_t bytes);
int move_device(Address to, Address from, std::size_t bytes);
int set_device(Address to, unsigned value, unsigned element, std::size_t count);

// Streams.
/// Null if the handle is invalid.
Stream* stream_of(void* handle);
void enqueue(Stream& stream, std::function<int()> run);
std::shared_ptr<Moment> mark(Stream& stream);
void wait_for(Stream& stream, std::shared_ptr<Moment> moment);
/// Executes one queue entry towards the moment; false if it is reached.
bool advance(const std::shared_ptr<Moment>& moment);
void finish(Stream& stream);
/// Lets other threads in for a moment. The caller holds the mutex of the machine, once.
void pause_machine();
void start_worker();
void stop_worker();
void finish_device(Device& device);

// Entries of the driver table.
void fill_contexts(sinter::detail::CudaDriver& table);
void fill_modules(sinter::detail::CudaDriver& table);
void fill_memory(sinter::detail::CudaDriver& table);
void fill_streams(sinter::detail::CudaDriver& table);
void fill_graphs(sinter::detail::CudaDriver& table);
const sinter::detail::CudaDriver& driver_table();
const sinter::detail::Nvrtc& nvrtc_table();

}  // namespace emulator
