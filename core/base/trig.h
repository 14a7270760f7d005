// Sine and cosine together, with one argument reduction, for the rotation of bodies.
#ifndef IMPI_TRIG_H
#define IMPI_TRIG_H

#include "base/base.h"

// Compute the same bits as imp_sin(x) and imp_cos(x), with errors of at most 1 ulp. NaN and infinity give two NaNs.
void impi_sincos(double x, double *out_s, double *out_c);

// Compute impi_sincos for each element of an array, faster than one element after another.
void impi_sincos_many(const double *x, int count, double *restrict out_s, double *restrict out_c);

#endif
