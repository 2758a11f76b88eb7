#pragma once
// The bound of every product: multiply-adds in registers, which wait for nothing.

/// So many multiply-adds of floats, by one thread. The result depends on all of them.
float multiply_adds(long count);
