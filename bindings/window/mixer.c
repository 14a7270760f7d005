// impel.mixer: sounds on an audio device. SDL2_mixer decodes files and opens the device; voices are mixed here, because
// SDL2_mixer's channels have no pitch.
//
//   local mixer = require "impel.mixer"
//   assert(mixer.open())
//   local sound = assert(mixer.load("hit.wav"))
//   local voice = mixer.play(sound, 1, 0.5, 0.5, 1, 1.2, false)
//
// With x the integer part of the position in the sound and `part` its fraction:
//   out[side] += gain[side] * (s[x] + (s[x + 1] - s[x]) * part),    position += pitch
// Gains change linearly over a block of the device, so a stop does not click.
// The device's thread calls mix_block. `mutex` guards shared data; only Lua's thread allocates and frees memory.
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <SDL.h>
#include <SDL_mixer.h>
#include <lauxlib.h>
#include <lua.h>

#if defined(__GNUC__)
#define MODULE_API __attribute__((visibility("default")))
#else
#define MODULE_API
#endif

#define SOUND_CLASS "impel.mixer.sound"

enum { SIDES = 2, VOICES = 32, RATE = 44100, BLOCK = 512 }; // of the audio device: RATE [frames/s], BLOCK [frames]
enum { LONGEST = 1 << 28 };                                 // largest size of a sound [bytes]: 25 minutes

// Only Lua's thread uses `next` and `uses`.
typedef struct Sound {
  struct Sound *next;
  // name of the file; NULL after forget(), so that load() decodes the file again
  char *path;
  int16_t *frames; // (count, SIDES)
  uint32_t count;
  int uses; // references by Lua and by voices
} Sound;

typedef enum VoiceState { VOICE_FREE, VOICE_PLAYS, VOICE_STOPS, VOICE_ENDED } VoiceState;

typedef struct Voice {
  VoiceState state; // VOICE_ENDED: the device's thread has finished the voice; the sound is not yet released
  Sound *sound;
  lua_Integer group, serial;
  float volume[SIDES], group_volume;
  float gain[SIDES];       // gain at the end of the last block
  uint64_t position, step; // [frames], fixed point with 32 fractional bits
  bool loop, paused;
} Voice;

static struct {
  bool is_open, paused;
  pid_t process; // process that opened the device; a forked child has no device thread, and must not lock `mutex`
  SDL_mutex *mutex;
  float volume;
  lua_Integer serial;
  Sound *sounds; // all existing sounds
  Voice voices[VOICES];
} mixer = {.volume = 1};

MODULE_API int luaopen_impel_mixer(lua_State *L);


static bool is_here(void) { return mixer.is_open && mixer.process == getpid(); }

static void lock(void) { SDL_LockMutex(mixer.mutex); }

static void unlock(void) { SDL_UnlockMutex(mixer.mutex); }


// ---------------------------------------------------------------------------------------------------------------------
// The device's thread
// ---------------------------------------------------------------------------------------------------------------------

// Wrap the position of a loop; return false after the end of the sound.
static bool find_position(Voice *voice) {
  uint64_t end = (uint64_t)voice->sound->count << 32;
  if (voice->position < end) return true;
  if (!voice->loop) return false;
  voice->position %= end;
  return true;
}


static void mix_voice(Voice *voice, float *out, int count) {
  const int16_t *frames = voice->sound->frames;
  float target[SIDES], slope[SIDES];
  for (int side = 0; side < SIDES; side++) {
    bool is_quiet = voice->state == VOICE_STOPS;
    target[side] = is_quiet ? 0.0f : voice->volume[side] * voice->group_volume * mixer.volume;
    slope[side] = (target[side] - voice->gain[side]) / (float)count;
  }
  for (int i = 0; i < count; i++) {
    if (!find_position(voice)) {
      voice->state = VOICE_ENDED;
      return;
    }
    uint32_t at = (uint32_t)(voice->position >> 32), next = at + 1;
    if (next == voice->sound->count) next = voice->loop ? 0 : at;
    float part = (float)(uint32_t)voice->position * 0x1p-32f;
    for (int side = 0; side < SIDES; side++) {
      float a = frames[SIDES * at + (uint32_t)side], b = frames[SIDES * next + (uint32_t)side];
      out[SIDES * i + side] += (a + (b - a) * part) * (voice->gain[side] + slope[side] * (float)i);
    }
    voice->position += voice->step;
  }
  memcpy(voice->gain, target, sizeof target);
  if (voice->state == VOICE_STOPS) voice->state = VOICE_ENDED;
}


static void mix_part(int16_t *out, int count) {
  float sum[SIDES * BLOCK] = {0};
  for (int v = 0; v < VOICES; v++) {
    Voice *voice = &mixer.voices[v];
    bool is_heard = (voice->state == VOICE_PLAYS || voice->state == VOICE_STOPS) && !voice->paused && !mixer.paused;
    if (is_heard) mix_voice(voice, sum, count);
    if (!is_heard && voice->state == VOICE_STOPS) voice->state = VOICE_ENDED;
  }
  for (int i = 0; i < SIDES * count; i++) out[i] = (int16_t)lrintf(fminf(fmaxf(sum[i], -32768), 32767));
}


// Called by the device for the next frames.
static void SDLCALL mix_block(void *data, Uint8 *stream, int bytes) {
  (void)data;
  int16_t *out = (void *)stream;
  int count = bytes / (int)(SIDES * sizeof *out);
  lock();
  for (int at = 0; at < count; at += BLOCK) mix_part(out + SIDES * at, count - at < BLOCK ? count - at : BLOCK);
  unlock();
}


// ---------------------------------------------------------------------------------------------------------------------
// Sounds and voices, in Lua's thread
// ---------------------------------------------------------------------------------------------------------------------

static void release(Sound *sound) {
  if (--sound->uses > 0) return;
  Sound **link = &mixer.sounds;
  while (*link != sound) link = &(*link)->next;
  *link = sound->next;
  SDL_free(sound->path);
  free(sound->frames);
  free(sound);
}


// Release the sounds of voices that have ended. The mutex must be locked.
static void free_ended(void) {
  for (int v = 0; v < VOICES; v++) {
    Voice *voice = &mixer.voices[v];
    if (voice->state != VOICE_ENDED) continue;
    release(voice->sound);
    *voice = (Voice){0};
  }
}


static float loudness(const Voice *voice) { return fmaxf(voice->volume[0], voice->volume[1]) * voice->group_volume; }


// Return whether voice a is replaced first: not looping, quieter, older.
static bool goes_first(const Voice *a, const Voice *b) {
  if (a->loop != b->loop) return b->loop;
  if (loudness(a) < loudness(b)) return true;
  return loudness(a) == loudness(b) && a->serial < b->serial;
}


// Return the slot for a new voice; NULL if all voices have priority over the new voice.
static Voice *find_place(const Voice *new_voice) {
  Voice *first = NULL;
  for (int v = 0; v < VOICES; v++) {
    Voice *voice = &mixer.voices[v];
    if (voice->state == VOICE_FREE) return voice;
    if (first == NULL || goes_first(voice, first)) first = voice;
  }
  return goes_first(new_voice, first) ? NULL : first;
}


static Sound *check_sound(lua_State *L, int index) {
  Sound **sound = luaL_checkudata(L, index, SOUND_CLASS);
  luaL_argcheck(L, *sound != NULL, index, "the sound was freed");
  return *sound;
}


static float check_gain(lua_State *L, int index) {
  lua_Number value = luaL_checknumber(L, index);
  luaL_argcheck(L, value >= 0 && value <= 1, index, "a number in [0, 1] expected");
  return (float)value;
}


static uint64_t check_step(lua_State *L, int index) {
  lua_Number pitch = luaL_checknumber(L, index);
  luaL_argcheck(L, pitch >= 0.25 && pitch <= 4, index, "a number in [0.25, 4] expected");
  return (uint64_t)llround(pitch * 0x1p32);
}


// Return the voice to which play() gave this number, while it plays, or NULL. The mutex must be locked.
static Voice *find_voice(lua_Integer number) {
  Voice *voice = &mixer.voices[(lua_Unsigned)number % VOICES];
  bool is_it = voice->state == VOICE_PLAYS && voice->serial == number / VOICES;
  return is_it ? voice : NULL;
}


// ---------------------------------------------------------------------------------------------------------------------
// Functions of the module
// ---------------------------------------------------------------------------------------------------------------------

static int fail(lua_State *L) {
  lua_pushnil(L);
  lua_pushstring(L, SDL_GetError());
  return 2;
}


// open() -> true; nil, message
static int open_device(lua_State *L) {
  lua_pushboolean(L, 1);
  if (is_here()) return 1;
  if (mixer.is_open) {
    lua_pushnil(L);
    lua_pushliteral(L, "the audio device belongs to the parent process");
    return 2;
  }
  SDL_SetHint(SDL_HINT_NO_SIGNAL_HANDLERS, "1"); // the program handles Ctrl-C itself
  SDL_SetHint(SDL_HINT_APP_NAME, "impel");
  if (mixer.mutex == NULL) mixer.mutex = SDL_CreateMutex();
  if (mixer.mutex == NULL || SDL_InitSubSystem(SDL_INIT_AUDIO) != 0) return fail(L);
  if (Mix_OpenAudioDevice(RATE, AUDIO_S16SYS, SIDES, BLOCK, NULL, 0) != 0) {
    int results = fail(L);
    SDL_QuitSubSystem(SDL_INIT_AUDIO);
    return results;
  }
  mixer.is_open = true, mixer.process = getpid();
  mixer.paused = false, mixer.volume = 1;
  Mix_HookMusic(mix_block, NULL);
  return 1;
}


// close(): end all voices and close the device
static int close_device(lua_State *L) {
  (void)L;
  if (!is_here()) return 0;
  Mix_HookMusic(NULL, NULL);
  Mix_CloseAudio();
  Mix_Quit();
  SDL_QuitSubSystem(SDL_INIT_AUDIO);
  mixer.is_open = false;
  for (int v = 0; v < VOICES; v++) {
    if (mixer.voices[v].state != VOICE_FREE) mixer.voices[v].state = VOICE_ENDED;
  }
  free_ended();
  return 0;
}


// __gc of a sound
static int free_sound(lua_State *L) {
  Sound **sound = luaL_checkudata(L, 1, SOUND_CLASS);
  if (*sound == NULL || (mixer.is_open && !is_here())) return 0; // a forked child must not lock the mutex
  if (mixer.is_open) lock();
  free_ended();
  release(*sound);
  *sound = NULL;
  if (mixer.is_open) unlock();
  return 0;
}


// Copy the frames of a decoded file; the file has the device's format. NULL if memory runs out.
static Sound *new_sound(const char *path, const Mix_Chunk *chunk) {
  Sound *sound = calloc(1, sizeof *sound);
  if (sound == NULL) return NULL;
  sound->count = chunk->alen / (Uint32)(SIDES * sizeof *sound->frames);
  sound->frames = malloc(chunk->alen);
  sound->path = SDL_strdup(path);
  if (sound->frames == NULL || sound->path == NULL) {
    SDL_free(sound->path);
    free(sound->frames);
    free(sound);
    return NULL;
  }
  memcpy(sound->frames, chunk->abuf, chunk->alen);
  sound->next = mixer.sounds;
  mixer.sounds = sound;
  return sound;
}


// Return the cached sound of a file, or NULL.
static Sound *find_sound(const char *path) {
  Sound *sound = mixer.sounds;
  while (sound != NULL && (sound->path == NULL || strcmp(sound->path, path) != 0)) sound = sound->next;
  return sound;
}


// Decode a file; on failure return NULL and the reason.
static Sound *decode(const char *path, const char **out_problem) {
  SDL_RWops *file = SDL_RWFromFile(path, "rb");
  Mix_Chunk *chunk = file != NULL ? Mix_LoadWAV_RW(file, 1) : NULL;
  *out_problem = SDL_GetError();
  if (chunk == NULL) return NULL;
  bool is_empty = chunk->alen < SIDES * sizeof(int16_t);
  *out_problem = is_empty ? "no samples in it" : chunk->alen > LONGEST ? "longer than 25 minutes" : "not enough memory";
  Sound *sound = is_empty || chunk->alen > LONGEST ? NULL : new_sound(path, chunk);
  Mix_FreeChunk(chunk);
  return sound;
}


// load(path) -> a decoded sound, shared by all loads of the file; nil, message
static int load_sound(lua_State *L) {
  const char *path = luaL_checkstring(L, 1), *problem = "no audio device is open";
  Sound **sound = lua_newuserdatauv(L, sizeof *sound, 0);
  *sound = NULL;
  luaL_setmetatable(L, SOUND_CLASS);
  if (is_here()) {
    *sound = find_sound(path);
    if (*sound == NULL) *sound = decode(path, &problem);
  }
  if (*sound != NULL) {
    (*sound)->uses++;
    return 1;
  }
  lua_pushnil(L);
  lua_pushstring(L, problem);
  return 2;
}


// forget(): later loads read their files again
static int forget_files(lua_State *L) {
  (void)L;
  for (Sound *sound = mixer.sounds; sound != NULL; sound = sound->next) {
    SDL_free(sound->path);
    sound->path = NULL;
  }
  return 0;
}


// play(sound, group, left, right, group_volume, pitch, loop) -> number of the voice, or nil
static int play(lua_State *L) {
  Voice voice = {.state = VOICE_PLAYS};
  voice.sound = check_sound(L, 1);
  voice.group = luaL_checkinteger(L, 2);
  for (int side = 0; side < SIDES; side++) voice.volume[side] = check_gain(L, 3 + side);
  voice.group_volume = check_gain(L, 5);
  voice.step = check_step(L, 6);
  voice.loop = lua_toboolean(L, 7);
  if (!is_here()) return 0;
  lock();
  for (int side = 0; side < SIDES; side++) voice.gain[side] = voice.volume[side] * voice.group_volume * mixer.volume;
  free_ended();
  voice.serial = ++mixer.serial;
  Voice *place = find_place(&voice);
  if (place != NULL) {
    voice.sound->uses++;
    if (place->state != VOICE_FREE) release(place->sound);
    *place = voice;
    lua_pushinteger(L, voice.serial * VOICES + (place - mixer.voices));
  }
  unlock();
  return place != NULL;
}


// set(voice, left, right, pitch, loop, paused)
static int set_voice(lua_State *L) {
  lua_Integer number = luaL_checkinteger(L, 1);
  float left = check_gain(L, 2), right = check_gain(L, 3);
  uint64_t step = check_step(L, 4);
  if (!is_here()) return 0;
  lock();
  Voice *voice = find_voice(number);
  if (voice != NULL) {
    voice->volume[0] = left, voice->volume[1] = right, voice->step = step;
    voice->loop = lua_toboolean(L, 5), voice->paused = lua_toboolean(L, 6);
  }
  unlock();
  return 0;
}


// stop(voice)
static int stop_voice(lua_State *L) {
  lua_Integer number = luaL_checkinteger(L, 1);
  if (!is_here()) return 0;
  lock();
  Voice *voice = find_voice(number);
  if (voice != NULL) voice->state = VOICE_STOPS;
  unlock();
  return 0;
}


// stop_group([group]): stop the voices of a group, or all voices
static int stop_group(lua_State *L) {
  lua_Integer group = luaL_optinteger(L, 1, 0);
  if (!is_here()) return 0;
  lock();
  for (int v = 0; v < VOICES; v++) {
    Voice *voice = &mixer.voices[v];
    if (voice->state == VOICE_PLAYS && (group == 0 || voice->group == group)) voice->state = VOICE_STOPS;
  }
  free_ended();
  unlock();
  return 0;
}


// set_group(group, volume)
static int set_group(lua_State *L) {
  lua_Integer group = luaL_checkinteger(L, 1);
  float volume = check_gain(L, 2);
  if (!is_here()) return 0;
  lock();
  for (int v = 0; v < VOICES; v++) {
    if (mixer.voices[v].group == group) mixer.voices[v].group_volume = volume;
  }
  unlock();
  return 0;
}


// set_volume(volume): overall volume
static int set_volume(lua_State *L) {
  float volume = check_gain(L, 1);
  if (!is_here()) return 0;
  lock();
  mixer.volume = volume;
  unlock();
  return 0;
}


// pause(paused): pause or continue all voices
static int pause_all(lua_State *L) {
  if (!is_here()) return 0;
  lock();
  mixer.paused = lua_toboolean(L, 1);
  unlock();
  return 0;
}


// counts() -> number of voices that play, number of sounds
static int counts(lua_State *L) {
  int playing = 0, sounds = 0;
  if (is_here()) {
    lock();
    free_ended();
    for (int v = 0; v < VOICES; v++) playing += mixer.voices[v].state != VOICE_FREE;
    unlock();
  }
  lua_pushinteger(L, playing);
  for (const Sound *sound = mixer.sounds; sound != NULL; sound = sound->next) sounds++;
  lua_pushinteger(L, sounds);
  return 2;
}


static const luaL_Reg functions[] = {
    {"open", open_device},
    {"close", close_device},
    {"load", load_sound},
    {"forget", forget_files},
    {"play", play},
    {"set", set_voice},
    {"stop", stop_voice},
    {"stop_group", stop_group},
    {"set_group", set_group},
    {"set_volume", set_volume},
    {"pause", pause_all},
    {"counts", counts},
    {NULL, NULL},
};


// Close the device by a finalizer, before the module is unloaded.
static void close_with_state(lua_State *L) {
  lua_newuserdatauv(L, 0, 0);
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, close_device);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);
  luaL_ref(L, LUA_REGISTRYINDEX);
}


int luaopen_impel_mixer(lua_State *L) {
  close_with_state(L);
  luaL_newmetatable(L, SOUND_CLASS);
  lua_pushcfunction(L, free_sound);
  lua_setfield(L, -2, "__gc");
  luaL_newlib(L, functions);
  return 1;
}
