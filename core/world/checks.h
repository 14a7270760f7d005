// Checks of arguments. Each returns a status and sets the text of imp_last_error.
#ifndef IMPI_CHECKS_H
#define IMPI_CHECKS_H

#include "model/property.h"
#include "world/world.h"

ImpStatus impi_check_quota(int limit, int count, const char *what, const char *name);
ImpStatus impi_check_vector(ImpVec2 v, double limit, const char *what, const char *unit);
// Return an error if the body is the ground body.
ImpStatus impi_check_not_ground(const ImpWorld *world, int32_t body, const char *what);
ImpStatus impi_check_density(const ImpiBody *body, double density, double area, bool sensor);
ImpStatus impi_check_one_way(ImpVec2 direction);
// Check the numbers of a drive. The error names the joint and the coordinate.
ImpStatus impi_check_drive(const ImpDrive *drive, const char *joint, const char *coordinate);
// Check that a value is in the range of a property, and integral unless the property is a real number. NaN is valid
// only if the property is optional. `owner`: kind of object, for the error.
ImpStatus impi_check_property(const ImpPropertyInfo *info, double value, const char *owner);
// Check the numbers of a definition that differ from the defaults.
ImpStatus impi_check_definition(const ImpiProperty *table, int count, const void *definition, const void *defaults,
                                const char *owner);
const ImpiProperty *impi_world_property(ImpWorldProperty property);

#endif
