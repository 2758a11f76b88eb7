#pragma once
// Inline assembly: the emulator parses and interprets the text of each statement.

namespace emulated {

template <class T>
EMULATED_PLAIN inline Operand output(char type, T& v) {
  return {type, (void*)&v};
}
template <class T>
struct Input {
  char type;
  T value;
  EMULATED_PLAIN operator Operand() { return {type, (void*)&value}; }
};
template <class T>
EMULATED_PLAIN inline Input<T> input(char type, T v) {
  return {type, v};
}

}  // namespace emulated

template <class... O>
EMULATED_CALL void emulated_ptx(const char* text, O... operands) {
  const emulated::Operand all[]{emulated::Operand(operands)..., {0, nullptr}};
  emulated_link->ptx(text, all, EMULATED_FRAME);
}
