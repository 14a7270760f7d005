// The soft solver's passes over bodies, one lane wide: plain arithmetic from the same source, to compare with.
#define IMPI_W 1
#define IMPI_BODY_KERNELS impi_body_kernels_1
#include "solve_soft_body_kernels.h"
