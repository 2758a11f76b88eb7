#include "module.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include <cxxabi.h>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <sinter/base/text.hpp>

#include "launch.hpp"

namespace emulator {

namespace {

template <class T>
const T* at(const unsigned char* image, std::size_t offset) {
  return reinterpret_cast<const T*>(image + offset);
}

// The section table ends the file.
std::size_t size_of(const unsigned char* image) {
  if (image == nullptr || std::memcmp(image, ELFMAG, SELFMAG) != 0)
    throw std::runtime_error("not an image");
  const auto* const head = at<Elf64_Ehdr>(image, 0);
  return head->e_shoff + std::size_t{head->e_shnum} * head->e_shentsize;
}

void write_all(int file, const unsigned char* from, std::size_t bytes) {
  while (bytes > 0) {
    const ssize_t written = write(file, from, bytes);
    if (written <= 0) throw std::runtime_error("the emulator cannot write a module");
    from += written;
    bytes -= static_cast<std::size_t>(written);
  }
}

std::string output_of(const std::string& command) {
  std::string result;
  FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return result;
  char buffer[256];
  while (std::fgets(buffer, sizeof(buffer), pipe) != nullptr) result += buffer;
  pclose(pipe);
  return result;
}

// "f::table" for the variable of a function.
std::string demangled(const char* name) {
  int status = 0;
  char* const text = abi::__cxa_demangle(name, nullptr, nullptr, &status);
  std::string result = status == 0 ? text : name;
  std::free(text);
  const std::size_t open = result.find('('), close = result.rfind(')');
  if (open != std::string::npos && close > open) result.erase(open, close + 1 - open);
  return result;
}

}  // namespace

Module::Module(const void* image, int device) : device_(device) {
  const auto* const bytes = static_cast<const unsigned char*>(image);
  const std::size_t size = size_of(bytes);
  file_ = memfd_create("kernels", MFD_CLOEXEC);
  write_all(file_, bytes, size);
  handle_ = dlopen(sinter::detail::text("/proc/self/fd/", file_).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle_ == nullptr) throw std::runtime_error(dlerror());
  auto* const link = static_cast<emulated::Link**>(symbol("emulated_link"));
  if (link == nullptr) throw std::runtime_error("an image that the emulated NVRTC did not make");
  *link = &link_table();
  const link_map* map = nullptr;
  dlinfo(handle_, RTLD_DI_LINKMAP, &map);
  base_ = map->l_addr;
  read_sections(bytes);
}

Module::~Module() {
  if (handle_ != nullptr) dlclose(handle_);
  if (file_ >= 0) close(file_);
}

void* Module::symbol(const std::string& name) const { return dlsym(handle_, name.c_str()); }

void Module::read_sections(const unsigned char* image) {
  const auto* const head = at<Elf64_Ehdr>(image, 0);
  const auto* const sections = at<Elf64_Shdr>(image, head->e_shoff);
  const char* const names = at<char>(image, sections[head->e_shstrndx].sh_offset);
  std::uintptr_t first = ~std::uintptr_t{0}, last = 0;
  for (int i = 0; i < head->e_shnum; ++i) {
    const Elf64_Shdr& one = sections[i];
    if ((one.sh_flags & SHF_ALLOC) == 0 || one.sh_size == 0) continue;
    const std::uintptr_t address = base_ + one.sh_addr;
    const bool data = one.sh_type == SHT_PROGBITS || one.sh_type == SHT_NOBITS;
    if (data && (one.sh_flags & SHF_WRITE) != 0) {
      first = std::min(first, address);
      last = std::max<std::uintptr_t>(last, address + one.sh_size);
    } else if (data && (one.sh_flags & SHF_EXECINSTR) == 0) {
      constants_[address] = one.sh_size;
    }
  }
  data_ = first, data_bytes_ = last > first ? last - first : 0;
  for (int i = 0; i < head->e_shnum; ++i) {
    if (sections[i].sh_type != SHT_SYMTAB) continue;
    const char* const strings = at<char>(image, sections[sections[i].sh_link].sh_offset);
    const auto* const symbols = at<Elf64_Sym>(image, sections[i].sh_offset);
    for (std::size_t s = 0; s < sections[i].sh_size / sizeof(Elf64_Sym); ++s) {
      const Elf64_Sym& one = symbols[s];
      if (ELF64_ST_TYPE(one.st_info) != STT_OBJECT || one.st_size == 0) continue;
      const std::uintptr_t address = base_ + one.st_value;
      if (!owns(address) || one.st_shndx >= head->e_shnum) continue;
      const char* const section = names + sections[one.st_shndx].sh_name;
      if (std::strcmp(section, "emulated_links") == 0) continue;
      variables_[address] = {demangled(strings + one.st_name), address, one.st_size,
                             std::strcmp(section, "emulated_global") == 0};
    }
  }
}

bool Module::constant(std::uintptr_t address, std::size_t bytes) const {
  auto after = constants_.upper_bound(address);
  if (after == constants_.begin()) return false;
  --after;
  return address + bytes <= after->first + after->second;
}

const Variable* Module::look_up(std::uintptr_t address) const {
  const auto after = variables_.upper_bound(address);
  return last_ = after == variables_.begin() ? nullptr : &std::prev(after)->second;
}

const Variable* Module::variable(const std::string& name) const {
  for (const auto& [address, one] : variables_) {
    if (one.global && one.name == name) return &one;
  }
  return nullptr;
}

std::string Module::line(const void* code) const {
  std::string& result = lines_[code];
  if (!result.empty()) return result;
  // `address` is a return address: the call is before it.
  const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(code) - base_ - 1;
  char digits[32];
  std::snprintf(digits, sizeof(digits), "%lx", static_cast<unsigned long>(offset));
  const std::string all = output_of(sinter::detail::text(
      "addr2line -f -C -s -e /proc/", getpid(), "/fd/", file_, " 0x", digits, " 2>/dev/null"));
  const std::size_t end = all.find('\n');
  if (end == std::string::npos) return result = "?";
  const std::string function = all.substr(0, std::min(all.find('('), end));
  std::string line = all.substr(end + 1, all.find_first_of(" \n", end + 1) - end - 1);
  return result = line + " in " + function;
}

}  // namespace emulator
