# Specs and how they are built; the checks that every change must pass before it is sent (make check).

# Sources of the suites. Fuzz targets, in C and in Lua, are also suites, which run their corpus once. If the build
# leaves out a part, the suites of that part and the suites that run an example with it are left out too.
VIEWER_SUITES   := spec/scripts/viewer/% spec/bindings/window/% spec/bindings/picture/% \
                   spec/bindings/system/signals_spec.lua spec/scripts/picture/picture_spec.lua
SANDBOX_SUITES  := spec/bindings/sandbox/% spec/scripts/viewer/apart_spec.lua spec/examples/example_games_spec.lua \
                   $(addprefix spec/bindings/,picture/images_spec.lua window/sound_spec.lua system/signals_spec.lua) \
                   $(addprefix spec/scripts/,base/file_spec.lua base/modules_spec.lua batch/resume_spec.lua \
                     cli/cli_spec.lua cli/odd_files_spec.lua picture/picture_spec.lua)
LEARNING_SUITES := $(addprefix spec/scripts/,learn/% base/script_arguments_spec.lua scene/data_spec.lua) \
                   spec/examples/examples_spec.lua
kept    = $(filter-out $(foreach part,$(WITHOUT),$($(part)_SUITES)),$(1))
IN_C    := $(call kept,$(shell find spec -name 'test_*.c' | sort))
TARGETS := $(filter-out %/lua_target.c,$(wildcard spec/fuzz/*.lua spec/fuzz/*.c))
DEMO    := spec/core/demo.c
SUITES  := $(IN_C) $(TARGETS) $(DEMO) $(call kept,$(shell find spec -name '*_spec.lua' | sort))

# $(call suite,SOURCE): the suite's name, such as core/geometry/toi; $(call programs,SOURCES): the programs to build for
# suites; $(call in_lua,NAMES): the sources of Lua specs.
suite    = $(patsubst %_spec,%,$(subst /test_,/,$(basename $(1:spec/%=%))))
programs = $(patsubst %.c,$(B)/spec/%,$(notdir $(filter $(IN_C) $(DEMO),$(1)))) \
           $(addprefix $(B)/spec/replay_,$(basename $(notdir $(filter $(TARGETS),$(1)))))
in_lua   = $(foreach name,$(1),$(filter %/$(name)_spec.lua,$(SUITES)))

# The suites that `make spec NAME=...` runs.
NAMED        = $(strip $(foreach file,$(SUITES),$(if $(findstring $(NAME),$(call suite,$(file))),$(file))))
NO_SUCH_SPEC = $(LUA) spec/tools/nearest.lua '$(NAME)' $(foreach file,$(SUITES),$(call suite,$(file)))

SPECS   := $(call programs,$(IN_C))
FUZZED  := $(basename $(notdir $(TARGETS)))
REPLAYS := $(call programs,$(TARGETS))
FUZZERS := $(FUZZED:%=$(B)/fuzzer/%)


# Building -------------------------------------------------------------------------------------------------------------

# Specs are compiled with -O1 instead of -O3, which takes half the time. clang warns when NAN and INFINITY, which are
# floats, are converted to double; the warning is disabled.
SPEC_FLAGS = $(if $(filter -O3,$(CFLAGS)),-O1) -Wno-double-promotion -Icore -Ispec/support

vpath test_%.c $(sort $(dir $(IN_C)))
$(B)/spec/test_%: test_%.c $(B)/libimpel.a
	$(call program,$(SPEC_FLAGS),$(B)/libimpel.a $(LDFLAGS) -lm)

# gcc warns about the calling convention of vectors wider than the machine's; only inlined functions pass such vectors.
$(B)/spec/test_lanes: private ISA := -Wno-psabi

# The spec of the sandbox layers is compiled together with their sources.
$(B)/spec/test_sandbox: private ISA = -Ibindings $(LUA_CFLAGS) $(if $(HAS_SECCOMP),-DHAS_SECCOMP)
$(B)/spec/test_sandbox: private LDFLAGS += $(if $(HAS_SECCOMP),$(SECCOMP_LIBS))

# The code that reads snapshots and recordings, with a call in each basic block, for a spec that counts the blocks.
COUNTED := $(patsubst core/%.c,$(B)/counted/%.o,$(wildcard core/snapshot/*.c core/record/re*.c core/record/code*.c \
             core/geometry/tree*.c core/geometry/broadphase*.c) core/base/pair_map.c core/base/pool.c core/base/array.c \
             core/model/block.c core/world/world_state.c)
$(B)/counted/%.o: core/%.c $(RULES)
	@mkdir -p $(@D)
	$(Q)$(COMPILE) -Icore -O1 -fsanitize-coverage=trace-pc -c -o $@ $<

# The linker takes these objects instead of those in the library, because they come first.
COUNTING := $(B)/spec/test_reading $(foreach name,snapshots recordings,$(B)/spec/replay_$(name) $(B)/fuzzer/$(name))
$(COUNTING): $(COUNTED)
$(COUNTING): private ISA := $(COUNTED) -Wl,--wrap=__sanitizer_cov_trace_pc

# A fuzz target as a program that runs its corpus once.
FUZZ_FLAGS = -Wno-double-promotion -Icore -Ispec/support -Ispec/fuzz -D_DEFAULT_SOURCE -DCORPUS='"spec/fuzz/corpus/$*"'
LUA_TARGET = -DSCRIPT='"spec/fuzz/$*.lua"' $(LUA_CFLAGS) $(FUZZ_FLAGS)
WHOLE      = $(BINDINGS) $(B)/libimpel.a $(LDFLAGS) $(LUA_LIBS) # link Lua and the bindings into the program

$(B)/spec/replay_%: spec/fuzz/%.c $(B)/libimpel.a
	$(call program,$(FUZZ_FLAGS),$(B)/libimpel.a $(LDFLAGS) -lm)

$(B)/spec/replay_%: spec/fuzz/lua_target.c spec/fuzz/%.lua $(BINDINGS) $(B)/libimpel.a
	$(call program,$(LUA_TARGET),$(WHOLE))

# A library in which system calls that change files fail, preloaded by a Lua spec; built without sanitizers, which would
# have to be preloaded before it.
$(B)/spec/failing_files.so: spec/faults/failing_files.c
	@mkdir -p $(@D)
	$(Q)$(CC) -O1 -Wall -Wextra -shared -fPIC -o $@ $< -ldl

$(B)/spec/test_lua_memory: spec/bindings/base/test_lua_memory.c $(BINDINGS) $(B)/libimpel.a
	$(call program,$(LUA_CFLAGS) -Wno-double-promotion -Icore -Ispec/support,$(WHOLE))

$(B)/spec/demo: spec/core/demo.c $(B)/libimpel.so
	$(call program,,$(LDFLAGS) -L$(B) -limpel -Wl$(comma)-rpath$(comma)'$$ORIGIN/..' -lm)

specs: $(call programs,$(SUITES)) $(if $(filter Linux,$(SYSTEM)),$(B)/spec/failing_files.so)

-include $(COUNTED:.o=.d) $(SPECS:=.d) $(REPLAYS:=.d) $(FUZZERS:=.d) $(B)/spec/demo.d


# Checks ---------------------------------------------------------------------------------------------------------------

CHECKS := warnings lint terms layers bits32-where-possible gate scale
.PHONY: specs $(CHECKS) gate-update

warnings:
	@$(MAKE) B=$(B)/gcc CC=gcc WERROR=-Werror build specs
	@$(MAKE) B=$(B)/clang CC=clang WERROR=-Werror build specs

lint: ## luacheck, clang-format, codespell; each suite must be described in the README of its folder
	luacheck --quiet scripts examples spec
	codespell *.md Makefile core bindings scripts examples
	codespell -I spec/tools/slips.txt $(shell find spec -name '*.[ch]' -o -name '*.cpp' -o -name '*.lua' -o -name '*.md' -o -name '*.sh' -o -name '*.patch')
	@for suite in $(filter-out core/demo,$(filter core/% bindings/% scripts/% examples/%,$(foreach file,$(SUITES),$(call suite,$(file))))); do \
	  grep -q "\`$${suite##*/}\`" spec/$${suite%/*}/README.md || { echo "spec/$${suite%/*}/README.md does not describe $$suite"; exit 1; }; done
	clang-format --dry-run -Werror $(shell find core bindings spec -name '*.[ch]')

terms: ## find words that the glossary in CONTRIBUTING.md replaces
	$(LUA) spec/tools/terms.lua

layers: ## check that folders include, link and require only folders that come before them in the order
	@$(MAKE) build
	$(LUA) spec/tools/layers.lua $(B)

bits32-where-possible:
	@if command -v i686-linux-gnu-gcc >/dev/null; then $(MAKE) WERROR=-Werror bits32; fi

# The counts are made with fixed flags, whatever flags a user sets. Each compiler has a separate build folder.
GATE_CC := $(filter-out -%,$(CC))
GATE    := $(B)/gate-$(notdir $(lastword $(GATE_CC)))
GATED   := B=$(GATE) CC='$(GATE_CC)' CFLAGS=-O3 EXTRA= LDFLAGS= WERROR=
COUNT    = $(LUA) spec/tools/gate.lua $(GATE) "$$($(GATE_CC) --version | head -n 1)"

gate: $(B)/deps.gate ## compare instructions and cache misses of short scenes with spec/tools/gate.counts (2 minutes)
	@$(MAKE) $(GATED) $(GATE)/bench/impel
	@$(COUNT)

gate-update: $(B)/deps.gate ## write the new counts to spec/tools/gate.counts
	@$(MAKE) $(GATED) $(GATE)/bench/impel
	@$(COUNT) --update

scale: $(B)/deps.gate ## measure how the instruction count of each operation grows with n; fails above n^1.2 (10 minutes); ARGS="PATTERN MOST"
	@$(MAKE) build $(B)/bench/counter.so
	@LUA=$(LUA) $(LUA) spec/tools/scale.lua $(B) $(ARGS)
