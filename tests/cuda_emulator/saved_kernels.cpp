#include "saved_kernels.hpp"

#include <algorithm>
#include <cstdlib>

#include <doctest/doctest.h>

#include <sinter/base/hash.hpp>
#include <sinter/base/text.hpp>
#include <sinter/compile/unit/temporary_file.hpp>

namespace emulator {

namespace {

bool is_hash(const std::string& text, std::size_t at) {
  if (at + 9 > text.size() || text[at] != '_') return false;
  const auto digit = [](char c) { return ('0' <= c && c <= '9') || ('a' <= c && c <= 'f'); };
  return std::all_of(text.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                     text.begin() + static_cast<std::ptrdiff_t>(at) + 9, digit);
}

// `source` without comments and without the hashes in names: equal results compile to equal code.
std::string code_of(const std::string& source) {
  std::string result;
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (source.compare(i, 2, "//") == 0) i = std::min(source.find('\n', i), source.size() - 1);
    const bool space = source[i] == ' ' || source[i] == '\n';
    if (is_hash(source, i)) {
      i += 8;
    } else if (!space || result.empty() || result.back() != ' ') {
      result.push_back(space ? ' ' : source[i]);
    }
  }
  return result;
}

}  // namespace

void keep(const std::string& source, bool contract) {
  const char* const folder = std::getenv("SINTER_TEST_SPILLS");
  if (folder == nullptr || source.rfind("#define INLINE static __device__ ", 0) != 0) return;
  const sinter::detail::Hash key =
      sinter::detail::Hasher().add(code_of(source)).add(contract).result();
  const doctest::TestCaseData* const test = doctest::getContextOptions()->currentTest;
  // If several processes write the same file, all but one find that it exists.
  sinter::detail::compiler::write_file(
      sinter::detail::text(folder, "/", to_string(key), ".cu"),
      sinter::detail::text("// --fmad=", contract, " ", test == nullptr ? "" : test->m_name, "\n",
                           source));
}

}  // namespace emulator
