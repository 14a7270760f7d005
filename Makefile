# impel: build, run, test, install. `make help` lists the targets.
#
# Everything is built outside the sources, in $(B). CC, CFLAGS, LUA, PREFIX and DESTDIR may be given; what the results
# depend on (the standard, no fused multiply-add, hidden symbols) is in BASE and stays.

B      ?= build
CC     := $(if $(filter default,$(origin CC)),gcc,$(CC))
CXX    := $(if $(filter default,$(origin CXX)),g++,$(CXX))
CFLAGS ?= -O3
LUA    ?= lua5.4
PREFIX ?= /usr/local
WERROR ?=

VERSION := $(shell sed -En 's/^.define IMP_VERSION_(MAJOR|MINOR|PATCH) //p' core/impel.h | paste -sd.)
SOVERSION := 0

# gcc vectorizes some loops with fused multiply-add/subtract in spite of -ffp-contract=off, when CFLAGS allow FMA or
# AVX-512, which has fused instructions of its own. These flags follow CFLAGS. Kernels get AVX-512 again below.
MACHINE := $(shell $(CC) -dumpmachine 2>/dev/null)
X86_64 := $(findstring x86_64,$(MACHINE))
X86_32 := $(filter i386-% i486-% i586-% i686-%,$(MACHINE))
NO_FMA := $(if $(X86_64)$(X86_32),-mno-fma -mno-fma4 -mno-avx512f)
# 32-bit x86 computes in the registers of SSE2, which round to double and to float as all others do.
SSE2   := $(if $(X86_32),-msse2 -mfpmath=sse)
# 32-bit systems: sizes of files, their inodes and limits of processes are numbers of 64 bits there, too.
WIDE   := -D_FILE_OFFSET_BITS=64

WARN := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wdouble-promotion -Wmissing-prototypes -Wundef
BASE := -std=c17 -ffp-contract=off -fno-fast-math -fno-math-errno -fno-tree-slp-vectorize -fvisibility=hidden -fPIC -fno-plt \
        -pthread -MMD -MP -Icore $(NO_FMA) $(SSE2) $(WIDE)
COMPILE = $(CC) $(CFLAGS) $(BASE) $(WARN) $(WERROR) $(EXTRA) $(ISA)
LINK    = $(CC) $(CFLAGS) -pthread $(EXTRA) $(LDFLAGS)

# pkg-config is asked when something needs Lua, not before: it may be installed only then.
LUA_PC     = $(shell for p in lua5.4 lua-5.4 lua54 lua; do \
               pkg-config --exists $$p 2>/dev/null && echo $$p && break; done)
LUA_CFLAGS = $(shell pkg-config --cflags $(LUA_PC))
LUA_LIBS   = $(or $(wildcard $(shell pkg-config --variable=libdir $(LUA_PC))/lib$(LUA_PC).a),\
               $(shell pkg-config --libs $(LUA_PC))) -lm -ldl

# Editing of lines in impel repl, where libedit is.
HAS_EDIT := $(shell echo '\#include <histedit.h>' | $(CC) -E -x c - >/dev/null 2>&1 && echo yes)
EDIT_LIBS = $(or $(shell pkg-config --libs libedit 2>/dev/null),-ledit)

# Windows and pictures, where SDL2 and what belongs to it are.
WINDOW_PC  := sdl2 SDL2_ttf libpng
HAS_WINDOW := $(shell pkg-config --exists $(WINDOW_PC) 2>/dev/null && echo yes)
WINDOW_CFLAGS = $(shell pkg-config --cflags $(WINDOW_PC))
WINDOW_LIBS   = $(shell pkg-config --libs $(WINDOW_PC))

# Sounds, where SDL2_mixer is.
HAS_MIXER := $(shell pkg-config --exists SDL2_mixer 2>/dev/null && echo yes)
MIXER_CFLAGS = $(shell pkg-config --cflags SDL2_mixer)
MIXER_LIBS   = $(shell pkg-config --libs SDL2_mixer)

# A ring of the sandbox, where libseccomp is.
HAS_SECCOMP := $(shell pkg-config --exists libseccomp 2>/dev/null && echo yes)
SECCOMP_LIBS = $(shell pkg-config --libs libseccomp)

SYSTEM := $(shell uname -s)
ifeq ($(SYSTEM),Darwin)
SHARED  := -dynamiclib -install_name @rpath/libimpel.$(SOVERSION).dylib
MODULE  := -bundle -undefined dynamic_lookup
EXPORT  := -Wl,-export_dynamic
else
SHARED  := -shared -Wl,-soname,libimpel.so.$(SOVERSION)
MODULE  := -shared -Wl,--exclude-libs,ALL -Wl,-Bsymbolic-functions
EXPORT  := -Wl,-E
endif

# Kernels are compiled once per instruction set; on other machines these files compile to nothing.
ifneq ($(X86_64),)
$(B)/core/%_avx2.o:   ISA := -mavx2
$(B)/core/%_avx512.o: ISA := -mavx512f -mavx512vl -mavx512dq
endif

# Vectors wider than the machine's are passed between inlined functions only.
$(B)/spec/test_lanes: private ISA := -Wno-psabi

CORE     := $(patsubst %.c,$(B)/%.o,$(wildcard core/*.c))
WINDOW_C := $(wildcard bindings/window*.c bindings/surface*.c bindings/paint*.c bindings/font*.c bindings/image.c)
SECCOMP_C := $(wildcard bindings/seccomp*.c)
BINDINGS := $(patsubst %.c,$(B)/%.o,$(filter-out bindings/main.c bindings/editline.c bindings/mixer.c \
              $(SECCOMP_C) $(WINDOW_C),$(wildcard bindings/*.c)))
WINDOW_O := $(patsubst %.c,$(B)/%.o,$(WINDOW_C))
WINDOW   := $(if $(HAS_WINDOW),$(B)/lua/impel/window.so)
EDITLINE := $(if $(HAS_EDIT),$(B)/lua/impel/editline.so)
MIXER    := $(if $(HAS_MIXER),$(B)/lua/impel/mixer.so)
SECCOMP_O := $(patsubst %.c,$(B)/%.o,$(SECCOMP_C))
SECCOMP  := $(if $(HAS_SECCOMP),$(B)/lua/impel/seccomp.so)
SPECS    := $(patsubst spec/c/%.c,$(B)/spec/%,$(wildcard spec/c/test_*.c))
# Fuzz targets, in C and in Lua; each is also a spec that goes through its corpus once.
FUZZED     := $(patsubst spec/fuzz/%.lua,%,$(wildcard spec/fuzz/*.lua)) \
              $(patsubst spec/fuzz/%.c,%,$(filter-out %/lua_target.c,$(wildcard spec/fuzz/*.c)))
REPLAYS    := $(FUZZED:%=$(B)/spec/replay_%)
FUZZERS    := $(FUZZED:%=$(B)/fuzzer/%)
FUZZ_FLAGS  = -Wno-double-promotion -Ispec/c -Ispec/fuzz -D_DEFAULT_SOURCE -DCORPUS='"spec/fuzz/corpus/$*"' -MF $@.d
DEMO     := $(patsubst spec/c/%.c,$(B)/spec/%,$(wildcard spec/c/demo.c))
PEERS    := $(patsubst spec/bench/%.c,$(B)/bench/%,$(wildcard spec/bench/*.c)) \
            $(patsubst spec/bench/%.cpp,$(B)/bench/%,$(wildcard spec/bench/*.cpp)) $(B)/bench/lua_floor.so
# Other engines are measured where they are there; which, is asked when make bench has installed what it can.
HAS_CHIPMUNK = $(shell echo '\#include <chipmunk/chipmunk.h>' | $(CC) -E -x c - >/dev/null 2>&1 && echo yes)
HAS_BOX2D    = $(shell echo '\#include <box2d/box2d.h>' | $(CXX) -E -x c++ - >/dev/null 2>&1 && echo yes)
MEASURED     = $(filter-out $(if $(HAS_CHIPMUNK),,%chipmunk) $(if $(HAS_BOX2D),,%box2d),$(PEERS))
JUDGED   := $(B)/truth/box2d $(B)/truth/chipmunk
HEADERS  := $(sort $(wildcard core/impel*.h)) # the public header and its chapters
BUILT    := $(B)/impel $(B)/lua/impel/core.so $(B)/libimpel.a $(B)/libimpel.so $(EDITLINE) $(WINDOW) $(MIXER) $(SECCOMP)
# Annotations for editors: the program writes them, and finds its scripts from build/ and build/x.
META     := $(if $(filter /% ../%,$(B))$(word 3,$(subst /, ,$(B))),,$(B)/impel.meta.lua)

MAKEFLAGS += --no-print-directory
.PHONY: build all specs run test check gate gate-update situations asan tsan msan valgrind coverage bench truth \
        gallery fuzz fuzzers changed-snapshots changed-recordings oom soak replays determinism neon bits32 mutants install \
        uninstall clean help
.DELETE_ON_ERROR:

build all: $(BUILT) $(META) ## build the program, the module and the libraries (the default)
	@$(if $(HAS_EDIT),:,echo 'built without libedit (Debian: libedit-dev): impel repl reads plain lines')
	@$(if $(HAS_SECCOMP),:,echo 'built without libseccomp (Debian: libseccomp-dev): impel run --sandbox lacks a ring')
	@$(if $(HAS_WINDOW),:,echo 'built without SDL2 (Debian: libsdl2-dev libsdl2-ttf-dev libpng-dev): no window and no pictures; SVG and runs work')
	@$(if $(HAS_MIXER),:,echo 'built without SDL2_mixer (Debian: libsdl2-mixer-dev): impel.sound is silent')


# Building -------------------------------------------------------------------------------------------------------------

$(B)/core/%.o: core/%.c Makefile
	@mkdir -p $(@D)
	$(COMPILE) -c -o $@ $<

$(B)/bindings/%.o: bindings/%.c Makefile
	@mkdir -p $(@D)
	$(COMPILE) $(LUA_CFLAGS) -c -o $@ $<

$(WINDOW_O): $(B)/bindings/%.o: bindings/%.c Makefile
	@mkdir -p $(@D)
	$(COMPILE) $(LUA_CFLAGS) $(WINDOW_CFLAGS) -c -o $@ $<

$(B)/bindings/mixer.o: bindings/mixer.c Makefile
	@mkdir -p $(@D)
	$(COMPILE) $(LUA_CFLAGS) $(MIXER_CFLAGS) -c -o $@ $<

$(B)/libimpel.a: $(CORE)
	@rm -f $@
	$(AR) rcs $@ $(CORE)

$(B)/libimpel.so: $(CORE)
	$(LINK) $(SHARED) -o $@ $(CORE) -lm
	@ln -sf libimpel.so $@.$(SOVERSION)

$(B)/lua/impel/core.so: $(BINDINGS) $(B)/libimpel.a
	@mkdir -p $(@D)
	$(LINK) $(MODULE) -o $@ $(BINDINGS) $(B)/libimpel.a -lm

$(B)/lua/impel/editline.so: $(B)/bindings/editline.o
	@mkdir -p $(@D)
	$(LINK) $(MODULE) -o $@ $< $(EDIT_LIBS)

$(B)/lua/impel/mixer.so: $(B)/bindings/mixer.o
	@mkdir -p $(@D)
	$(LINK) $(MODULE) -o $@ $< $(MIXER_LIBS) -lm

$(B)/lua/impel/seccomp.so: $(SECCOMP_O)
	@mkdir -p $(@D)
	$(LINK) $(MODULE) -o $@ $^ $(SECCOMP_LIBS)

$(B)/lua/impel/window.so: $(WINDOW_O) $(B)/libimpel.a
	@mkdir -p $(@D)
	$(LINK) $(MODULE) -o $@ $^ $(WINDOW_LIBS) -lm

$(B)/impel: $(B)/bindings/main.o $(BINDINGS) $(B)/libimpel.a
	$(LINK) $(EXPORT) -o $@ $^ $(LUA_LIBS)

$(B)/impel.meta.lua: $(B)/impel $(wildcard scripts/impel/*.lua scripts/impel/*/*.lua)
	$(B)/impel api --annotations > $@

# Specs are optimized less than the library: they compile in half the time.
SPEC_LEVEL = $(if $(filter -O3,$(CFLAGS)),-O1)

# NAN and INFINITY are floats, and clang tells where they become doubles.
$(B)/spec/test_%: spec/c/test_%.c $(B)/libimpel.a
	@mkdir -p $(@D)
	$(COMPILE) $(SPEC_LEVEL) -Wno-double-promotion -Ispec/c -MF $@.d -o $@ $< $(B)/libimpel.a $(LDFLAGS) -lm

# The rings of the sandbox are compiled into their spec.
$(B)/spec/test_sandbox: private ISA := -Ibindings $(if $(HAS_SECCOMP),-DHAS_SECCOMP)
$(B)/spec/test_sandbox: private LDFLAGS += $(if $(HAS_SECCOMP),$(SECCOMP_LIBS))

# What reads snapshots and recordings, with a call in each basic block, for the spec that counts them.
COUNTED := $(patsubst core/%.c,$(B)/counted/%.o,$(wildcard core/archive.c core/snapshot*.c core/replay*.c core/record*.c \
             core/code*.c core/world_valid*.c core/pair_map.c core/pool.c core/array.c core/block.c core/tree*.c \
             core/broadphase*.c core/world_state.c))
$(B)/counted/%.o: core/%.c Makefile
	@mkdir -p $(@D)
	$(COMPILE) -O1 -fsanitize-coverage=trace-pc -c -o $@ $<

# Objects that come before the library are taken in place of its own.
COUNTING := $(B)/spec/test_reading $(foreach name,snapshots recordings,$(B)/spec/replay_$(name) $(B)/fuzzer/$(name))
$(COUNTING): $(COUNTED)
$(COUNTING): private ISA := $(COUNTED) -Wl,--wrap=__sanitizer_cov_trace_pc

# A target with its own main, and with libFuzzer's.
$(B)/spec/replay_%: spec/fuzz/%.c $(B)/libimpel.a
	@mkdir -p $(@D)
	$(COMPILE) $(FUZZ_FLAGS) -o $@ $< $(B)/libimpel.a $(LDFLAGS) -lm

$(B)/spec/replay_%: spec/fuzz/%.lua spec/fuzz/lua_target.c $(BINDINGS) $(B)/libimpel.a
	@mkdir -p $(@D)
	$(COMPILE) $(LUA_CFLAGS) $(FUZZ_FLAGS) -DSCRIPT='"$<"' -o $@ spec/fuzz/lua_target.c $(BINDINGS) $(B)/libimpel.a $(LDFLAGS) $(LUA_LIBS)

$(B)/fuzzer/%: spec/fuzz/%.c $(B)/libimpel.a
	@mkdir -p $(@D)
	$(COMPILE) $(FUZZ_FLAGS) -DFUZZER -fsanitize=fuzzer -o $@ $< $(B)/libimpel.a $(LDFLAGS) -lm

$(B)/fuzzer/%: spec/fuzz/%.lua spec/fuzz/lua_target.c $(BINDINGS) $(B)/libimpel.a
	@mkdir -p $(@D)
	$(COMPILE) $(LUA_CFLAGS) $(FUZZ_FLAGS) -DFUZZER -DSCRIPT='"$<"' -fsanitize=fuzzer -o $@ spec/fuzz/lua_target.c $(BINDINGS) $(B)/libimpel.a \
	  $(LDFLAGS) $(LUA_LIBS)

# Calls that change files fail, for a spec in Lua. A sanitizer would have to come before it.
$(B)/spec/failing_files.so: spec/faults/failing_files.c
	@mkdir -p $(@D)
	$(CC) -O1 -Wall -Wextra -shared -fPIC -o $@ $< -ldl

# Lua and its bindings are compiled into this one.
$(B)/spec/test_lua_memory: spec/c/test_lua_memory.c $(BINDINGS) $(B)/libimpel.a
	@mkdir -p $(@D)
	$(COMPILE) $(LUA_CFLAGS) -Wno-double-promotion -Ispec/c -MF $@.d -o $@ $< $(BINDINGS) $(B)/libimpel.a $(LDFLAGS) \
	  $(LUA_LIBS)

$(B)/spec/demo: spec/c/demo.c $(B)/libimpel.so
	@mkdir -p $(@D)
	$(COMPILE) -MF $@.d -o $@ $< $(LDFLAGS) -L$(B) -limpel -Wl,-rpath,'$$ORIGIN/..' -lm

$(B)/bench%chipmunk: PEER_LIBS := -lchipmunk

$(B)/bench/%: spec/bench/%.c $(B)/libimpel.a
	@mkdir -p $(@D)
	$(COMPILE) -MF $@.d -o $@ $< $(B)/libimpel.a $(LDFLAGS) $(PEER_LIBS) -lm

$(B)/bench/%: spec/bench/%.cpp
	@mkdir -p $(@D)
	$(CXX) -std=c++17 $(CFLAGS) -MMD -MP -MF $@.d -o $@ $< $(LDFLAGS) -lbox2d

$(B)/bench/lua_floor: spec/bench/lua_floor.c $(BINDINGS) $(B)/libimpel.a
	@mkdir -p $(@D)
	$(COMPILE) $(LUA_CFLAGS) -DFLOOR_MAIN $(EXPORT) -MF $@.d -o $@ $^ $(LUA_LIBS)

$(B)/bench/lua_floor.so: spec/bench/lua_floor.c
	@mkdir -p $(@D)
	$(COMPILE) $(LUA_CFLAGS) $(MODULE) -MF $@.d -o $@ $<

$(B)/bench/counter.so: spec/bench/counter.c
	@mkdir -p $(@D)
	$(COMPILE) $(LUA_CFLAGS) $(MODULE) -MF $@.d -o $@ $<

$(B)/truth/%: spec/truth/%.c
	@mkdir -p $(@D)
	$(COMPILE) -MF $@.d -o $@ $< $(LDFLAGS) -lchipmunk -lm

$(B)/truth/%: spec/truth/%.cpp
	@mkdir -p $(@D)
	$(CXX) -std=c++17 $(CFLAGS) -MMD -MP -MF $@.d -o $@ $< $(LDFLAGS) -lbox2d

specs: $(SPECS) $(REPLAYS) $(DEMO) $(if $(filter Linux,$(SYSTEM)),$(B)/spec/failing_files.so)

# What a target needs of the system, installed where it is missing; the stamp makes the second time free.
$(B)/deps.%: .ci/deps
	@mkdir -p $(B)
	@sh .ci/deps $*
	@touch $@

-include $(CORE:.o=.d) $(COUNTED:.o=.d) $(BINDINGS:.o=.d) $(B)/bindings/main.d $(B)/bindings/editline.d $(B)/bindings/mixer.d $(WINDOW_O:.o=.d) $(SECCOMP_O:.o=.d) $(SPECS:=.d) $(REPLAYS:=.d) $(FUZZERS:=.d) $(DEMO:=.d) $(PEERS:=.d) $(JUDGED:=.d)


# Using ----------------------------------------------------------------------------------------------------------------

run: $(B)/deps.build ## build and run the pyramid: result table, trace in build/pyramid.csv, check
	@$(MAKE) build
	$(B)/impel run examples/pyramid.lua --check --trace $(B)/pyramid.csv

test: $(B)/deps.test ## build, then run the C specs and the Lua specs; closes with `N passed, N failed`
	@$(MAKE) build specs
	@LUA=$(LUA) sh spec/run.sh $(B) $(SPECS) $(REPLAYS) $(DEMO)

check: $(B)/deps.check ## test, and before it: no warnings of gcc and clang, luacheck, clang-format, levels, bits32, gate, scale
	@$(MAKE) B=$(B)/gcc CC=gcc WERROR=-Werror build specs
	@$(MAKE) B=$(B)/clang CC=clang WERROR=-Werror build specs
	luacheck --quiet scripts examples spec
	clang-format --dry-run -Werror $(wildcard core/*.[ch] bindings/*.[ch] spec/c/*.[ch] spec/fuzz/*.[ch] spec/faults/*.c)
	$(LUA) spec/levels.lua
	@if command -v i686-linux-gnu-gcc >/dev/null; then $(MAKE) WERROR=-Werror bits32; fi
	@$(MAKE) gate
	@$(MAKE) scale
	@$(MAKE) test

# Counts do not depend on the flags that a user gives. Each compiler has a folder of its own.
GATE_CC := $(filter-out -%,$(CC))
GATE    := $(B)/gate-$(notdir $(lastword $(GATE_CC)))
GATED   := B=$(GATE) CC='$(GATE_CC)' CFLAGS=-O3 EXTRA= LDFLAGS= WERROR=
COUNT    = $(LUA) spec/gate.lua $(GATE) "$$($(GATE_CC) --version | head -n 1)"

gate: $(B)/deps.gate ## instructions and cache misses of short scenes, against spec/gate.counts (2 minutes)
	@$(MAKE) $(GATED) $(GATE)/bench/impel
	@$(COUNT)

gate-update: $(B)/deps.gate ## write new numbers to spec/gate.counts
	@$(MAKE) $(GATED) $(GATE)/bench/impel
	@$(COUNT) --update

scale: $(B)/deps.gate ## how the cost of each operation grows with n, in instructions; fails above n^1.2 (10 minutes); ARGS="PATTERN MOST"
	@$(MAKE) build $(B)/bench/counter.so
	@LUA=$(LUA) $(LUA) spec/scale.lua $(B) $(ARGS)

# Plain Lua runs busted and loads the instrumented module, so the sanitizer comes in first by LD_PRELOAD; leaks are
# looked for in the C specs only, where no interpreter holds memory to the end.
ASAN := B=$(B)/asan CC=gcc CFLAGS='-O1 -g' EXTRA='-fsanitize=address,undefined -fno-sanitize-recover=all -DIMPI_CHECKED'

asan: $(B)/deps.test ## all specs under the address and undefined-behaviour sanitizers, with internal checks on
	@$(MAKE) $(ASAN) build specs
	@LUA=$(LUA) LUA_PRELOAD=$$(gcc -print-file-name=libasan.so) sh spec/run.sh $(B)/asan \
	  $(patsubst $(B)/%,$(B)/asan/%,$(SPECS) $(REPLAYS) $(DEMO))

# The address sanitizer and memcheck say nothing of races, the thread sanitizer nothing of memory; helgrind and drd do not
# know the atomics of C, by which workers and those who wait for them agree: the C specs have all that workers do, Lua has no
# threads. The memory sanitizer wants all code to be its own, so it sees the C specs alone: the core has no library but C's.
# Memcheck sees Lua as well. ONLY=test_threads and more: those C specs; IN_LUA='state rows': those Lua specs.
TSAN  := B=$(B)/tsan CC=gcc CFLAGS='-O1 -g' EXTRA='-fsanitize=thread'
MSAN  := B=$(B)/msan CC=clang CFLAGS='-O1 -g' EXTRA='-fsanitize=memory -fno-sanitize-recover=all'
ONLY  := $(notdir $(SPECS))
OF_BINDINGS := test_sandbox test_lua_memory # C specs of the bindings: one forbids system calls, one has Lua
PLAIN := $(filter-out $(OF_BINDINGS),$(ONLY))
IN_LUA   ?= bad_input bodies constraints constraint_errors faults field_laws filter handlers joint_events loops pre_solve \
            qp query snapshot state state_worlds
MEMCHECK := valgrind -q --child-silent-after-fork=yes --error-exitcode=3 --leak-check=full --show-leak-kinds=definite \
            --errors-for-leak-kinds=definite

tsan: ## the C specs under the thread sanitizer (long; ONLY='test_task test_threads': those about threads)
	@$(MAKE) $(TSAN) $(PLAIN:%=$(B)/tsan/spec/%)
	@set -e; for spec in $(PLAIN:%=$(B)/tsan/spec/%); do TSAN_OPTIONS=halt_on_error=1 $$spec; done

msan: $(B)/deps.fuzz ## the C specs under clang's sanitizer of memory that was never written (long)
	@$(MAKE) $(MSAN) $(PLAIN:%=$(B)/msan/spec/%)
	@set -e; for spec in $(PLAIN:%=$(B)/msan/spec/%); do $$spec; done

valgrind: $(B)/deps.test ## the C specs, and Lua specs of the bindings, under memcheck (hours; ONLY, IN_LUA: which)
	@$(MAKE) build $(PLAIN:%=$(B)/spec/%)
	@set -e; for spec in $(IN_LUA:%=spec/lua/%_spec.lua); do \
	  $(MEMCHECK) $(LUA) $$(command -v busted) --ignore-lua --cpath='$(B)/lua/?.so' $$spec; done
	@set -e; for spec in $(PLAIN:%=$(B)/spec/%); do $(MEMCHECK) $$spec; done

# The C specs but the two that bring a whole program, the corpora of the fuzz targets, and the Lua specs that ALSO names.
COVERAGE := B=$(B)/coverage CC=gcc CFLAGS='-O1 -g' EXTRA='--coverage -fprofile-update=atomic'
COVERED   = $(PLAIN) $(notdir $(REPLAYS))
ALSO     ?= draw feedback sensors terrain concave field_shapes mover mover_world materials audit rows

coverage: $(B)/deps.test ## the lines of core/ that specs run; fails below 90 % (long; ONLY as for tsan, ALSO: Lua specs)
	@$(MAKE) $(COVERAGE) build $(COVERED:%=$(B)/coverage/spec/%)
	@rm -f $(B)/coverage/core/*.gcda
	@set -e; for spec in $(COVERED:%=$(B)/coverage/spec/%); do $$spec; done
	@set -e; for spec in $(ALSO:%=spec/lua/%_spec.lua); do \
	  IMPEL=$(B)/coverage/impel $(LUA) $$(command -v busted) --ignore-lua --cpath='$(B)/coverage/lua/?.so' $$spec; done
	@$(LUA) spec/coverage.lua $(B)/coverage 90

bench: $(B)/deps.bench ## speed, beside Chipmunk and Box2D; ARGS='--scene tumbler' and more, ARGS=--help lists them
	@$(MAKE) build $(MEASURED)
	$(LUA) spec/bench.lua --build $(B) $(ARGS)

truth: $(B)/deps.truth ## every solver, Box2D and Chipmunk against closed forms: writes spec/truth/README.md
	@$(MAKE) build $(JUDGED)
	LUA_PATH='scripts/?.lua;scripts/?/init.lua;spec/?.lua;;' LUA_CPATH='$(B)/lua/?.so;;' $(LUA) spec/truth.lua $(B)

PLAYED = $(filter %/box2d %/chipmunk,$(MEASURED)) $(B)/bench/impel

situations: $(B)/deps.situations ## scenes that users meet, on every solver they list and on peers; ARGS='--no-peers arch'
	@$(MAKE) build $(PLAYED)
	@LUA=$(LUA) LUA_PATH='scripts/?.lua;scripts/?/init.lua;spec/?.lua;;' LUA_CPATH='$(B)/lua/?.so;;' $(LUA) spec/situations.lua \
	  --build $(B) $(ARGS)

gallery: build ## pictures and films of every example: examples/gallery/ and examples/README.md
	$(LUA) spec/gallery.lua $(B)

fuzz: $(B)/deps.test ## a million random calls of the Lua API, most of them wrong, and 10,000 worlds of extremes (long)
	@$(MAKE) build
	IMPEL_FUZZ=1000000 $(LUA) $$(command -v busted) --ignore-lua --cpath='$(B)/lua/?.so' \
	  spec/lua/bad_input_spec.lua spec/lua/extreme_worlds_spec.lua

# Clang's sanitizer minds null + 0, the end of an empty list, which C2y allows, compilers take for null, and gcc's lets be.
# What is found is kept in the corpus, of which new inputs become part when somebody copies them there from build/.
FUZZ := B=$(B)/fuzz CC=clang CFLAGS='-O1 -g' \
        EXTRA='-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize=pointer-overflow -fno-sanitize-recover=all \
              -DIMPI_CHECKED'

fuzzers: $(B)/deps.fuzz ## the fuzz targets of spec/fuzz; make fuzz-TARGET runs one, ARGS=-max_total_time=60 and more
	@$(MAKE) $(FUZZ) $(FUZZED:%=$(B)/fuzz/fuzzer/%)

fuzz-%: $(B)/deps.fuzz
	$(if $(filter $*,$(FUZZED)),,$(error no fuzz target '$*': there are $(sort $(FUZZED))))
	@$(MAKE) $(FUZZ) $(B)/fuzz/fuzzer/$*
	@mkdir -p $(B)/fuzz/corpus/$*
	$(B)/fuzz/fuzzer/$* -timeout=60 -rss_limit_mb=4096 -artifact_prefix=spec/fuzz/corpus/$*/ $(ARGS) \
	  $(B)/fuzz/corpus/$* spec/fuzz/corpus/$*

oom: $(B)/deps.build ## every request for memory fails once, and from it on, in two dozen scenes, recordings and a script (long)
	@$(MAKE) $(B)/spec/test_out_of_memory $(B)/spec/test_record_memory $(B)/spec/test_lua_memory
	$(B)/spec/test_out_of_memory --long --show
	$(B)/spec/test_record_memory --long --show
	$(B)/spec/test_lua_memory --long --show

changed-snapshots: $(B)/deps.test ## a hundred thousand changed snapshots, under the sanitizers (long)
	@$(MAKE) $(ASAN) $(B)/asan/spec/test_snapshot_fuzz
	$(B)/asan/spec/test_snapshot_fuzz --long --show

changed-recordings: $(B)/deps.test ## a hundred thousand changed recordings played, under the sanitizers (long)
	@$(MAKE) $(ASAN) $(B)/asan/spec/test_record_fuzz
	$(B)/asan/spec/test_record_fuzz --long --show

SOAK := LUA_PATH='scripts/?.lua;scripts/?/init.lua;;' LUA_CPATH='$(B)/lua/?.so;;' $(LUA)

soak: $(B)/deps.test ## long lives: same bits, no fault, flat memory, of twelve examples too; ARGS=1000000: so many steps
	@$(MAKE) build
	$(SOAK) spec/soak.lua $(ARGS)
	$(SOAK) spec/soak_scenes.lua $(ARGS)

replays: build ## every example recorded and played again, and checked to be a function of its state (long)
	sh spec/replays.sh 600 $(B)/impel

determinism: $(B)/deps.determinism ## the same hashes from gcc and clang, any lanes, threads, locale, addresses (long)
	sh spec/determinism.sh

# The core as a library that shows all of its functions, so that one changed file does not mean linking every spec anew.
MUTANTS := B=$(B)/mutants CC=gcc CFLAGS=-O1 EXTRA='-fvisibility=default -DIMPI_HIDDEN= -w'

mutants: build ## does a spec notice? 200 small changes of the core, one at a time; ARGS='--shard 1/2' (hours)
	@$(MAKE) $(MUTANTS) $(B)/mutants/core.flags
	LUA=$(LUA) $(LUA) spec/mutants.lua $(B)/mutants $(ARGS)

$(B)/core.flags: $(CORE) $(BINDINGS) $(B)/bindings/main.o
	$(CC) -shared -pthread -o $(B)/libcore.so $(CORE) -lm
	@mkdir -p $(B)/spec $(B)/lua/impel
	$(CC) -shared -pthread -o $(B)/lua/impel/core.so $(BINDINGS) -L$(B) -lcore -lm
	$(LINK) $(EXPORT) -o $(B)/impel $(B)/bindings/main.o $(BINDINGS) -L$(B) -lcore $(LUA_LIBS)
	@set -e; for spec in $(filter-out $(OF_BINDINGS),$(patsubst spec/c/%.c,%,$(wildcard spec/c/test_*.c))); do \
	  $(COMPILE) -MF $(B)/spec/$$spec.d -Ispec/c -o $(B)/spec/$$spec spec/c/$$spec.c -L$(B) -lcore -lm; done
	@echo '$(CC) $(CFLAGS) $(filter-out -Icore -MMD -MP,$(BASE)) $(EXTRA)' > $(B)/flags
	@echo golden $(ALSO) $(IN_LUA) > $(B)/in_lua

# Specs of what is arithmetic, and short enough to be emulated.
ON_NEON := test_base test_lanes test_toi test_qp test_coordinates test_rows test_contacts

neon: $(B)/deps.neon ## the same hashes on emulated processors: aarch64 with NEON, x86-64 without AVX (long)
	@$(MAKE) build
	sh spec/neon.sh $(B) $(ON_NEON)

bits32: $(B)/deps.bits32 ## the C specs for 32-bit x86, snapshots and recordings from 64 to 32 bits and back; ALL=1: slow ones, too
	+@OBJECTS='$(BINDINGS:$(B)/%=%) bindings/main.o' sh spec/bits32.sh $(B) $(PLAIN)

LUADIR := $(PREFIX)/lib/lua/5.4/impel

install: $(BUILT) $(META) ## install the program, the module, the library, its header and impel.pc below DESTDIR/PREFIX
	install -d $(addprefix $(DESTDIR)$(PREFIX)/,bin include lib/pkgconfig share/lua/5.4 share/impel/scripts/impel/cli \
	  share/impel/scripts/impel/rig share/impel/scripts/impel/templates share/impel/examples/ci \
	  share/impel/examples/games share/impel/examples/gallery/games share/impel/annotations) $(DESTDIR)$(LUADIR)
	install $(B)/impel $(DESTDIR)$(PREFIX)/bin
	install -m 644 $(HEADERS) $(DESTDIR)$(PREFIX)/include
	install -m 644 $(B)/libimpel.a $(DESTDIR)$(PREFIX)/lib
	install $(B)/libimpel.so $(DESTDIR)$(PREFIX)/lib/libimpel.so.$(VERSION)
	ln -sf libimpel.so.$(VERSION) $(DESTDIR)$(PREFIX)/lib/libimpel.so.$(SOVERSION)
	ln -sf libimpel.so.$(SOVERSION) $(DESTDIR)$(PREFIX)/lib/libimpel.so
	install $(B)/lua/impel/core.so $(EDITLINE) $(WINDOW) $(MIXER) $(SECCOMP) $(DESTDIR)$(LUADIR)
	install -m 644 scripts/impel/*.lua $(DESTDIR)$(PREFIX)/share/impel/scripts/impel
	install -m 644 scripts/impel/cli/*.lua $(DESTDIR)$(PREFIX)/share/impel/scripts/impel/cli
	install -m 644 scripts/impel/rig/*.lua $(DESTDIR)$(PREFIX)/share/impel/scripts/impel/rig
	install -m 644 scripts/impel/templates/*.lua $(DESTDIR)$(PREFIX)/share/impel/scripts/impel/templates
	$(if $(META),install -m 644 $(META) $(DESTDIR)$(PREFIX)/share/impel/annotations/impel.lua)
	$(if $(wildcard examples/*.lua),install -m 644 examples/*.lua $(DESTDIR)$(PREFIX)/share/impel/examples)
	install -m 644 examples/ci/* $(DESTDIR)$(PREFIX)/share/impel/examples/ci
	install -m 644 examples/games/* $(DESTDIR)$(PREFIX)/share/impel/examples/games
	install -m 644 examples/gallery/*.png $(DESTDIR)$(PREFIX)/share/impel/examples/gallery
	install -m 644 examples/gallery/games/*.png $(DESTDIR)$(PREFIX)/share/impel/examples/gallery/games
	ln -sfn ../../impel/scripts/impel $(DESTDIR)$(PREFIX)/share/lua/5.4/impel
	printf '%s\n' 'prefix=$(PREFIX)' 'libdir=$${prefix}/lib' 'includedir=$${prefix}/include' '' 'Name: impel' \
	  'Description: rigid-body physics from constraint rows' 'Version: $(VERSION)' 'Cflags: -I$${includedir}' \
	  'Libs: -L$${libdir} -limpel' 'Libs.private: -lm -pthread' > $(DESTDIR)$(PREFIX)/lib/pkgconfig/impel.pc

uninstall: ## remove what install put there
	rm -f $(addprefix $(DESTDIR)$(PREFIX)/,bin/impel $(addprefix include/,$(notdir $(HEADERS))) lib/libimpel.a lib/libimpel.so \
	  lib/libimpel.so.$(SOVERSION) lib/libimpel.so.$(VERSION) lib/pkgconfig/impel.pc share/lua/5.4/impel)
	rm -rf $(DESTDIR)$(LUADIR) $(DESTDIR)$(PREFIX)/share/impel

clean: ## remove build/
	rm -rf $(B)

help: ## this list
	@sed -n 's/^\([a-z][a-z-]*\).*:.*## /\1:/p' Makefile \
	  | awk -F: '{ printf "%-18s %s\n", $$1, substr($$0, length($$1) + 2) }'
