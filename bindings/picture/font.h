// Glyphs as coverage masks, of TrueType fonts (by SDL2_ttf) or of the built-in bitmap font.
#ifndef IMPEL_BINDINGS_FONT_H
#define IMPEL_BINDINGS_FONT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Glyph {
  uint8_t *mask;     ///< coverage of 0 .. 255, row by row (width * height); null if the glyph is blank
  int width, height; ///< size of the mask [px]
  int left, top;     ///< position of the mask relative to the pen on the base line; y down [px]
  int advance;       ///< distance to the next position of the pen [px]
  uint32_t code;     ///< the character
  int size;          ///< size of the font [px]
  int face;          ///< number of the face
  int number;        ///< index in the cache; -1: an empty slot
} Glyph;

typedef struct Font Font;

/// Smallest and largest size (em) of a font [px], and number of cached glyphs
enum { FONT_SMALLEST = 4, FONT_LARGEST = 400, FONT_GLYPHS = 4096 };

/// Largest number of faces of a font. Face 0 is the default, font_add adds other faces by name.
enum { FONT_FACES = 32 };

/// Create a font whose default face is the built-in font. Null: out of memory.
Font *font_create(void);
void font_destroy(Font *font);
/// Load a font file as face 0, or the built-in font for null. On failure return false, set `why` and change nothing.
bool font_load(Font *font, const char *path, const char **why);
/// Load DejaVu Sans from a usual folder, or the built-in font if no usual folder has DejaVu Sans.
void font_load_default(Font *font);
/// Add a face from a copy of a font file's bytes. If the font has a face of this name, return true and change nothing.
/// `name`: less than FONT_NAME bytes. On failure return false and set `why`.
enum { FONT_NAME = 256 };
bool font_add(Font *font, const char *name, const void *bytes, size_t length, const char **why);
/// Return the face with that name; the default face for an unknown name and for null.
int font_face(const Font *font, const char *name);
/// Return the name of the default face: "DejaVu Sans", ..., or "bitmap".
const char *font_name(const Font *font);

/// Return the glyph of a character, valid until the font's generation changes. Null: out of memory.
const Glyph *font_glyph(Font *font, int face, int size, uint32_t code);
/// Return how often the glyph cache was cleared. font_load clears the cache, and font_glyph clears it when it is full.
/// Clearing the cache invalidates all glyphs.
uint32_t font_generation(const Font *font);
/// Get the height above and below the base line [px].
void font_heights(Font *font, int face, int size, int *out_above, int *out_below);
/// Return the advance of the pen over a UTF-8 text [px].
int font_width(Font *font, int face, int size, const char *text);
/// Return the next character of UTF-8, 0 at the end, U+FFFD if invalid; advance `text`.
uint32_t font_next(const char **text);

/// Return whether a pixel of the built-in font is set. Columns 0 .. 4, rows 0 .. 8 from the top.
/// The base line is above row 7. A missing character is a box.
enum { BITMAP_COLUMNS = 5, BITMAP_ROWS = 9, BITMAP_ABOVE = 7, BITMAP_ADVANCE = 6 };
bool font_bitmap_pixel(uint32_t code, int column, int row);

#endif
