#pragma once

#include <sys/utsname.h>  // uname
#if defined(__x86_64__)
#include <cpuid.h>  // __get_cpuid_count
#else
#include <sys/auxv.h>  // getauxval
#endif

#include <algorithm>  // std::min
#include <array>      // std::array

#include <sinter/base/hash.hpp>
#include <sinter/base/text.hpp>
#include <sinter/compile/host/probe.hpp>
#include <sinter/compile/host/process.hpp>

namespace sinter::inline SINTER_ABI::detail::compiler {

namespace detail {

// Removes options that name files, with their values.
SINTER_INLINE std::vector<std::string> without_files(const std::vector<std::string>& command) {
  std::vector<std::string> result;
  for (std::size_t i = 0; i < command.size(); ++i) {
    const std::string& word = command[i];
    if (word == "-o" || word == "-dumpdir" || word == "-dumpbase" || word == "-dumpbase-ext") {
      ++i;
    } else if (word != "|" && word != "-" && word != "-v" && word != "-version") {
      result.push_back(word);
    }
  }
  return result;
}

SINTER_INLINE bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

SINTER_INLINE std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> result;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    result.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

#if defined(__x86_64__)
// A CPUID feature bit.
struct CpuBit {
  unsigned leaf, subleaf;
  int word;  // eax, ebx, ecx, edx
  int bit;
  std::string_view name;
};
inline constexpr std::array<CpuBit, 38> cpu_bits{
    {{1, 0, 2, 0, "sse3"},           {1, 0, 2, 9, "ssse3"},
     {1, 0, 2, 12, "fma"},           {1, 0, 2, 19, "sse4.1"},
     {1, 0, 2, 20, "sse4.2"},        {1, 0, 2, 22, "movbe"},
     {1, 0, 2, 23, "popcnt"},        {1, 0, 2, 28, "avx"},
     {1, 0, 2, 29, "f16c"},          {7, 0, 1, 3, "bmi"},
     {7, 0, 1, 5, "avx2"},           {7, 0, 1, 8, "bmi2"},
     {7, 0, 1, 16, "avx512f"},       {7, 0, 1, 17, "avx512dq"},
     {7, 0, 1, 21, "avx512ifma"},    {7, 0, 1, 28, "avx512cd"},
     {7, 0, 1, 30, "avx512bw"},      {7, 0, 1, 31, "avx512vl"},
     {7, 0, 2, 1, "avx512vbmi"},     {7, 0, 2, 6, "avx512vbmi2"},
     {7, 0, 2, 8, "gfni"},           {7, 0, 2, 11, "avx512vnni"},
     {7, 0, 2, 12, "avx512bitalg"},  {7, 0, 2, 14, "avx512vpopcntdq"},
     {7, 0, 3, 22, "amx-bf16"},      {7, 0, 3, 23, "avx512fp16"},
     {7, 0, 3, 24, "amx-tile"},      {7, 0, 3, 25, "amx-int8"},
     {7, 1, 0, 4, "avxvnni"},        {7, 1, 0, 5, "avx512bf16"},
     {7, 1, 0, 23, "avxifma"},       {7, 1, 3, 4, "avxvnniint8"},
     {7, 1, 3, 5, "avxneconvert"},   {0x80000001, 0, 2, 5, "lzcnt"},
     {0x80000001, 0, 2, 6, "sse4a"}, {0x80000001, 0, 2, 11, "xop"},
     {0x80000001, 0, 2, 16, "fma4"}, {0x80000001, 0, 2, 21, "tbm"}}};
#endif

SINTER_INLINE std::string instruction_set() {
  utsname machine{};
  uname(&machine);
  std::string result = machine.machine;
#if defined(__x86_64__)
  const CpuBit* asked = nullptr;
  bool is_known = false;
  unsigned words[4]{};
  for (const CpuBit& one : cpu_bits) {  // in a virtual machine, each cpuid takes microseconds
    if (asked == nullptr || asked->leaf != one.leaf || asked->subleaf != one.subleaf) {
      is_known =
          __get_cpuid_count(one.leaf, one.subleaf, &words[0], &words[1], &words[2], &words[3]) != 0;
      asked = &one;
    }
    if (is_known && (words[one.word] >> one.bit & 1) != 0) result += text(" ", one.name);
  }
#else
  const Hash bits = Hasher().add(getauxval(AT_HWCAP)).add(getauxval(AT_HWCAP2)).result();
  result += text(" capabilities-", to_string(bits).substr(0, 16));
#endif
  return result;
}

}  // namespace detail

SINTER_INLINE const std::string& host_architecture() {
  static const auto& name = *new std::string(detail::instruction_set());
  return name;
}

SINTER_INLINE std::vector<std::string> split_command(std::string_view line) {
  std::vector<std::string> words;
  bool quoted = false, inside = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char letter = line[i];
    if (letter == ' ' && !quoted) {
      inside = false;
      continue;
    }
    if (!inside) words.emplace_back();
    inside = true;
    if (letter == '"') {
      quoted = !quoted;
    } else if (letter == '\\' && i + 1 < line.size()) {
      words.back() += line[++i];
    } else {
      words.back() += letter;
    }
  }
  return words;
}

SINTER_INLINE HostCompiler parse_probe(const std::string& path, std::string_view output) {
  HostCompiler result{.path = path};
  std::string version, target;
  for (const std::string& line : detail::split_lines(output)) {
    if (line.find(" version ") != std::string::npos && version.empty()) version = line;
    if (line.rfind("Target: ", 0) == 0) target = line.substr(8);
    if (line.empty() || line[0] != ' ') continue;
    const std::vector<std::string> words = split_command(line);
    if (words.empty()) continue;
    if (detail::ends_with(words[0], "cc1plus")) result.translate = detail::without_files(words);
    if (words[0] == "as" || detail::ends_with(words[0], "/as")) {
      result.assemble = detail::without_files(words);
    }
  }
  result.clang = version.find("clang") != std::string::npos;
  result.identity = text(version, ", ", target);
  if (result.clang || result.translate.empty() || result.assemble.empty()) {
    result.translate.clear();
    result.assemble.clear();
  }
  return result;
}

SINTER_INLINE Optional<HostCompiler> probe(const std::string& path,
                                           const std::vector<std::string>& arguments) {
  std::vector<std::string> command{path};
  command.insert(command.end(), arguments.begin(), arguments.end());
  std::vector<std::string> find_linker = command;
  command.insert(command.end(),
                 {"-###", "-march=native", "-fPIC", "-pipe", "-c", "-x", "c++", "-", "-o", "x.o"});
  const ProcessResult outcome = run(command);
  if (outcome.status != 0 || outcome.output.find(" version ") == std::string::npos) {
    return std::nullopt;
  }
  HostCompiler result = parse_probe(path, outcome.output);
  result.arguments = arguments;
  if (result.translate.empty()) return result;
  if (result.assemble[0] == "as") {  // from PATH, so the linker is too; asking takes milliseconds
    result.link = {"ld"};
    return result;
  }
  find_linker.push_back("-print-prog-name=ld");
  const ProcessResult linker = run(find_linker);
  const std::vector<std::string> name = detail::split_lines(linker.output);
  if (linker.status == 0 && name.size() == 1) result.link = name;
  return result;
}

}  // namespace sinter::inline SINTER_ABI::detail::compiler
