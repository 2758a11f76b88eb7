#pragma once
// The bound of every product: independent multiply-adds in registers.

/// `count` multiply-adds of floats on one thread. The result depends on all of them.
float multiply_adds(long count);
