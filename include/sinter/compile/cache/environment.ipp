#pragma once

#include <algorithm>  // std::find, std::min
#include <vector>     // std::vector

#include <sinter/base/text.hpp>
#include <sinter/compile/cache/environment.hpp>
#include <sinter/compile/host/probe.hpp>
#include <sinter/compile/unit/translation_unit.hpp>
#include <sinter/device/host/gpu.hpp>

namespace sinter::inline SINTER_ABI::detail::compiler {

namespace detail {

inline constexpr std::string_view machine_line = "machine ";
inline constexpr std::string_view all_instructions = "with";

// The rest of the line of `environment` that starts with `start`.
SINTER_INLINE std::string_view line_of(std::string_view environment, std::string_view start) {
  while (!environment.empty()) {
    const std::string_view line = environment.substr(0, environment.find('\n'));
    if (line.substr(0, start.size()) == start) return line.substr(start.size());
    environment.remove_prefix(std::min(line.size() + 1, environment.size()));
  }
  return {};
}

SINTER_INLINE std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> result;
  while (!line.empty()) {
    const std::string_view word = line.substr(0, line.find(' '));
    if (!word.empty()) result.emplace_back(word);
    line.remove_prefix(std::min(word.size() + 1, line.size()));
  }
  return result;
}

// The instruction sets beyond the baseline that -march=`architecture` allows.
SINTER_INLINE std::string_view instructions_of(std::string_view architecture) {
  if (architecture == "x86-64-v3") {
    return "sse3 ssse3 sse4.1 sse4.2 popcnt avx avx2 bmi bmi2 f16c fma lzcnt movbe";
  }
  return "";
}

SINTER_INLINE std::string unfit_gpu(const std::string& wanted) {
  std::string others;
  for (int i = 0; i < cuda_device_count(); ++i) {
    const std::string here = gpu_backend()->architecture(cuda(i), Where::current());
    if (here == wanted) return "";
    others += (others.empty() ? "" : ", ") + here;
  }
  return text("are for a GPU of ", wanted, ", and ",
              others.empty() ? "there is none here" : "those here are " + others);
}

// "x86_64 with avx avx2", or "x86_64 x86-64-v3".
SINTER_INLINE std::string unfit_host(const std::vector<std::string>& machine) {
  const std::vector<std::string> here = words_of(host_architecture());
  if (machine.empty() || machine[0] != here[0]) {
    return text("are for ", machine.empty() ? "another machine" : machine[0],
                ", and this machine is ", here[0]);
  }
  const bool listed = machine.size() > 1 && machine[1] == all_instructions;
  const std::vector<std::string> needed =
      listed ? std::vector<std::string>(machine.begin() + 2, machine.end())
             : words_of(instructions_of(machine.size() > 1 ? machine[1] : ""));
  std::string lacking;
  for (const std::string& one : needed) {
    if (std::find(here.begin() + 1, here.end(), one) != here.end()) continue;
    lacking += (lacking.empty() ? "" : ", ") + one;
  }
  return lacking.empty() ? "" : text("need ", lacking, ", which this machine lacks");
}

SINTER_INLINE std::string machine_of(const TranslationUnit& unit) {
  const std::string machine = unit.language == Language::cuda
                                  ? text("machine cuda ", unit.architecture)
                                  : host_machine_line(unit.architecture);
  return text("sinter ", SINTER_VERSION_MAJOR, ".", SINTER_VERSION_MINOR, ".", SINTER_VERSION_PATCH,
              "\n", machine, "\ncontraction ", unit.contraction == Contraction::fast, "\nvectors ",
              unit.vectors == Vectors::in_text);
}

}  // namespace detail

SINTER_INLINE std::string host_machine_line(std::string_view architecture) {
  const std::string& here = host_architecture();
  const std::string kind = here.substr(0, here.find(' '));
  if (!architecture.empty()) return text(detail::machine_line, kind, " ", architecture);
  return text(detail::machine_line, kind, " ", detail::all_instructions, here.substr(kind.size()));
}

SINTER_INLINE std::string unfit_reason(std::string_view environment) {
  const std::string version =
      text(SINTER_VERSION_MAJOR, ".", SINTER_VERSION_MINOR, ".", SINTER_VERSION_PATCH);
  const std::string_view made = detail::line_of(environment, "sinter ");
  if (made != version) return text("were made by sinter ", made, ", and this is ", version);
  const auto machine = detail::words_of(detail::line_of(environment, detail::machine_line));
  const bool is_cuda = machine.size() == 2 && machine[0] == "cuda";
  return is_cuda ? detail::unfit_gpu(machine[1]) : detail::unfit_host(machine);
}

SINTER_INLINE std::string environment_here(std::string_view environment) {
  const std::string_view machine = detail::line_of(environment, detail::machine_line);
  const auto words = detail::words_of(machine);
  if (words.size() < 2 || words[1] != detail::all_instructions) return std::string(environment);
  const auto begin = static_cast<std::size_t>(machine.data() - environment.data());
  return text(environment.substr(0, begin - detail::machine_line.size()), host_machine_line(""),
              environment.substr(begin + machine.size()));
}

}  // namespace sinter::inline SINTER_ABI::detail::compiler
