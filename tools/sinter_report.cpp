// sinter-report DIR: makes the pages of what SINTER_DUMP=DIR wrote, here or on another machine.
#include <sinter/debug/report_files.hpp>

#include <cstdio>
#include <exception>

int main(int count, char** arguments) {
  if (count != 2 || arguments[1][0] == '-') {
    std::fputs(
        "usage: sinter-report DIR\n"
        "Writes a page for each compiled function that SINTER_DUMP=DIR left in DIR, and "
        "DIR/index.html.\n",
        stderr);
    return 2;
  }
  try {
    const auto pages = sinter::detail::debug::write_reports_of_dump(arguments[1]);
    if (pages == 0) {
      std::fprintf(stderr,
                   "sinter-report: there is no function_*.json in %s; a program with SINTER_DUMP "
                   "writes them when its compiled functions end, or at its own end\n",
                   arguments[1]);
      return 1;
    }
    std::printf("%zu %s: %s/index.html\n", pages, pages == 1 ? "page" : "pages", arguments[1]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
