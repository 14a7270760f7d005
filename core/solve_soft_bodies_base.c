// The soft solver's passes over bodies four lanes wide, for every machine.
#define IMPI_W 4
#define IMPI_BODY_KERNELS impi_body_kernels_4
#include "solve_soft_body_kernels.h"
