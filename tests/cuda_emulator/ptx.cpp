#include "ptx.hpp"

#include <bit>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include <sinter/base/half.hpp>
#include <sinter/base/text.hpp>

#include "launch.hpp"

namespace emulator {

namespace {

std::string trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) {
    text.remove_prefix(1);
  }
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) {
    text.remove_suffix(1);
  }
  return std::string(text);
}

// Splits at `separator` outside of brackets.
std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> result;
  std::string part;
  int depth = 0;
  for (const char c : text) {
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    if (c == separator && depth == 0) {
      result.push_back(trimmed(part));
      part.clear();
    } else {
      part += c;
    }
  }
  if (!trimmed(part).empty()) result.push_back(trimmed(part));
  return result;
}

PtxValue parse_value(const std::string& text) {
  PtxValue value;
  if (text.size() > 1 && text[0] == '%' && std::isdigit(static_cast<unsigned char>(text[1]))) {
    value.operand = std::atoi(text.c_str() + 1);
  } else if (std::isdigit(static_cast<unsigned char>(text[0])) != 0 || text[0] == '-') {
    value.number = std::strtoll(text.c_str(), nullptr, 0);
  } else {
    value.name = text.rfind("%%", 0) == 0 ? text.substr(2) : text;
  }
  return value;
}

PtxArgument parse_argument(const std::string& text) {
  PtxArgument result;
  if (text[0] == '{') {
    for (const std::string& one : split(text.substr(1, text.size() - 2), ',')) {
      result.values.push_back(parse_value(one));
    }
  } else if (text[0] == '[') {
    result.memory = true;
    const auto terms = split(text.substr(1, text.size() - 2), '+');
    result.values.push_back(parse_value(terms[0]));
    if (terms.size() > 1) result.offset = std::strtoll(terms[1].c_str(), nullptr, 0);
  } else {
    result.values.push_back(parse_value(text));
  }
  return result;
}

// The text as the assembler sees it: escapes resolved, without comments and outer braces.
std::string plain(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) {
      result += ' ';
      ++i;
    } else if (text.substr(i, 2) == "//") {
      while (i < text.size() && text[i] != '\n') ++i;
    } else {
      result += text[i];
    }
  }
  result = trimmed(result);
  if (!result.empty() && result.front() == '{') result = result.substr(1, result.rfind('}') - 1);
  return result;
}

PtxInstruction parse_instruction(std::string text) {
  PtxInstruction result;
  if (text[0] == '@') {
    const std::size_t end = text.find(' ');
    result.unless = text[1] == '!';
    result.predicate = parse_value(text.substr(result.unless ? 2 : 1, end - 1)).name;
    result.predicate = trimmed(result.predicate);
    text = trimmed(text.substr(end));
  }
  const std::size_t end = text.find_first_of(" \t\n");
  result.opcode = text.substr(0, end);
  if (end == std::string::npos) return result;
  for (const std::string& one : split(text.substr(end), ',')) {
    result.arguments.push_back(parse_argument(one));
  }
  return result;
}

const std::vector<PtxInstruction>& parsed(const char* text) {
  static auto& known = *new std::map<std::string, std::vector<PtxInstruction>, std::less<>>;
  const auto found = known.find(std::string_view(text));
  return found != known.end() ? found->second : known[text] = parse_ptx(text);
}

}  // namespace

std::vector<PtxInstruction> parse_ptx(std::string_view text) {
  std::vector<PtxInstruction> result;
  for (const std::string& one : split(plain(text), ';')) {
    if (!one.empty() && one.rfind(".reg", 0) != 0) result.push_back(parse_instruction(one));
  }
  return result;
}

std::string unknown_instruction(const std::string& text) {
  for (const PtxInstruction& one : parse_ptx(text)) {
    if (ptx_handler(one.opcode) == nullptr) return one.opcode;
  }
  return "";
}

namespace {

std::size_t bytes_of(const emulated::Operand& operand) {
  return operand.type == 'l' || operand.type == 'd' ? 8 : operand.type == 'h' ? 2 : 4;
}

// An operand may be an array element, which is loaded or stored here.
void check(const emulated::Operand& operand, unsigned access, const void* frame) {
  if (running()->thread().fiber->contains(operand.value)) return;
  running()->access(reinterpret_cast<std::uintptr_t>(operand.value), bytes_of(operand), access,
                    frame);
}

}  // namespace

std::uint64_t PtxCall::get(const PtxValue& value) const {
  if (value.operand >= 0) {
    const emulated::Operand& one = operands_[value.operand];
    check(one, emulated::reads, frame_);
    std::uint64_t bits = 0;
    std::memcpy(&bits, one.value, bytes_of(one));
    return bits;
  }
  if (value.name.empty()) return static_cast<std::uint64_t>(value.number);
  const auto found = registers_.find(value.name);
  return found == registers_.end() ? 0 : found->second;
}

void PtxCall::set(const PtxValue& value, std::uint64_t bits) {
  if (value.operand < 0) {
    registers_[value.name] = bits;
    return;
  }
  const emulated::Operand& one = operands_[value.operand];
  check(one, emulated::writes, frame_);
  std::memcpy(one.value, &bits, bytes_of(one));
}

float PtxCall::f32(std::size_t argument, std::size_t at) const {
  return std::bit_cast<float>(static_cast<std::uint32_t>(get(argument, at)));
}

void PtxCall::set_f32(std::size_t argument, float v, std::size_t at) {
  set(argument, std::bit_cast<std::uint32_t>(v), at);
}

std::uintptr_t PtxCall::address(std::size_t argument, bool shared) const {
  const std::uint64_t base = get(argument);
  const auto offset = static_cast<std::uintptr_t>(instruction->arguments[argument].offset);
  if (!shared) return base + offset;
  return reinterpret_cast<std::uintptr_t>(shared_pointer(static_cast<unsigned>(base))) + offset;
}

void run_ptx(const char* text, const emulated::Operand* operands, const void* frame) {
  PtxCall call(operands, frame);
  for (const PtxInstruction& one : parsed(text)) {
    call.instruction = &one;
    const PtxValue predicate{.name = one.predicate};
    if (!one.predicate.empty() && (call.get(predicate) != 0) == one.unless) continue;
    ptx_handler(one.opcode)(call);
  }
}

}  // namespace emulator
