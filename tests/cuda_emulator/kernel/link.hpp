#pragma once
// The interface between a compiled kernel and the emulator; both include it.

namespace emulated {

struct Index {
  unsigned x, y, z;
};

/// Flags of an access; 0 is a read.
enum Access : unsigned { reads = 0, writes = 1, atomic = 2 };

enum class Vote : int { all, any, ballot, match_any, match_all, sync };
enum class Shuffle : int { index, up, down, exclusive };
enum class Join : int { none, count, all, any };

/// An operand of inline assembly.
struct Operand {
  char type;  ///< Its constraint letter: r, l, h, f, d or n.
  void* value;
};

/// The functions of the emulator. `frame` is the frame of the caller, for line numbers.
struct Link {
  Index thread, block, block_size, grid_size;  // of the running thread
  void (*access)(const void* address, unsigned long bytes, unsigned access, const void* frame);
  int (*barrier)(Join join, int predicate, const void* frame);
  unsigned (*vote)(Vote vote, unsigned mask, unsigned long long value, const void* frame);
  unsigned long long (*shuffle)(Shuffle kind, unsigned mask, unsigned long long value, int argument,
                                int width, const void* frame);
  unsigned (*active_mask)();
  void (*ptx)(const char* text, const Operand* operands, const void* frame);
  void* (*dynamic_shared)();
  unsigned (*shared_offset)(const void* address);
  void* (*heap_allocate)(unsigned long bytes);
  void (*heap_free)(void* address);
  void (*trap)(const char* text, const void* frame);
  void (*set_condition)(unsigned long long handle, unsigned value, const void* frame);
};

}  // namespace emulated
