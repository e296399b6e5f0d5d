/* The shapes that flow through a chain: they are base's, as datasets use them too. */
#ifndef KERNELS_TENSOR_H
#define KERNELS_TENSOR_H

#include "base/tensor.h"

#endif
