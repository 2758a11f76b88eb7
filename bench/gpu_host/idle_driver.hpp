#pragma once
// A GPU driver and compiler that do nothing, so that only the host's work in a call is measured.

#include <cstdlib>

#include <sinter/device/cuda/nvrtc_table.hpp>
#include <sinter/device/cuda/query.hpp>

namespace bench {

/// Replaces the real ones while it lives. Kernels are not compiled and do not run, copies copy
/// nothing; handles and addresses are arbitrary numbers.
class IdleDriver {
 public:
  using Table = sinter::detail::CudaDriver;

  IdleDriver() {
    fill_machine(), fill_memory(), fill_handles();
    fill<&Table::init, &Table::can_access_peer, &Table::release_context, &Table::set_context,
         &Table::enable_peer_access, &Table::synchronize, &Table::unload_module,
         &Table::set_function_attribute, &Table::launch, &Table::free, &Table::copy_to_device,
         &Table::copy_to_host, &Table::copy_to_device_async, &Table::copy_to_host_async,
         &Table::copy_on_device_async, &Table::copy_to_peer_async, &Table::set_bytes_async,
         &Table::set_words_async, &Table::destroy_stream, &Table::synchronize_stream,
         &Table::query_stream, &Table::wait_event, &Table::destroy_event, &Table::record_event,
         &Table::query_event, &Table::synchronize_event, &Table::destroy_graph,
         &Table::destroy_executable, &Table::launch_graph, &Table::set_kernel_node,
         &Table::set_copy_node, &Table::set_set_node, &Table::set_child_node,
         &Table::begin_capture>();
    fill_compiler();
    driver_before_ = sinter::detail::replace_cuda_driver(&table_);
    nvrtc_before_ = sinter::detail::replace_nvrtc(&nvrtc_);
  }
  IdleDriver(const IdleDriver&) = delete;
  IdleDriver& operator=(const IdleDriver&) = delete;
  ~IdleDriver() {
    sinter::detail::replace_cuda_driver(driver_before_);
    sinter::detail::replace_nvrtc(nvrtc_before_);
  }

  /// The number of driver calls so far.
  static long& calls() {
    static long instance = 0;
    return instance;
  }

 private:
  using Handle = Table::Handle;

  static std::size_t next(std::size_t bytes = 256) {
    static std::size_t last = std::size_t{1} << 40;
    ++calls();
    return last += (bytes + 511) / 512 * 512;
  }
  static int give(Handle* handle) {
    *handle = reinterpret_cast<Handle>(next());
    return 0;
  }

  template <auto... Members>
  void fill() {
    (fill_one(Members), ...);
  }
  template <class... A>
  void fill_one(int (*Table::*member)(A...)) {
    table_.*member = [](A...) { return ++calls(), 0; };
  }

  void fill_machine() {
    table_.version = [](int* version) { return *version = 13000, 0; };
    table_.error_name =
        table_.error_string = [](int, const char** text) { return *text = "nothing", 0; };
    table_.device_count = [](int* count) { return *count = 1, 0; };
    table_.device = [](int* device, int) { return *device = 0, 0; };
    table_.device_name = [](char* name, int, int) { return *name = '\0', 0; };
    table_.device_attribute = [](int* value, int attribute, int) {
      *value = attribute == Table::capability_major   ? 9
               : attribute == Table::capability_minor ? 0
                                                      : 132;
      return 0;
    };
    table_.device_memory = [](std::size_t* bytes, int) { return *bytes = std::size_t{1} << 36, 0; };
  }

  void fill_memory() {
    table_.allocate = [](Table::Address* address, std::size_t bytes) {
      return *address = next(bytes), 0;
    };
    table_.memory_info = [](std::size_t* free, std::size_t* total) {
      return *free = *total = std::size_t{1} << 36, 0;
    };
    table_.allocate_host = [](void** address, std::size_t bytes, unsigned) {
      return *address = std::malloc(bytes), 0;
    };
    table_.free_host = [](void* address) { return std::free(address), 0; };
  }

  void fill_handles() {
    table_.retain_context = [](Handle* context, int) { return give(context); };
    table_.context = [](Handle* context) { return give(context); };
    table_.load_module = [](Handle* module, const void*) { return give(module); };
    table_.function = [](Handle* function, Handle, const char*) { return give(function); };
    table_.global = [](Table::Address* address, std::size_t* bytes, Handle, const char*) {
      return *address = next(), *bytes = 64, 0;
    };
    table_.function_attribute = [](int* value, int, Handle) { return *value = 0, 0; };
    table_.occupancy = [](int* blocks, Handle, int, std::size_t) { return *blocks = 8, 0; };
    table_.create_stream = [](Handle* stream, unsigned) { return give(stream); };
    table_.create_event = [](Handle* event, unsigned) { return give(event); };
    table_.create_graph = [](Handle* graph, unsigned) { return give(graph); };
    table_.elapsed = [](float* time, Handle, Handle) { return *time = 0, 0; };
    table_.add_kernel_node = [](Handle* node, Handle, const Handle*, std::size_t,
                                const sinter::detail::CudaKernelNode*) { return give(node); };
    table_.add_copy_node = [](Handle* node, Handle, const Handle*, std::size_t,
                              const sinter::detail::CudaCopyNode*, Handle) { return give(node); };
    table_.add_set_node = [](Handle* node, Handle, const Handle*, std::size_t,
                             const sinter::detail::CudaSetNode*, Handle) { return give(node); };
    table_.add_child_node = [](Handle* node, Handle, const Handle*, std::size_t, Handle) {
      return give(node);
    };
    table_.instantiate_graph = [](Handle* executable, Handle, unsigned long long) {
      return give(executable);
    };
    table_.end_capture = [](Handle, Handle* graph) { return give(graph); };
  }

  // A unique version, so that the disk cache has nothing under its key.
  void fill_compiler() {
    nvrtc_.version = [](int* major, int* minor) { return *major = 2000, *minor = 0, 0; };
    nvrtc_.error_string = [](int) { return "nothing"; };
    nvrtc_.create_program = [](sinter::detail::Nvrtc::Program* program, const char*, const char*,
                               int, const char* const*,
                               const char* const*) { return give(program); };
    nvrtc_.destroy_program = [](sinter::detail::Nvrtc::Program*) { return 0; };
    nvrtc_.compile_program = [](sinter::detail::Nvrtc::Program, int, const char* const*) {
      return 0;
    };
    nvrtc_.log_size = nvrtc_.cubin_size = [](sinter::detail::Nvrtc::Program, std::size_t* bytes) {
      return *bytes = 8, 0;
    };
    nvrtc_.log = nvrtc_.cubin = [](sinter::detail::Nvrtc::Program, char* text) {
      for (int i = 0; i < 8; ++i) text[i] = '\0';
      return 0;
    };
  }

  Table table_{};
  sinter::detail::Nvrtc nvrtc_{};
  const Table* driver_before_ = nullptr;
  const sinter::detail::Nvrtc* nvrtc_before_ = nullptr;
};

}  // namespace bench
