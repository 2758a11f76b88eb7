#pragma once

#include <string_view>  // std::string_view

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/text.hpp>
#include <sinter/codegen/cpp/custom.hpp>
#include <sinter/codegen/text/scalar.hpp>
#include <sinter/codegen/text/writer.hpp>
#include <sinter/graph/custom/user_text.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

namespace detail {

SINTER_INLINE const UserFunction& function_of(const CustomCode& code, Language language) {
  return language == Language::cuda ? code.cuda_function : code.cpp_function;
}

// A kernel of the user is a function that the generated kernel calls.
SINTER_INLINE std::string text_of(const CustomCode& code, Language language) {
  if (language == Language::cpp) return code.cpp;
  const std::string function = with_word(code.cuda, "__global__", "__device__");
  return with_word(function, "__launch_bounds__", "SINTER_NO_BOUNDS");
}

SINTER_INLINE std::string called(const CustomCode& code, Language language) {
  return text(user_function_name(code), "::", function_of(code, language).name);
}

// The type in which parameter `i` is passed: as it is declared, if that is known.
SINTER_INLINE std::string pointer_type(const UserFunction& function, std::size_t i,
                                       const schedule::Argument& argument) {
  const std::string& declared = function.parameters[i].type;
  const std::string type = function.parameters[i].is_pointer && is_known_type(declared)
                               ? declared
                               : std::string(memory_type(argument.dtype));
  return text(argument.access == schedule::Access::read ? "const " : "", type, "*");
}

// A function template that calls the elementwise function of `code` for V, a vector of E: lane by
// lane, in a loop that compilers vectorize.
SINTER_INLINE std::string lanes_function(const CustomCode& code, Language language) {
  const std::string name = text(user_function_name(code), "_lanes");
  const std::string function = called(code, language);
  const std::size_t count = function_of(code, language).parameters.size();
  std::string parameters, values, lanes;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string comma = i == 0 ? "" : ", ";
    parameters += text(comma, "V a", i);
    values += text(comma, "a", i);
    lanes += text(comma, "x", i, "[i]");
  }
  Writer out;
  out.line({"#ifndef ", name, "_defined"});
  out.line({"#define ", name, "_defined"});
  out.line("template <class V, class E = V>");
  {
    const auto whole = out.block(
        {language == Language::cuda ? "static __device__ __forceinline__" : "static inline", " V ",
         name, "(", parameters, ")"});
    out.line("if constexpr (sizeof(V) == sizeof(E))");
    out.line({"  return ", function, "(", values, ");"});
    {
      const auto vectors = out.block("else");
      out.line("constexpr int count = sizeof(V) / sizeof(E);");
      for (std::size_t i = 0; i < count; ++i) {
        const std::string number = text(i);
        out.line({"E x", number, "[count];"});
        out.line({"__builtin_memcpy(x", number, ", &a", number, ", sizeof(V));"});
      }
      out.line("E y[count];");
      out.line({"for (int i = 0; i < count; ++i) y[i] = ", function, "(", lanes, ");"});
      out.line("V r;");
      out.line("__builtin_memcpy(&r, y, sizeof(V));");
      out.line("return r;");
    }
  }
  out.line("#endif");
  return out.str();
}

SINTER_INLINE void add_codes(const schedule::Kernel& kernel, Vector<const CustomCode*>& codes) {
  for (const schedule::Instruction& one : kernel.instructions) {
    const CustomCode* const code = one.custom.get();
    const auto is_known = [&](const CustomCode* known) {
      return known->text_hash == code->text_hash;
    };
    if (code != nullptr && !any_of(codes, is_known)) codes.push_back(code);
  }
  for (const schedule::Kernel& last : kernel.finalizers) add_codes(last, codes);
}

}  // namespace detail

SINTER_INLINE std::string user_definition(const CustomCode& code, Language language) {
  const std::string name = user_function_name(code);
  const UserText parts = split_user_text(detail::text_of(code, language));
  const std::string bounds = language == Language::cuda ? "#define SINTER_NO_BOUNDS(...)\n" : "";
  return text("#ifndef ", name, "_text\n#define ", name, "_text\n", bounds, parts.includes,
              "namespace {\nnamespace ", name, " {\n#line 1 \"", code.name, "\"\n", parts.body,
              "\n}\n}\n", parts.undefines, bounds.empty() ? "" : "#undef SINTER_NO_BOUNDS\n",
              "#endif\n");
}

SINTER_INLINE std::string user_call(const schedule::Kernel& kernel, Language language,
                                    std::string_view first, std::string_view step) {
  const UserFunction& function = detail::function_of(*kernel.custom, language);
  const std::string name = detail::called(*kernel.custom, language);
  const std::size_t guarded = kernel.guarded ? kernel.arguments.size() : 0;
  const std::size_t sizes = kernel.symbols.size() - 1 - guarded;
  std::string arguments;
  if (function.is_elementwise()) {
    const std::size_t result = kernel.arguments.size() - 1;
    for (std::size_t i = 0; i < result; ++i) arguments += text(i == 0 ? "p" : ", p", i, "[i]");
    return text("  for (long i = ", first, "; i < n", sizes, "; i += ", step, ") p", result,
                "[i] = ", name, "(", arguments, ");\n");
  }
  for (std::size_t i = 0; i < kernel.arguments.size(); ++i) {
    arguments +=
        text(i == 0 ? "(" : ", (", detail::pointer_type(function, i, kernel.arguments[i]), ")p", i);
  }
  for (std::size_t i = 0; i < sizes; ++i) {
    arguments += text(arguments.empty() ? "n" : ", n", i);
  }
  return text("  ", name, "(", arguments, ");\n");
}

namespace detail {

// A copy of memory between two guards.
constexpr std::string_view guarded_copy = R"(#ifndef sinter_guarded_copy
#define sinter_guarded_copy
namespace {
struct GuardedCopy {
  static constexpr long guard = 256;
  char *raw, *at;
  void* original;
  long bytes;
  GuardedCopy(void* from, long count, bool is_operand) : original(from), bytes(count) {
    raw = (char*)__builtin_malloc(bytes + 2 * guard + 64);
    at = (char*)(((unsigned long)raw + guard + 63) / 64 * 64);
    __builtin_memset(raw, 0xa5, bytes + 2 * guard + 64);
    if (is_operand && bytes != 0) __builtin_memcpy(at, original, bytes);
  }
  ~GuardedCopy() { __builtin_free(raw); }
  void check(Context* context, long argument, long operands) {
    bool is_intact = true;
    for (const char* one = raw; one < at; ++one) is_intact &= *one == (char)0xa5;
    for (long i = 0; i < guard; ++i) is_intact &= at[bytes + i] == (char)0xa5;
    if (!is_intact) report(context, 1, argument, 0, operands);
    const bool is_operand = argument < operands;
    if (bytes == 0) return;
    if (!is_operand) __builtin_memcpy(original, at, bytes);
    else if (__builtin_memcmp(original, at, bytes) != 0) report(context, 1, argument, 1, operands);
  }
};
}
#endif
)";

}  // namespace detail

SINTER_INLINE std::string custom_function(const schedule::Kernel& kernel, const std::string& name,
                                          Linkage linkage) {
  std::string result = user_definition(*kernel.custom, Language::cpp);
  if (kernel.guarded) result += detail::guarded_copy;
  result += text("#line 1 \"", kernel.custom->name, "(...)\"\n", function_head(name, linkage),
                 " {\n  if (thread != 0) return;\n");
  for (std::size_t i = 0; i < kernel.symbols.size(); ++i) {
    result += text("  const long n", i, " = sizes[", i, "];\n");
  }
  const std::size_t count = kernel.arguments.size();
  std::string checks;
  std::size_t operands = 0;
  for (const schedule::Argument& one : kernel.arguments) {
    operands += one.access == schedule::Access::read ? 1 : 0;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const schedule::Argument& one = kernel.arguments[i];
    const std::string_view before = one.access == schedule::Access::read ? "const " : "";
    if (kernel.guarded) {
      result +=
          text("  GuardedCopy g", i, "(buffers[", i, "], n", kernel.symbols.size() - count + i,
               " * ", info(one.dtype).size, ", ", i < operands ? "true" : "false", ");\n");
      checks += text("  g", i, ".check(context, ", i, ", ", operands, ");\n");
    }
    result += text("  ", before, memory_type(one.dtype), "* const p", i, " = (", before,
                   memory_type(one.dtype), "*)",
                   kernel.guarded ? text("g", i, ".at") : text("buffers[", i, "]"), ";\n");
  }
  return result + user_call(kernel, Language::cpp, "0", "1") + checks + "}\n#line 1 \"kernels\"\n";
}

SINTER_INLINE std::string user_functions(const schedule::Kernel& kernel, Language language) {
  Vector<const CustomCode*> codes;
  detail::add_codes(kernel, codes);
  std::string result;
  for (const CustomCode* const code : codes) {
    result += user_definition(*code, language);
    result += text("#line 1 \"", code->name, "(...)\"\n");
    result += detail::lanes_function(*code, language);
  }
  return result.empty() ? result : result + "#line 1 \"kernels\"\n";
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
