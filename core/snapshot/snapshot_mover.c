// The state of character movers.
#include "snapshot/snapshot.h"

#include "base/layout_lines.h"

#define STRUCT ImpiMoverContact
static const ImpiField contact_fields[] = {PLAIN(serial, SHOWN("shape")),
                                           PLAIN(body, ASIDE),
                                           PLAIN(shape, ASIDE),
                                           PLAIN(child, SHOWN("piece")),
                                           PLAIN(flat, ASIDE),
                                           PLAIN(local, UP_TO(IMPI_MAX_REACH)),
                                           PLAIN(local_normal, ASIDE, UP_TO(2)),
                                           PLAIN(point, UP_TO(IMPI_MAX_REACH)),
                                           PLAIN(normal, UP_TO(2)),
                                           PLAIN(face, ASIDE, UP_TO(2)),
                                           PLAIN(velocity, UP_TO(IMPI_HUGE))};
static const ImpiLayout contact_layout = IMPI_LAYOUT(STRUCT, contact_fields, NULL);
#undef STRUCT

// Check only that slots are not negative; mover_walk.c checks the slots when it uses them.
static bool archive_mover(ImpiArchive *archive, void *object) {
  const ImpiMover *mover = object;
  const ImpiMoverContact *const contacts[] = {&mover->ground, &mover->wall, &mover->ceiling, &mover->pressed};
  for (int i = 0; i < IMPI_COUNT(contacts) && archive->mode == IMPI_ARCHIVE_READ; ++i) {
    if (contacts[i]->serial != 0 && (contacts[i]->shape < 0 || contacts[i]->body < 0)) {
      return impi_archive_refuse(archive);
    }
  }
  return true;
}

#define STRUCT ImpiMover
static const ImpiField mover_fields[] = {
    ANY_VALUE(value, ASIDE),
    PLAIN(body, ASIDE),
    PLAIN(own, SHOWN("own_velocity"), UP_TO(2 * IMPI_MOVER_FASTEST)),
    PLAIN(feet, UP_TO(IMPI_MAX_REACH)),
    PLAIN(base, UP_TO(IMPI_MAX_REACH)),
    PLAIN(drop_time, WITHIN(-1, IMP_MAX_TIME)),
    ANY_VALUE(press),
    ANY_VALUE(fall_speed),
    PARTS(ground, contact_layout, SHOWN("ground")),
    PARTS(wall, contact_layout, SHOWN("wall")),
    PARTS(ceiling, contact_layout, SHOWN("ceiling")),
    PARTS(pressed, contact_layout, SHOWN("pressed")),
};
const ImpiLayout impi_mover_layout = IMPI_LAYOUT(STRUCT, mover_fields, archive_mover);
#undef STRUCT
