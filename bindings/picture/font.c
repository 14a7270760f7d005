// Glyph cache. Glyphs are rendered alone and at whole pixels, so they look the same everywhere.
#include "picture/font.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <SDL_ttf.h>

enum { SLOTS = 2 * FONT_GLYPHS }; // slots of the hash table, a power of two
// first size of the buffer for a font file, and largest size of a font file [bytes]
enum { ROOM = 1 << 19, MOST_BYTES = (1 << 26) };

typedef struct Face {
  TTF_Font *file; // null: the built-in font
  int file_size;  // size that SDL2_ttf is set to [px]
  char name[FONT_NAME];
  void *bytes; // bytes of the file, which SDL2_ttf reads later
} Face;

struct Font {
  Face faces[FONT_FACES];
  int face_count;
  uint32_t generation;
  int count;
  Glyph slots[SLOTS]; // hash table with open addressing, by size, face and code
};

// Usual locations of DejaVu Sans.
static const char *const places[] = {
    "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf", "/usr/share/fonts/dejavu-sans-fonts/DejaVuSans.ttf",
    "/usr/share/fonts/dejavu/DejaVuSans.ttf",          "/usr/share/fonts/TTF/DejaVuSans.ttf",
    "/usr/local/share/fonts/dejavu/DejaVuSans.ttf",    "/usr/local/share/fonts/DejaVuSans.ttf",
    "/opt/homebrew/share/fonts/DejaVuSans.ttf",        "/Library/Fonts/DejaVuSans.ttf",
};


static void forget(Font *font) {
  for (int i = 0; i < SLOTS; ++i) {
    free(font->slots[i].mask);
    font->slots[i] = (Glyph){.number = -1};
  }
  font->count = 0;
  font->generation++;
}


Font *font_create(void) {
  Font *font = calloc(1, sizeof *font);
  if (font == NULL) return NULL;
  font->face_count = 1;
  font_load(font, NULL, NULL);
  return font;
}


static void close_face(Face *face) {
  if (face->file != NULL) {
    TTF_CloseFont(face->file);
    TTF_Quit();
  }
  free(face->bytes);
  *face = (Face){0};
}


void font_destroy(Font *font) {
  if (font == NULL) return;
  for (int i = 0; i < font->face_count; ++i) close_face(&font->faces[i]);
  forget(font);
  free(font);
}


// Open a font from the bytes of a file. The face owns the bytes. On failure free the bytes, set `why` and return false.
static bool open_face(Face *face, void *bytes, size_t length, const char **why) {
  *face = (Face){.file_size = FONT_LARGEST, .bytes = bytes};
  if (TTF_Init() == 0) {
    face->file = TTF_OpenFontRW(SDL_RWFromConstMem(bytes, (int)length), 1, FONT_LARGEST);
    if (face->file == NULL) TTF_Quit();
  }
  if (face->file == NULL) {
    *why = TTF_GetError();
    close_face(face);
    return false;
  }
  TTF_SetFontHinting(face->file, TTF_HINTING_LIGHT);
  return true;
}


// Return the bytes of a file, which the caller frees; on failure set `why` and return NULL.
static void *read_whole(const char *path, size_t *length, const char **why) {
  FILE *file = fopen(path, "rb");
  char *bytes = NULL;
  size_t room = 0, got = 0;
  bool more = file != NULL;
  while (more) {
    room = 2 * room + ROOM;
    char *grown = room <= MOST_BYTES ? realloc(bytes, room) : NULL;
    if (grown == NULL) break;
    bytes = grown;
    got += fread(bytes + got, 1, room - got, file);
    more = got == room;
  }
  bool failed = file == NULL || ferror(file);
  *why = failed ? strerror(errno) : more ? "too large" : got == 0 ? "an empty file" : NULL;
  if (file != NULL) fclose(file);
  *length = got;
  if (*why == NULL) return bytes;
  free(bytes);
  return NULL;
}


// Read the whole file, because a sandboxed process cannot read it later.
bool font_load(Font *font, const char *path, const char **why) {
  Face opened = {.file_size = FONT_LARGEST};
  if (path != NULL) {
    size_t length;
    void *bytes = read_whole(path, &length, why);
    if (bytes == NULL || !open_face(&opened, bytes, length, why)) return false;
  }
  Face *face = &font->faces[0];
  close_face(face);
  *face = opened;
  const char *name = face->file != NULL ? TTF_FontFaceFamilyName(face->file) : "bitmap";
  SDL_snprintf(face->name, sizeof face->name, "%s", name != NULL ? name : "a font without a name");
  forget(font);
  return true;
}


int font_face(const Font *font, const char *name) {
  for (int i = 1; i < font->face_count && name != NULL; ++i) {
    if (strcmp(font->faces[i].name, name) == 0) return i;
  }
  return 0;
}


bool font_add(Font *font, const char *name, const void *bytes, size_t length, const char **why) {
  if (font_face(font, name) > 0) return true;
  *why = font->face_count == FONT_FACES ? "too many fonts" : "not enough memory";
  if (font->face_count == FONT_FACES || length == 0 || length > INT32_MAX) return false;
  Face *face = &font->faces[font->face_count];
  void *copy = malloc(length);
  if (copy == NULL) return false;
  memcpy(copy, bytes, length);
  if (!open_face(face, copy, length, why)) return false;
  SDL_snprintf(face->name, sizeof face->name, "%s", name);
  font->face_count++;
  return true;
}


void font_load_default(Font *font) {
  const char *why;
  for (size_t i = 0; i < sizeof places / sizeof *places; ++i) {
    SDL_RWops *there = SDL_RWFromFile(places[i], "rb");
    if (there == NULL) continue;
    SDL_RWclose(there);
    if (font_load(font, places[i], &why)) return;
  }
  font_load(font, NULL, NULL);
}


const char *font_name(const Font *font) { return font->faces[0].name; }
uint32_t font_generation(const Font *font) { return font->generation; }


// ---------------------------------------------------------------------------------------------------------------------
// Glyphs
// ---------------------------------------------------------------------------------------------------------------------

// Return the side of a pixel of the built-in font in screen pixels: about 5/48 of the font size, at least 1.
// Capitals have 7 pixels, so they are about 0.73 em high.
static int bitmap_scale(int size) {
  int scale = (size * 5 + 24) / 48;
  return scale > 0 ? scale : 1;
}


static bool draw_bitmap(Glyph *glyph) {
  int scale = bitmap_scale(glyph->size), top = BITMAP_ROWS, bottom = -1;
  glyph->advance = BITMAP_ADVANCE * scale;
  for (int row = 0; row < BITMAP_ROWS; ++row) {
    for (int column = 0; column < BITMAP_COLUMNS; ++column) {
      if (!font_bitmap_pixel(glyph->code, column, row)) continue;
      if (row < top) top = row;
      bottom = row;
    }
  }
  if (bottom < 0) return true;
  glyph->width = BITMAP_COLUMNS * scale;
  glyph->height = (bottom + 1 - top) * scale;
  glyph->top = (top - BITMAP_ABOVE) * scale;
  glyph->mask = malloc((size_t)glyph->width * (size_t)glyph->height);
  if (glyph->mask == NULL) return false;
  for (int y = 0; y < glyph->height; ++y) {
    for (int x = 0; x < glyph->width; ++x) {
      glyph->mask[y * glyph->width + x] = font_bitmap_pixel(glyph->code, x / scale, top + y / scale) ? 255 : 0;
    }
  }
  return true;
}


static void set_size(Face *face, int size) {
  if (face->file_size == size) return;
  TTF_SetFontSize(face->file, size);
  face->file_size = size;
}


// SDL2_ttf's image begins at the pen's x, or left of it by `-left` if the glyph begins at left < 0.
// The base line is below the top edge by the font's ascent.
static bool draw_file(Face *face, Glyph *glyph) {
  set_size(face, glyph->size);
  int left = 0, advance = 0;
  if (TTF_GlyphMetrics32(face->file, glyph->code, &left, NULL, NULL, NULL, &advance) != 0) return true;
  glyph->advance = advance;
  SDL_Surface *picture = TTF_RenderGlyph32_Blended(face->file, glyph->code, (SDL_Color){255, 255, 255, 255});
  if (picture == NULL) return true; // the glyph is blank, or cannot be rendered
  glyph->width = picture->w;
  glyph->height = picture->h;
  glyph->left = left < 0 ? left : 0;
  glyph->top = -TTF_FontAscent(face->file);
  glyph->mask = malloc((size_t)picture->w * (size_t)picture->h + 1);
  for (int y = 0; glyph->mask != NULL && y < picture->h; ++y) {
    const uint32_t *row = (const uint32_t *)(const void *)((const uint8_t *)picture->pixels + y * picture->pitch);
    for (int x = 0; x < picture->w; ++x) {
      glyph->mask[y * picture->w + x] = (uint8_t)((row[x] & picture->format->Amask) >> picture->format->Ashift);
    }
  }
  SDL_FreeSurface(picture);
  return glyph->mask != NULL;
}


const Glyph *font_glyph(Font *font, int face, int size, uint32_t code) {
  uint32_t hash = (code * 0x9E3779B1u) ^ ((uint32_t)(size + face * 1024) * 0x85EBCA6Bu);
  uint32_t place = (hash ^ hash >> 15) % SLOTS;
  while (font->slots[place].number >= 0) {
    Glyph *glyph = &font->slots[place];
    if (glyph->code == code && glyph->size == size && glyph->face == face) return glyph;
    place = (place + 1) % SLOTS;
  }
  if (font->count == FONT_GLYPHS) {
    forget(font);
    place = (hash ^ hash >> 15) % SLOTS;
  }
  Glyph glyph = {.code = code, .size = size, .face = face, .number = font->count};
  Face *drawn = &font->faces[face];
  if (!(drawn->file != NULL ? draw_file(drawn, &glyph) : draw_bitmap(&glyph))) return NULL;
  font->count++;
  font->slots[place] = glyph;
  return &font->slots[place];
}


// ---------------------------------------------------------------------------------------------------------------------
// Texts
// ---------------------------------------------------------------------------------------------------------------------

void font_heights(Font *font, int face, int size, int *out_above, int *out_below) {
  Face *of = &font->faces[face];
  if (of->file != NULL) {
    set_size(of, size);
    *out_above = TTF_FontAscent(of->file);
    *out_below = -TTF_FontDescent(of->file);
  } else {
    *out_above = BITMAP_ABOVE * bitmap_scale(size);
    *out_below = (BITMAP_ROWS - BITMAP_ABOVE) * bitmap_scale(size);
  }
}


int font_width(Font *font, int face, int size, const char *text) {
  int width = 0;
  uint32_t code;
  while ((code = font_next(&text)) != 0) {
    const Glyph *glyph = font_glyph(font, face, size, code);
    if (glyph != NULL && width < 1 << 24) width += glyph->advance;
  }
  return width;
}


uint32_t font_next(const char **text) {
  const uint8_t *s = (const uint8_t *)*text;
  static const struct {
    uint8_t mask, lead;
    int more;
    uint32_t least;
  } forms[] = {{0x80, 0x00, 0, 0}, {0xE0, 0xC0, 1, 0x80}, {0xF0, 0xE0, 2, 0x800}, {0xF8, 0xF0, 3, 0x10000}};
  if (*s == 0) return 0;
  for (int i = 0; i < 4; ++i) {
    if ((*s & forms[i].mask) != forms[i].lead) continue;
    uint32_t code = *s & (uint8_t)~forms[i].mask;
    int k = 1;
    while (k <= forms[i].more && (s[k] & 0xC0) == 0x80) code = code << 6 | (s[k++] & 0x3Fu);
    if (k <= forms[i].more || code < forms[i].least || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) break;
    *text += k;
    return code;
  }
  *text += 1;
  return 0xFFFD;
}
