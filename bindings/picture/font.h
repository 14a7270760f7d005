// Glyphs as masks of coverage: of a TrueType font by SDL2_ttf, or of the built-in bitmap font.
#ifndef IMPEL_BINDINGS_FONT_H
#define IMPEL_BINDINGS_FONT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Glyph {
  uint8_t *mask;     ///< coverage of 0 .. 255, row by row (width * height); null where there is nothing to see
  int width, height; ///< of the mask [px]
  int left, top;     ///< where the mask begins, from the pen on the base line; y down [px]
  int advance;       ///< of the pen [px]
  uint32_t code;     ///< the character
  int size;          ///< of the font [px]
  int face;          ///< of the font
  int number;        ///< place in the cache; -1: a free place
} Glyph;

typedef struct Font Font;

/// Sizes are those of the em, as usual for fonts: a line is about 1.2 times as high.
enum { FONT_SMALLEST = 4, FONT_LARGEST = 400, FONT_GLYPHS = 4096 };

/// Faces of a font: the first is the usual one, others are added by name.
enum { FONT_FACES = 32 };

/// A font that is the built-in one at first. Null: out of memory.
Font *font_create(void);
void font_destroy(Font *font);
/// Use a font file from now on, the built-in one where `path` is null; false with a text in `why`, and nothing changed.
bool font_load(Font *font, const char *path, const char **why);
/// Use DejaVu Sans where a usual folder has it; else the built-in font.
void font_load_default(Font *font);
/// Add the face of a font file, whose bytes are copied, under a name of at most FONT_NAME - 1 bytes; one that is there
/// already stays. False with a text in `why`.
enum { FONT_NAME = 256 };
bool font_add(Font *font, const char *name, const void *bytes, size_t length, const char **why);
/// The face of that name; the usual face for an unknown name and for null.
int font_face(const Font *font, const char *name);
/// "DejaVu Sans", ..., or "bitmap".
const char *font_name(const Font *font);

/// The glyph of a character; stays what it is until the font's generation changes. Null: out of memory.
const Glyph *font_glyph(Font *font, int face, int size, uint32_t code);
/// Counts the times that all glyphs were forgotten: another font, or too many of them.
uint32_t font_generation(const Font *font);
/// The height above and below the base line [px].
void font_heights(Font *font, int face, int size, int *out_above, int *out_below);
/// How far the pen moves over a text of UTF-8 [px].
int font_width(Font *font, int face, int size, const char *text);
/// The next character of a text; moves on. Broken bytes are U+FFFD, one each. 0 at the end.
uint32_t font_next(const char **text);

/// The built-in font: whether a pixel is set; columns 0 .. 4, rows 0 .. 8, the base line below row 6. Characters that it
/// lacks are a box.
enum { BITMAP_COLUMNS = 5, BITMAP_ROWS = 9, BITMAP_ABOVE = 7, BITMAP_ADVANCE = 6 };
bool font_bitmap_pixel(uint32_t code, int column, int row);

#endif
