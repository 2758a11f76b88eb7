// Loads two libraries that each carry all of header-only sinter and show nothing of it, uses both
// from two threads, and unloads one.

#include <dlfcn.h>

#include <atomic>
#include <cstdio>
#include <thread>

namespace {

using Sum = float(int);

Sum* sum_in(void* library) {
  void* const found = library == nullptr ? nullptr : dlsym(library, "plugin_sum_of_squares");
  if (found == nullptr) std::printf("%s\n", dlerror());
  return reinterpret_cast<Sum*>(found);
}

int wrong(Sum* sum) {
  int result = 0;
  for (int i = 0; i < 20; ++i) {
    const int count = 3 + i % 4;
    result += sum(count) == static_cast<float>((count - 1) * count * (2 * count - 1) / 6) ? 0 : 1;
  }
  return result;
}

}  // namespace

int main(int, char** arguments) {
  void* const one = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
  void* const two = dlopen(arguments[2], RTLD_NOW | RTLD_LOCAL);
  Sum *const first = sum_in(one), *const second = sum_in(two);
  if (first == nullptr || second == nullptr) return 1;
  std::atomic<int> failures{first == second ? 1 : 0};
  std::thread other([&] { failures += wrong(first); });
  failures += wrong(second);
  other.join();
  if (dlclose(one) != 0) failures += 1;
  failures += wrong(second);
  if (failures != 0) std::printf("%d results are wrong\n", failures.load());
  return failures == 0 ? 0 : 1;
}
