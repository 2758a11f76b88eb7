#pragma once
// Parsed instructions of inline PTX.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/link.hpp"

namespace emulator {

/// One argument of an instruction: %0, a number, or a register that the text declares.
struct PtxValue {
  int operand = -1;
  std::string name{};  ///< Of a declared register.
  std::int64_t number = 0;
};

/// "[%0 + 16]" or "{%0, %1}" or "%0".
struct PtxArgument {
  std::vector<PtxValue> values{};
  bool memory = false;
  std::int64_t offset = 0;
};

struct PtxInstruction {
  std::string opcode{};
  std::vector<PtxArgument> arguments{};
  std::string predicate{};
  bool unless = false;
};

/// An instruction as executed by a lane.
class PtxCall {
 public:
  PtxCall(const emulated::Operand* operands, const void* frame)
      : operands_(operands), frame_(frame) {}

  std::uint64_t get(const PtxValue& value) const;
  void set(const PtxValue& value, std::uint64_t bits);
  std::uint64_t get(std::size_t argument, std::size_t at = 0) const {
    return get(instruction->arguments[argument].values[at]);
  }
  void set(std::size_t argument, std::uint64_t bits, std::size_t at = 0) {
    set(instruction->arguments[argument].values[at], bits);
  }
  float f32(std::size_t argument, std::size_t at = 0) const;
  void set_f32(std::size_t argument, float v, std::size_t at = 0);
  /// The address of a memory argument; if `shared`, it is an offset in the window.
  std::uintptr_t address(std::size_t argument, bool shared) const;
  const void* frame() const { return frame_; }

  const PtxInstruction* instruction = nullptr;

 private:
  const emulated::Operand* operands_;
  const void* frame_;
  std::map<std::string, std::uint64_t> registers_{};
};

using PtxHandler = void (*)(PtxCall& call);

/// The implementation of `opcode`; null if there is none.
PtxHandler ptx_handler(const std::string& opcode);
PtxHandler ptx_matrix_handler(const std::string& opcode);
PtxHandler ptx_memory_handler(const std::string& opcode);

/// Parses "%0", "%%p", "16", "{%0, %1}" and "[%2 + 4]"; not floating literals such as "0x1p0".
std::vector<PtxInstruction> parse_ptx(std::string_view text);

/// The first instruction of `text` that the emulator does not implement; "" if none.
std::string unknown_instruction(const std::string& text);

inline std::vector<std::string> parts_of(const std::string& opcode) {
  std::vector<std::string> result{""};
  for (const char c : opcode) {
    if (c == '.') {
      result.emplace_back();
    } else {
      result.back() += c;
    }
  }
  return result;
}

}  // namespace emulator
