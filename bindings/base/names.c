// Finds the nearest match for a misspelt name.
#include <stdbool.h>
#include <string.h>

#include "base/names.h"

enum { MAX_WORD = 40 }; // longer words are not compared, because all names of impel are shorter


static int min2(int a, int b) { return a < b ? a : b; }


// Return the edit distance of two words (insert, delete, replace, swap of neighbours).
static int edits(const char *a, const char *b) {
  int n = (int)strlen(a), m = (int)strlen(b);
  if (n > MAX_WORD || m > MAX_WORD) return MAX_WORD;
  int row[3][MAX_WORD + 1]; // the last three rows of the table of edit distances
  for (int i = 0; i <= n; i++) {
    int *now = row[i % 3], *up = row[(i + 2) % 3], *up2 = row[(i + 1) % 3];
    for (int j = 0; j <= m; j++) {
      if (i == 0 || j == 0) {
        now[j] = i + j;
        continue;
      }
      int cost = a[i - 1] != b[j - 1];
      now[j] = min2(min2(up[j] + 1, now[j - 1] + 1), up[j - 1] + cost);
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) now[j] = min2(now[j], up2[j - 2] + 1);
    }
  }
  return row[n % 3][m];
}


void bind_offer(Nearest *nearest, const char *name) {
  int length = (int)strlen(nearest->word);
  int limit = length <= 3 ? 1 : length <= 6 ? 2 : 3;
  int distance = edits(nearest->word, name);
  if (distance <= limit && (!nearest->best || distance < nearest->distance)) {
    nearest->best = name;
    nearest->distance = distance;
  }
}


void bind_snake(const char *name, char *out, size_t size) {
  size_t n = 0;
  for (size_t i = 0; name[i] && n + 2 < size; i++) {
    bool upper = name[i] >= 'A' && name[i] <= 'Z';
    bool after_lower = i > 0 && name[i - 1] >= 'a' && name[i - 1] <= 'z';
    if (upper && after_lower) out[n++] = '_';
    out[n++] = (char)(upper ? name[i] - 'A' + 'a' : name[i]);
  }
  out[n] = '\0';
}
