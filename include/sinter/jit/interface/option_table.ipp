#pragma once

#include <charconv>      // std::from_chars
#include <string>        // std::string
#include <system_error>  // std::errc

#include <sinter/base/container/vector.hpp>
#include <sinter/base/env.hpp>
#include <sinter/base/error.hpp>
#include <sinter/base/text.hpp>
#include <sinter/jit/interface/backend_names.hpp>
#include <sinter/jit/interface/nearest.hpp>
#include <sinter/jit/interface/option_table.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

namespace detail {

inline bool parse_value(std::string_view text, bool& value) {
  value = text == "1" || text == "true";
  return value || text == "0" || text == "false";
}

inline bool parse_value(std::string_view text, std::string_view& value) {
  value = text;
  return true;
}

template <class Number>
requires(std::is_arithmetic_v<Number>) bool parse_value(std::string_view text, Number& value) {
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  return parsed.ec == std::errc() && parsed.ptr == end;
}

// The names of enumerators, in their order.
inline constexpr std::string_view backend_names[] = {"eager", "aot_eager", "fused"};
inline constexpr std::string_view mode_names[] = {"standard", "reduce_overhead", "max_autotune",
                                                  "max_autotune_no_cuda_graphs"};
inline constexpr std::string_view dynamic_names[] = {"automatic", "on", "off"};
inline constexpr std::string_view numerics_names[] = {"fast", "strict"};

template <class Enum>
requires(std::is_enum_v<Enum>) bool parse_value(std::string_view text, Enum& value) {
  const auto find = [&](const auto& names) {
    std::size_t at = 0;
    for (const std::string_view name : names) {
      if (name == text) return value = static_cast<Enum>(at), true;
      ++at;
    }
    return false;
  };
  if constexpr (std::is_same_v<Enum, Backend>) return find(backend_names);
  if constexpr (std::is_same_v<Enum, Mode>) return find(mode_names);
  if constexpr (std::is_same_v<Enum, Dynamic>) return find(dynamic_names);
  if constexpr (std::is_same_v<Enum, Numerics>) return find(numerics_names);
}

template <auto member>
bool set_option(CompileOptions& options, std::string_view value) {
  auto parsed = options.*member;
  if (!parse_value(value, parsed)) return false;
  options.*member = parsed;
  return true;
}

// One of Backend, or the name of a registered backend.
inline bool set_backend(CompileOptions& options, std::string_view value) {
  if (set_option<&CompileOptions::backend>(options, value)) return true;
  if (find_custom_backend(value) == nullptr) return false;
  options.custom_backend = value;
  return true;
}

inline constexpr Option options_by_name[] = {
    {"backend", "fused, aot_eager, eager", set_backend},
    {"mode", "standard, reduce_overhead, max_autotune, max_autotune_no_cuda_graphs",
     set_option<&CompileOptions::mode>},
    {"dynamic", "automatic, on, off", set_option<&CompileOptions::dynamic>},
    {"fullgraph", "0, 1", set_option<&CompileOptions::fullgraph>},
    {"recompile_limit", "8, a number", set_option<&CompileOptions::recompile_limit>},
    {"name", "a text", set_option<&CompileOptions::name>},
    {"numerics", "fast, strict", set_option<&CompileOptions::numerics>},
    {"background", "0, 1", set_option<&CompileOptions::background>},
    {"autotune_seconds", "1, a number", set_option<&CompileOptions::autotune_seconds>},
    {"force_compiled", "0, 1", set_option<&CompileOptions::force_compiled>},
    {"threads", "0, a number", set_option<&CompileOptions::threads>},
    {"evict", "0, 1", set_option<&CompileOptions::evict>},
    {"interpret", "names of operations", set_option<&CompileOptions::interpret>},
    {"custom_backend", "a registered name", set_option<&CompileOptions::custom_backend>},
    {"compile_seconds", "0, a number", set_option<&CompileOptions::compile_seconds>},
    {"memory_bytes", "0, a number", set_option<&CompileOptions::memory_bytes>},
};

// The way out for an unknown name: "did you mean fullgraph?"
inline std::string meant(std::string_view name, Span<const std::string_view> known) {
  const std::string_view nearest = nearest_name(name, known);
  return nearest.empty() ? std::string("docs/compile_options.md explains each")
                         : text("did you mean ", nearest, "?");
}

[[noreturn]] SINTER_INLINE void throw_unknown_option(std::string_view name, std::string_view given,
                                                     Where where) {
  Vector<std::string_view> known;
  std::string list;
  for (const Option& option : options_by_name) {
    known.push_back(option.name);
    list += text(list.empty() ? "" : ", ", option.name);
  }
  throw ValueError({.op = "compile",
                    .what = "there is no option of this name",
                    .facts = {{"option", name.empty() ? "(empty)" : name}, {"in", given}},
                    .rule = text("the options are ", list),
                    .fix = meant(name, known),
                    .where = where});
}

[[noreturn]] SINTER_INLINE void throw_option_value(const Option& option, std::string_view value,
                                                   std::string_view given, Where where) {
  throw ValueError(
      {.op = "compile",
       .what = text("an option has no such value"),
       .facts = {{"option", option.name}, {"value", value}, {"in", given}},
       .rule = text("the values of ", option.name, " are ", option.values),
       .fix = text("write ", option.name, "=", option.values.substr(0, option.values.find(',')),
                   ", or leave ", option.name, " out"),
       .where = where});
}

// Sets the options of `text` one after the other. `given` is how errors quote it.
SINTER_INLINE void set_options(CompileOptions& options, std::string_view text,
                               std::string_view given, Where where) {
  const auto trimmed = [](std::string_view part) {
    while (!part.empty() && part.front() == ' ') part.remove_prefix(1);
    while (!part.empty() && part.back() == ' ') part.remove_suffix(1);
    return part;
  };
  while (!trimmed(text).empty()) {
    const std::size_t comma = text.find(','), end = comma == text.npos ? text.size() : comma;
    const std::string_view one = trimmed(text.substr(0, end));
    const std::size_t equals = one.find('=');
    const std::string_view name = trimmed(one.substr(0, equals));
    const std::string_view value = equals == one.npos ? "1" : trimmed(one.substr(equals + 1));
    const Option* known = nullptr;
    for (const Option& option : options_by_name) {
      if (option.name == name) known = &option;
    }
    if (known == nullptr) throw_unknown_option(name, given, where);
    if (!known->set(options, value)) throw_option_value(*known, value, given, where);
    text.remove_prefix(comma == text.npos ? end : end + 1);
  }
}

}  // namespace detail

SINTER_INLINE Span<const Option> option_table() { return detail::options_by_name; }

SINTER_INLINE CompileOptions with_environment(CompileOptions options, Where where) {
  const std::string_view chosen = env(Env::options);
  if (!chosen.empty()) {
    detail::set_options(options, chosen, text("SINTER_OPTIONS=", chosen), where);
  }
  return options;
}

}  // namespace sinter::inline SINTER_ABI::detail::jit

namespace sinter::inline SINTER_ABI {

SINTER_INLINE CompileOptions parse_options(std::string_view text, CompileOptions base,
                                           Where where) {
  detail::jit::detail::set_options(base, text, text, where);
  return base;
}

}  // namespace sinter::inline SINTER_ABI
