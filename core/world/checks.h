// Checks of arguments that several kinds of objects share: a status, and a text for imp_last_error.
#ifndef IMPI_CHECKS_H
#define IMPI_CHECKS_H

#include "model/property.h"
#include "world/world.h"

ImpStatus impi_check_quota(int limit, int count, const char *what, const char *name);
ImpStatus impi_check_vector(ImpVec2 v, double limit, const char *what, const char *unit);
ImpStatus impi_check_not_ground(const ImpWorld *world, int32_t body, const char *what); // the world's own body stays
ImpStatus impi_check_density(const ImpiBody *body, double density, double area, bool sensor);
ImpStatus impi_check_one_way(ImpVec2 direction);
// "lower 2 is above upper 1" and the like; the text names the joint.
ImpStatus impi_check_drive(const ImpDrive *drive, const char *joint, const char *coordinate);
// A number inside a property's range, finite, integral where asked; else an error that names owner and property.
ImpStatus impi_check_property(const ImpPropertyInfo *info, double value, const char *owner);
// The numbers of a definition that are not the default ones.
ImpStatus impi_check_definition(const ImpiProperty *table, int count, const void *definition, const void *defaults,
                                const char *owner);
const ImpiProperty *impi_world_property(ImpWorldProperty property);

#endif
