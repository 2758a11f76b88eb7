#pragma once
// Wraps the installed driver: counts its calls, and lets tests make calls fail.

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <vector>

#include <sinter/device/cuda/driver.hpp>

namespace emulator {

/// Wraps the driver of an emulator while it lives; construct it after the emulator. Only functions
/// that replays may call are counted.
class CountedDriver {
 public:
  using Table = sinter::detail::CudaDriver;

  CountedDriver() {
    before() = sinter::detail::cuda_driver();
    table() = *before();
    nodes().clear(), numbers().clear();
    wrap<&Table::launch, &Table::launch_graph, &Table::set_kernel_node, &Table::set_set_node,
         &Table::create_graph, &Table::add_set_node, &Table::add_child_node, &Table::set_child_node,
         &Table::begin_capture, &Table::end_capture, &Table::instantiate_graph,
         &Table::destroy_executable, &Table::destroy_graph, &Table::copy_to_device_async,
         &Table::copy_to_host_async, &Table::set_bytes_async, &Table::copy_on_device_async,
         &Table::synchronize_stream, &Table::record_event, &Table::wait_event, &Table::allocate,
         &Table::free>();
    table().add_kernel_node = add_kernel_node;
    sinter::detail::replace_cuda_driver(&table());
  }
  CountedDriver(const CountedDriver&) = delete;
  CountedDriver& operator=(const CountedDriver&) = delete;
  ~CountedDriver() { sinter::detail::replace_cuda_driver(before()); }

  template <auto Member>
  int calls() const {
    return call<Member>().count;
  }
  /// Calls of all counted functions.
  int all_calls() const {
    int result = 0;
    for (const std::atomic<int>* const count : counts()) result += *count;
    return result;
  }
  /// From now on the function only returns `result`; 0 restores it.
  template <auto Member>
  void fail(int result) {
    call<Member>().result = result;
  }
  /// For each added kernel node, in order: its dependencies, as positions in this list. Nodes of
  /// other kinds are -1.
  const std::vector<std::vector<int>>& edges() const { return nodes(); }

 private:
  struct Call {
    std::atomic<int> count = 0;
    int result = 0;
  };

  template <auto... Members>
  void wrap() {
    counts().clear();
    (wrap_one<Members>(Members), ...);
  }
  template <auto Member, class... A>
  void wrap_one(int (*Table::*)(A...)) {
    call<Member>().count = call<Member>().result = 0;
    counts().push_back(&call<Member>().count);
    table().*Member = [](A... arguments) {
      Call& one = call<Member>();
      ++one.count;
      return one.result != 0 ? one.result : (before()->*Member)(arguments...);
    };
  }

  static int add_kernel_node(void** node, void* graph, void* const* after, std::size_t count,
                             const sinter::detail::CudaKernelNode* parameters) {
    const int result = before()->add_kernel_node(node, graph, after, count, parameters);
    static std::mutex mutex;  // several threads may build graphs
    const std::lock_guard lock(mutex);
    std::vector<int> edges;
    for (std::size_t i = 0; i < count; ++i) {
      const auto known = numbers().find(after[i]);
      edges.push_back(known == numbers().end() ? -1 : known->second);
    }
    std::sort(edges.begin(), edges.end());
    numbers()[*node] = static_cast<int>(nodes().size());
    nodes().push_back(edges);
    return result;
  }

  template <auto Member>
  static Call& call() {
    static Call instance;
    return instance;
  }
  static Table& table() {
    static Table instance;
    return instance;
  }
  static const Table*& before() {
    static const Table* instance = nullptr;
    return instance;
  }
  static std::vector<const std::atomic<int>*>& counts() {
    static std::vector<const std::atomic<int>*> instance;
    return instance;
  }
  static std::vector<std::vector<int>>& nodes() {
    static std::vector<std::vector<int>> instance;
    return instance;
  }
  static std::map<const void*, int>& numbers() {
    static std::map<const void*, int> instance;
    return instance;
  }
};

}  // namespace emulator
