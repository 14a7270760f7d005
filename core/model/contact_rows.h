// Rows of contacts: the only definition of a contact's rows.
#ifndef IMPI_CONTACT_ROWS_H
#define IMPI_CONTACT_ROWS_H

#include "model/contact.h"
#include "model/row.h"

#define IMPI_MAX_CONTACT_ROWS 5 // two normal rows, two friction rows, one rolling row

// Write the rows of a contact at the bodies' present poses, given their poses when the manifold was computed: normal
// rows first, then friction, then rolling. c is the present separation. bias is 0, except in friction rows, where it is
// the surface speed, negated; a solver adds its own bias. `base` is the index that rows[0] will have in the solver's
// list. Return how many rows were written.
int impi_contact_rows(ImpiContact *contact, const ImpiBody *bodies, const ImpiMotion *motions,
                      const ImpiMotion *start_a, const ImpiMotion *start_b, int32_t base, ImpiRow *rows);

#endif
