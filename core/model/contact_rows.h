// Rows of contacts.
#ifndef IMPI_CONTACT_ROWS_H
#define IMPI_CONTACT_ROWS_H

#include "model/contact.h"
#include "model/row.h"

#define IMPI_MAX_CONTACT_ROWS 5 // two normal rows, two friction rows, one rolling row

// Write the rows of a contact at the bodies' present poses: normal rows, friction rows, rolling row. start_a, start_b:
// poses when the manifold was computed. c is the present separation. bias is the negative surface speed in friction
// rows, 0 in other rows; a solver adds its own bias. `base`: index of rows[0] in the solver's list. Return the number
// of rows.
int impi_contact_rows(ImpiContact *contact, const ImpiBody *bodies, const ImpiMotion *motions,
                      const ImpiMotion *start_a, const ImpiMotion *start_b, int32_t base, ImpiRow *rows);

#endif
