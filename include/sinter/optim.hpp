#pragma once
// Optimizers, schedules of learning rates, and updates of parameters.

#include <sinter/config.hpp>

// clang-format off
#include <sinter/optim/adam.hpp>
#include <sinter/optim/adagrad.hpp>
#include <sinter/optim/grad_scaler.hpp>
#include <sinter/optim/lion.hpp>
#include <sinter/optim/rmsprop.hpp>
#include <sinter/optim/schedule.hpp>
#include <sinter/optim/sgd.hpp>
#include <sinter/optim/update.hpp>
#ifdef SINTER_DEFINITIONS  // programs that use these include them
#include <sinter/optim/average.hpp>
#include <sinter/optim/plateau.hpp>
#endif
#include <sinter/jit/eager/evaluator.hpp>  // computes what is read
// clang-format on
