// Memory instructions: asynchronous copies, loads and stores with hints, reductions.

#include <bit>
#include <cstring>

#include <sinter/base/half.hpp>

#include "launch.hpp"
#include "ptx.hpp"

namespace emulator {

namespace {

bool has(const PtxCall& call, const char* part) {
  for (const std::string& one : parts_of(call.instruction->opcode)) {
    if (one == part) return true;
  }
  return false;
}

// cp.async.cg.shared.global [to], [from], bytes {, bytes of the source}: the rest becomes zeros.
void copy_async(PtxCall& call) {
  const std::uintptr_t to = call.address(0, true), from = call.address(1, false);
  const std::size_t bytes = call.get(2);
  const auto& arguments = call.instruction->arguments;
  const std::size_t read = arguments.size() > 3 ? call.get(3) : bytes;
  const void* const frame = call.frame();
  if (from % bytes != 0 || to % bytes != 0) {
    running()->report("misaligned access", "cp.async from " + where(from) + " to " + where(to),
                      frame);
    running()->stop(716);
  }
  running()->copy_later({to, from, bytes, read});
}

void commit_copies(PtxCall&) { running()->close_copies(); }
void wait_group(PtxCall& call) { running()->finish_copies(call.get(0), call.frame()); }
void wait_all(PtxCall& call) {
  running()->close_copies();
  running()->finish_copies(0, call.frame());
}

std::size_t element_bytes(const PtxCall& call) {
  const std::string type = parts_of(call.instruction->opcode).back();
  const std::string digits = type.substr(1);
  return digits == "64" ? 8 : digits == "16" ? 2 : digits == "8" ? 1 : 4;
}

bool is_shared(const PtxCall& call) { return has(call, "shared") || has(call, "shared::cta"); }

void load(PtxCall& call) {
  const std::size_t bytes = element_bytes(call);
  const auto& targets = call.instruction->arguments[0].values;
  const std::uintptr_t from = call.address(1, is_shared(call));
  running()->access(from, bytes * targets.size(), emulated::reads, call.frame());
  for (std::size_t i = 0; i < targets.size(); ++i) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, reinterpret_cast<const char*>(from) + i * bytes, bytes);
    call.set(0, bits, i);
  }
}

void store(PtxCall& call) {
  const std::size_t bytes = element_bytes(call);
  const auto& sources = call.instruction->arguments[1].values;
  const std::uintptr_t to = call.address(0, is_shared(call));
  running()->access(to, bytes * sources.size(), emulated::writes, call.frame());
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const std::uint64_t bits = call.get(1, i);
    std::memcpy(reinterpret_cast<char*>(to) + i * bytes, &bits, bytes);
  }
}

template <class T>
std::uint32_t add16(std::uint32_t a, std::uint32_t b) {
  T x, y;
  x.bits = static_cast<std::uint16_t>(a);
  y.bits = static_cast<std::uint16_t>(b);
  return T(static_cast<float>(x) + static_cast<float>(y)).bits;
}

std::uint64_t add(const std::string& type, std::uint64_t a, std::uint64_t b) {
  const auto x = static_cast<std::uint32_t>(a), y = static_cast<std::uint32_t>(b);
  if (type == "f32") {
    return std::bit_cast<std::uint32_t>(std::bit_cast<float>(x) + std::bit_cast<float>(y));
  }
  if (type == "f64") {
    return std::bit_cast<std::uint64_t>(std::bit_cast<double>(a) + std::bit_cast<double>(b));
  }
  if (type == "f16") return add16<sinter::half>(x, y);
  if (type == "bf16") return add16<sinter::bfloat16>(x, y);
  if (type == "f16x2") {
    return add16<sinter::half>(x >> 16, y >> 16) << 16 | add16<sinter::half>(x, y);
  }
  if (type == "bf16x2") {
    return add16<sinter::bfloat16>(x >> 16, y >> 16) << 16 | add16<sinter::bfloat16>(x, y);
  }
  return a + b;
}

// red.global.add.f32 [to], v; atom also returns the old value.
void reduce(PtxCall& call) {
  const auto parts = parts_of(call.instruction->opcode);
  const std::size_t first = parts[0] == "atom" ? 1 : 0;
  const std::string& type = parts.back();
  const std::size_t bytes = type.find("64") != std::string::npos ? 8
                            : type == "f16" || type == "bf16"    ? 2
                                                                 : 4;
  const std::uintptr_t to = call.address(first, is_shared(call));
  running()->access(to, bytes, emulated::writes | emulated::atomic, call.frame());
  std::uint64_t was = 0;
  std::memcpy(&was, reinterpret_cast<const void*>(to), bytes);
  const std::uint64_t is = add(type, was, call.get(first + 1));
  std::memcpy(reinterpret_cast<void*>(to), &is, bytes);
  if (first == 1) call.set(0, was);
}

}  // namespace

PtxHandler ptx_memory_handler(const std::string& opcode) {
  if (opcode == "cp.async.commit_group") return commit_copies;
  if (opcode == "cp.async.wait_group") return wait_group;
  if (opcode == "cp.async.wait_all") return wait_all;
  const auto parts = parts_of(opcode);
  if (opcode.rfind("cp.async.c", 0) == 0) return copy_async;
  if (parts[0] == "ld" && parts.size() > 2) return load;
  if (parts[0] == "st" && parts.size() > 2) return store;
  const bool adds = opcode.find(".add.") != std::string::npos;
  return adds && (parts[0] == "red" || parts[0] == "atom") ? reduce : nullptr;
}

}  // namespace emulator
