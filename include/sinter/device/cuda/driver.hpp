#pragma once
// The function table of the CUDA driver, loaded at first use.

#include <atomic>   // std::atomic
#include <cstddef>  // std::size_t
#include <cstdint>  // std::uint64_t
#include <string>   // std::string

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// The parameters of a kernel node: CUDA_KERNEL_NODE_PARAMS_v1 of cuda.h.
struct CudaKernelNode {
  void* function = nullptr;
  unsigned grid_x = 1, grid_y = 1, grid_z = 1;
  unsigned block_x = 1, block_y = 1, block_z = 1;
  unsigned shared_bytes = 0;
  void** arguments = nullptr;
  void** extra = nullptr;
};
static_assert(sizeof(CudaKernelNode) == 56);

/// The parameters of a memcpy node: CUDA_MEMCPY3D_v2 of cuda.h. The defaults copy one row of
/// `width` bytes.
struct CudaCopyNode {
  enum Kind : int { host = 1, device = 2 };
  struct Side {
    std::size_t x = 0, y = 0, z = 0, level = 0;
    int kind = device;
    void* host_address = nullptr;
    std::uint64_t device_address = 0;
    void* array = nullptr;
    void* reserved = nullptr;
    std::size_t pitch = 0, height = 0;
  };
  Side from{}, to{};
  std::size_t width = 0, height = 1, depth = 1;
};
static_assert(sizeof(CudaCopyNode) == 200);

/// The parameters of a memset node: CUDA_MEMSET_NODE_PARAMS_v1 of cuda.h. Elements have 1, 2 or 4
/// bytes.
struct CudaSetNode {
  std::uint64_t to = 0;
  std::size_t pitch = 0;
  unsigned value = 0;
  unsigned element_bytes = 1;
  std::size_t width = 0;  // elements of a row
  std::size_t height = 1;
};
static_assert(sizeof(CudaSetNode) == 40);

/// The parameters of a conditional node: CUgraphNodeParams of cuda.h. The driver sets `bodies` to
/// an array of body graphs that it owns.
struct CudaConditionalNode {
  enum Kind : int { if_node = 0, while_node = 1 };
  int type = 13;  // CU_GRAPH_NODE_TYPE_CONDITIONAL
  int reserved[3]{};
  std::uint64_t handle = 0;
  int kind = if_node;
  unsigned size = 1;  // the number of bodies: 2 for an `if` with an `else`
  void** bodies = nullptr;
  void* context = nullptr;
  long long rest[25]{};
  long long last = 0;
};
static_assert(sizeof(CudaConditionalNode) == 256);

/// The functions of the driver that sinter calls, with the types of cuda.h, which is not needed to
/// build. They return 0 on success. Contexts, modules, functions, streams, events, graphs and nodes
/// are opaque. Functions that older drivers lack are null: see the last group.
struct CudaDriver {
  using Handle = void*;
  using Address = std::uint64_t;

  // The results and attributes in use, with the values of cuda.h.
  static constexpr int out_of_memory = 2, no_device = 100, not_ready = 600;
  static constexpr int capability_major = 75, capability_minor = 76, processors = 16;
  static constexpr int most_shared_bytes = 97;   // per block, with opt-in
  static constexpr int block_threads = 1, block_registers = 12;  // the most per block
  static constexpr int second_level_bytes = 38;  // of the L2 cache
  static constexpr int function_local_bytes = 3, function_registers = 4;
  static constexpr int function_shared_bytes = 1, function_most_dynamic_bytes = 8;
  static constexpr unsigned stream_non_blocking = 1, event_without_time = 2;
  static constexpr unsigned host_portable = 1;
  static constexpr int capture_relaxed = 2;

  // The machine.
  int (*init)(unsigned flags) = nullptr;
  int (*version)(int* version) = nullptr;
  int (*error_name)(int result, const char** text) = nullptr;
  int (*error_string)(int result, const char** text) = nullptr;
  int (*device_count)(int* count) = nullptr;
  int (*device)(int* device, int index) = nullptr;
  int (*device_name)(char* name, int size, int device) = nullptr;
  int (*device_attribute)(int* value, int attribute, int device) = nullptr;
  int (*device_memory)(std::size_t* bytes, int device) = nullptr;
  int (*can_access_peer)(int* can, int device, int peer) = nullptr;

  // Contexts: the primary context of each device. Each thread has a current one.
  int (*retain_context)(Handle* context, int device) = nullptr;
  int (*release_context)(int device) = nullptr;
  int (*set_context)(Handle context) = nullptr;
  int (*context)(Handle* context) = nullptr;
  int (*enable_peer_access)(Handle peer_context, unsigned flags) = nullptr;
  int (*synchronize)() = nullptr;

  // Modules and functions.
  int (*load_module)(Handle* module, const void* image) = nullptr;
  int (*unload_module)(Handle module) = nullptr;
  int (*function)(Handle* function, Handle module, const char* name) = nullptr;
  int (*global)(Address* address, std::size_t* bytes, Handle module, const char* name) = nullptr;
  int (*function_attribute)(int* value, int attribute, Handle function) = nullptr;
  int (*set_function_attribute)(Handle function, int attribute, int value) = nullptr;
  int (*occupancy)(int* blocks, Handle function, int threads, std::size_t shared_bytes) = nullptr;
  int (*launch)(Handle function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                Handle stream, void** arguments, void** extra) = nullptr;

  // Memory. Copies and memsets without a stream are complete when they return.
  int (*allocate)(Address* address, std::size_t bytes) = nullptr;
  int (*free)(Address address) = nullptr;
  int (*memory_info)(std::size_t* free, std::size_t* total) = nullptr;
  int (*allocate_host)(void** address, std::size_t bytes, unsigned flags) = nullptr;
  int (*free_host)(void* address) = nullptr;
  int (*copy_to_device)(Address to, const void* from, std::size_t bytes) = nullptr;
  int (*copy_to_host)(void* to, Address from, std::size_t bytes) = nullptr;
  int (*copy_to_device_async)(Address to, const void* from, std::size_t bytes,
                              Handle stream) = nullptr;
  int (*copy_to_host_async)(void* to, Address from, std::size_t bytes, Handle stream) = nullptr;
  int (*copy_on_device_async)(Address to, Address from, std::size_t bytes, Handle stream) = nullptr;
  int (*copy_to_peer_async)(Address to, Handle to_context, Address from, Handle from_context,
                            std::size_t bytes, Handle stream) = nullptr;
  int (*set_bytes_async)(Address to, unsigned char value, std::size_t bytes,
                         Handle stream) = nullptr;
  int (*set_words_async)(Address to, unsigned value, std::size_t words, Handle stream) = nullptr;

  // Streams and events.
  int (*create_stream)(Handle* stream, unsigned flags) = nullptr;
  int (*destroy_stream)(Handle stream) = nullptr;
  int (*synchronize_stream)(Handle stream) = nullptr;
  int (*query_stream)(Handle stream) = nullptr;
  int (*wait_event)(Handle stream, Handle event, unsigned flags) = nullptr;
  int (*create_event)(Handle* event, unsigned flags) = nullptr;
  int (*destroy_event)(Handle event) = nullptr;
  int (*record_event)(Handle event, Handle stream) = nullptr;
  int (*query_event)(Handle event) = nullptr;
  int (*synchronize_event)(Handle event) = nullptr;
  int (*elapsed)(float* milliseconds, Handle start, Handle end) = nullptr;

  // Graphs. A node runs after the nodes in `after`.
  int (*create_graph)(Handle* graph, unsigned flags) = nullptr;
  int (*destroy_graph)(Handle graph) = nullptr;
  int (*add_kernel_node)(Handle* node, Handle graph, const Handle* after, std::size_t count,
                         const CudaKernelNode* parameters) = nullptr;
  int (*add_copy_node)(Handle* node, Handle graph, const Handle* after, std::size_t count,
                       const CudaCopyNode* parameters, Handle context) = nullptr;
  int (*add_set_node)(Handle* node, Handle graph, const Handle* after, std::size_t count,
                      const CudaSetNode* parameters, Handle context) = nullptr;
  int (*add_child_node)(Handle* node, Handle graph, const Handle* after, std::size_t count,
                        Handle child) = nullptr;
  int (*instantiate_graph)(Handle* executable, Handle graph, unsigned long long flags) = nullptr;
  int (*destroy_executable)(Handle executable) = nullptr;
  int (*launch_graph)(Handle executable, Handle stream) = nullptr;
  int (*set_kernel_node)(Handle executable, Handle node,
                         const CudaKernelNode* parameters) = nullptr;
  int (*set_copy_node)(Handle executable, Handle node, const CudaCopyNode* parameters,
                       Handle context) = nullptr;
  int (*set_set_node)(Handle executable, Handle node, const CudaSetNode* parameters,
                      Handle context) = nullptr;
  int (*set_child_node)(Handle executable, Handle node, Handle child) = nullptr;
  int (*begin_capture)(Handle stream, int mode) = nullptr;
  int (*end_capture)(Handle stream, Handle* graph) = nullptr;

  // Null before CUDA 12.3.
  int (*create_condition)(std::uint64_t* handle, Handle graph, Handle context,
                          unsigned initial_value, unsigned flags) = nullptr;
  int (*add_node)(Handle* node, Handle graph, const Handle* after, std::size_t count,
                  CudaConditionalNode* parameters) = nullptr;
};

/// The initialised driver of this machine, or null.
const CudaDriver* cuda_driver();

/// Why cuda_driver() is null; empty if it is not.
const std::string& cuda_missing();

/// Replaces the driver by `table`; null restores it. Returns the previous table. For an emulator in
/// tests. Closes all open GPUs; their memory must not be used any more.
const CudaDriver* replace_cuda_driver(const CudaDriver* table);

/// A hook that is called before the driver is replaced; null for none.
std::atomic<void (*)()>& cuda_driver_change();

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/device/cuda/driver.ipp>
#endif
