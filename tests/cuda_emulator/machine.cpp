#include "machine.hpp"
#include "conditions.hpp"

#include <algorithm>

#include <sinter/base/text.hpp>

#include "cublaslt.hpp"
#include "reports.hpp"

namespace emulator {

Machine& machine() {
  static auto& instance = *new Machine;
  return instance;
}

int& current_device() {
  static thread_local int instance = -1;
  return instance;
}

Device* Machine::current() {
  const auto index = static_cast<std::size_t>(current_device());
  return index < devices.size() ? devices[index].get() : nullptr;
}

Arena* Machine::arena_of(Address address) {
  for (const auto& device : devices) {
    if (device->arena.owns(address)) return &device->arena;
  }
  return nullptr;
}

std::int64_t Machine::time_of(const Timed& timed) const { return times ? times(timed) : 1000; }

Opened::Opened() {
  for (const auto& device : machine().devices) device->arena.open();
}

Opened::~Opened() {
  for (const auto& device : machine().devices) device->arena.close();
}

void* HostMemory::allocate(std::size_t bytes) {
  std::vector<unsigned char> memory(bytes + 64, 0xcd);
  const auto first = reinterpret_cast<std::uintptr_t>(memory.data());
  const std::uintptr_t address = (first + 63) / 64 * 64;
  all_[address] = std::move(memory);
  return reinterpret_cast<void*>(address);
}

bool HostMemory::free(void* address) {
  return all_.erase(reinterpret_cast<std::uintptr_t>(address)) != 0;
}

bool HostMemory::holds(std::uintptr_t address, std::size_t bytes) const {
  auto after = all_.upper_bound(address);
  if (after == all_.begin()) return false;
  --after;
  return address + bytes <= after->first + after->second.size() - 64;
}

std::string HostMemory::describe(std::uintptr_t address) const {
  auto after = all_.upper_bound(address);
  if (after == all_.begin()) return "";
  --after;
  const std::size_t bytes = after->second.size() - 64;
  if (address - after->first > bytes + 64) return "";
  return sinter::detail::text("byte ", address - after->first, " of page-locked memory (", bytes,
                              " bytes)");
}

Emulator::Emulator(const Settings& settings) {
  Machine& all = machine();
  all.settings = settings;
  for (int i = 0; i < settings.devices; ++i) {
    all.devices.push_back(std::make_unique<Device>(i, settings.memory));
    all.devices.back()->default_stream.device = i;
  }
  all.launches = all.graph_launches = all.compilations = all.heuristics = all.products = 0;
  all.compile_options.clear();
  all.times = {};
  conditions() = {};
  current_device() = -1;
  emulator::reports().clear();
  driver_before_ = sinter::detail::replace_cuda_driver(&driver_table());
  nvrtc_before_ = sinter::detail::replace_nvrtc(&nvrtc_table());
  cublaslt_before_ = sinter::detail::replace_cublaslt(&cublaslt_table());
  nvjitlink_before_ = sinter::detail::replace_nvjitlink(&nvjitlink_table());
  for (const Extension& extension : extensions()) extension.begin();
}

std::vector<Extension>& extensions() {
  static std::vector<Extension> instance;
  return instance;
}

void Emulator::end() {
  sinter::detail::replace_cuda_driver(driver_before_);
  sinter::detail::replace_nvrtc(nvrtc_before_);
  sinter::detail::replace_cublaslt(cublaslt_before_);
  sinter::detail::replace_nvjitlink(nvjitlink_before_);
  stop_worker();
  for (const Extension& extension : extensions()) extension.end();
  CHECK_MESSAGE(forget_library_objects() == 0, "something of cuBLASLt was not given back");
  CHECK_MESSAGE(forget_captures() == 0, "a stream still captured");
  CHECK_MESSAGE(held() == Held{}, "not given back: ", held());
  Machine& all = machine();
  all.executables.clear();
  all.graphs.clear();
  all.events.clear();
  all.devices.clear();
  all.functions.clear();
  all.modules.clear();
  conditions() = {};
  all.host = HostMemory();
}

std::vector<std::string> Emulator::reports() {
  const std::scoped_lock lock(machine().mutex);
  return std::exchange(emulator::reports(), {});
}

const std::vector<std::string>& Emulator::compile_options() const {
  return machine().compile_options;
}

std::size_t Emulator::compilations() const { return machine().compilations; }
std::size_t Emulator::links() const { return conditions().links; }
void Emulator::set_driver_version(int version) { conditions().driver_version = version; }
std::size_t Emulator::launches() const { return machine().launches; }
std::size_t Emulator::graph_launches() const { return machine().graph_launches; }
std::size_t Emulator::heuristics() const { return machine().heuristics; }
std::size_t Emulator::products() const { return machine().products; }

const std::vector<GraphNode>& Emulator::last_graph() const { return machine().last_graph; }

std::size_t Emulator::used_memory(int device) const {
  return machine().devices[static_cast<std::size_t>(device)]->arena.used();
}

Held Emulator::held() const {
  const std::scoped_lock lock(machine().mutex);
  const Machine& all = machine();
  Held result{.modules = all.modules.size(),
              .events = all.events.size(),
              .graphs = all.graphs.size(),
              .executables = all.executables.size(),
              .host_pieces = all.host.pieces()};
  for (const auto& device : all.devices) {
    result.contexts += static_cast<std::size_t>(device->retained);
    result.streams += device->streams.size();
  }
  return result;
}

std::ostream& operator<<(std::ostream& out, const Held& held) {
  return out << held.contexts << " contexts, " << held.modules << " modules, " << held.streams
             << " streams, " << held.events << " events, " << held.graphs << " graphs, "
             << held.executables << " executable graphs, " << held.host_pieces
             << " pieces of page-locked memory";
}

void Emulator::set_times(Times times) {
  const std::scoped_lock lock(machine().mutex);
  machine().times = std::move(times);
}

namespace {

std::int64_t time_of(const Launch& launch) {
  return machine().time_of({.kernel = launch.function->name,
                            .blocks = launch.grid.x * launch.grid.y * launch.grid.z,
                            .threads = launch.block.x * launch.block.y * launch.block.z});
}

std::size_t argument_bytes(const Launch& launch) {
  std::size_t result = 0;
  for (const std::vector<unsigned char>& one : launch.parameters) result += one.size();
  return result;
}

}  // namespace

int check_launch(const Launch& launch) {
  const Function& function = *launch.function;
  const std::size_t threads = std::size_t{launch.block.x} * launch.block.y * launch.block.z;
  const std::size_t blocks = std::size_t{launch.grid.x} * launch.grid.y * launch.grid.z;
  const auto refuse = [&](const std::string& what) {
    add_report(sinter::detail::text("refused launch: ", function.name, launch.within, ": ", what));
    return 1;
  };
  if (threads == 0 || blocks == 0) return refuse("a grid or block without threads");
  if (threads > static_cast<std::size_t>(function.most_threads) || launch.block.z > 64) {
    return refuse(sinter::detail::text("blocks of ", threads, " threads, where ",
                                       function.most_threads, " are allowed"));
  }
  if (launch.grid.y > 65535 || launch.grid.z > 65535 || launch.grid.x > 0x7fffffffu) {
    return refuse("a grid that is too large");
  }
  const std::size_t most_bytes = conditions().driver_version >= 12010 ? 32764 : 4096;
  if (const std::size_t bytes = argument_bytes(launch); bytes > most_bytes) {
    return refuse(
        sinter::detail::text(bytes, " bytes of arguments, where ", most_bytes, " are allowed"));
  }
  if (launch.shared_bytes > static_cast<std::size_t>(function.most_dynamic_bytes)) {
    return refuse(sinter::detail::text(launch.shared_bytes, " bytes of shared memory, where ",
                                       function.most_dynamic_bytes, " are allowed"));
  }
  constexpr int out_of_resources = 701;
  return time_of(launch) < 0 ? out_of_resources : 0;
}

int run_launch(const Launch& launch, int device) {
  Machine& all = machine();
  Device& one = *all.devices[static_cast<std::size_t>(device)];
  if (one.error != 0) return one.error;
  ++all.launches;
  one.clock += time_of(launch);
  const Opened opened;
  one.error = Running(launch, one.arena).run();
  return one.error;
}

}  // namespace emulator
