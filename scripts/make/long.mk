# Long tests and measurements, each a separate target: sanitizers, fuzzing, emulation, comparison with other engines.

.PHONY: asan tsan msan valgrind coverage bench truth situations gallery fuzz fuzzers oom changed-snapshots \
        changed-recordings soak replays determinism mutants recipes neon bits32

PEERS    := $(patsubst spec/bench/%.c,$(B)/bench/%,$(wildcard spec/bench/*.c)) \
            $(patsubst spec/bench/%.cpp,$(B)/bench/%,$(wildcard spec/bench/*.cpp)) $(B)/bench/lua_floor.so
# Only installed engines are measured. HAS_... are expanded where they are used, after make bench has installed engines.
HAS_CHIPMUNK = $(shell echo '\#include <chipmunk/chipmunk.h>' | $(CC) -E -x c - >/dev/null 2>&1 && echo yes)
HAS_BOX2D    = $(shell echo '\#include <box2d/box2d.h>' | $(CXX) -E -x c++ - >/dev/null 2>&1 && echo yes)
MEASURED     = $(filter-out $(if $(HAS_CHIPMUNK),,%chipmunk) $(if $(HAS_BOX2D),,%box2d),$(PEERS))
JUDGED   := $(B)/truth/box2d $(B)/truth/chipmunk

$(B)/fuzzer/%: spec/fuzz/%.c $(B)/libimpel.a
	$(call program,$(FUZZ_FLAGS) -DFUZZER -fsanitize=fuzzer,$(B)/libimpel.a $(LDFLAGS) -lm)

$(B)/fuzzer/%: spec/fuzz/lua_target.c spec/fuzz/%.lua $(BINDINGS) $(B)/libimpel.a
	$(call program,$(LUA_TARGET) -DFUZZER -fsanitize=fuzzer,$(WHOLE))

# Peers: programs that run the same scenes with other engines.
CXX_FLAGS = -std=c++17 $(CFLAGS) -MMD -MP -MF $@.d

$(B)/bench%chipmunk: PEER_LIBS := -lchipmunk

$(B)/bench/%: spec/bench/%.c $(B)/libimpel.a
	$(call program,-Icore,$(B)/libimpel.a $(LDFLAGS) $(PEER_LIBS) -lm)

$(B)/bench/lua_floor: spec/bench/lua_floor.c $(BINDINGS) $(B)/libimpel.a
	$(call program,$(LUA_CFLAGS) -DFLOOR_MAIN $(EXPORT),$(WHOLE))

$(B)/bench/%.so: spec/bench/%.c
	$(call program,$(LUA_CFLAGS) $(MODULE))

$(B)/truth/%: spec/truth/%.c
	$(call program,,$(LDFLAGS) -lchipmunk -lm)

$(B)/bench/%: spec/bench/%.cpp
	@mkdir -p $(@D)
	$(Q)$(CXX) $(CXX_FLAGS) -o $@ $< $(LDFLAGS) -lbox2d

$(B)/truth/%: spec/truth/%.cpp
	@mkdir -p $(@D)
	$(Q)$(CXX) $(CXX_FLAGS) -o $@ $< $(LDFLAGS) -lbox2d

-include $(PEERS:=.d) $(JUDGED:=.d)

# busted runs in plain Lua, which loads the instrumented module, so the sanitizer must be loaded first (LD_PRELOAD).
# Only the C specs are checked for leaks, because the Lua interpreter keeps memory until it exits.
ASAN := B=$(B)/asan CC=gcc CFLAGS='-O1 -g' EXTRA='-fsanitize=address,undefined -fno-sanitize-recover=all -DIMPI_CHECKED'

asan: $(B)/deps.test ## run all specs under the address and undefined-behaviour sanitizers, with internal checks
	@$(MAKE) $(ASAN) build specs
	@LUA=$(LUA) LUA_PRELOAD=$$(gcc -print-file-name=libasan.so) sh spec/tools/run.sh $(B)/asan $(SUITES)

# The address sanitizer and memcheck do not detect races; the thread sanitizer does not detect memory errors; helgrind
# and drd do not support C atomics, which synchronise the worker threads. The thread sanitizer runs only the C specs,
# which cover all code of the workers. The memory sanitizer also runs only the C specs, because it requires that all
# code is instrumented; the core uses no library except C's. Memcheck runs C specs and Lua specs.
# ONLY='test_threads ...' selects C specs, IN_LUA='state rows' Lua specs.
TSAN  := B=$(B)/tsan CC=gcc CFLAGS='-O1 -g' EXTRA='-fsanitize=thread'
MSAN  := B=$(B)/msan CC=clang CFLAGS='-O1 -g' EXTRA='-fsanitize=memory -fno-sanitize-recover=all'
ONLY  := $(notdir $(SPECS))
OF_BINDINGS := test_sandbox test_lua_memory # C specs of the bindings: one forbids system calls, the other contains Lua
PLAIN := $(filter-out $(OF_BINDINGS),$(ONLY))
IN_LUA   ?= bad_input bodies constraints constraint_errors faults field_laws filter handlers joint_events loops pre_solve \
            qp query snapshot state state_worlds
MEMCHECK := valgrind -q --child-silent-after-fork=yes --error-exitcode=3 --leak-check=full --show-leak-kinds=definite \
            --errors-for-leak-kinds=definite

tsan: ## run the C specs under the thread sanitizer (long; ONLY='test_task test_threads' selects those about threads)
	@$(MAKE) $(TSAN) $(PLAIN:%=$(B)/tsan/spec/%)
	@set -e; for spec in $(PLAIN:%=$(B)/tsan/spec/%); do TSAN_OPTIONS=halt_on_error=1 $$spec; done

msan: $(B)/deps.fuzz ## run the C specs under clang's memory sanitizer, which detects uninitialised reads (long)
	@$(MAKE) $(MSAN) $(PLAIN:%=$(B)/msan/spec/%)
	@set -e; for spec in $(PLAIN:%=$(B)/msan/spec/%); do $$spec; done

valgrind: $(B)/deps.test ## run the C specs, and Lua specs of the bindings, under memcheck (hours; ONLY and IN_LUA select specs)
	@$(MAKE) build $(PLAIN:%=$(B)/spec/%)
	@set -e; for spec in $(call in_lua,$(IN_LUA)); do \
	  $(MEMCHECK) $(LUA) $$(command -v busted) --ignore-lua --cpath='$(B)/lua/?.so' $$spec; done
	@set -e; for spec in $(PLAIN:%=$(B)/spec/%); do $(MEMCHECK) $$spec; done

# Coverage is measured with the C specs except OF_BINDINGS, the corpora of the fuzz targets, and the Lua specs in ALSO.
COVERAGE := B=$(B)/coverage CC=gcc CFLAGS='-O1 -g' EXTRA='--coverage -fprofile-update=atomic'
COVERED   = $(PLAIN) $(notdir $(REPLAYS))
ALSO     ?= draw feedback sensors terrain concave field_shapes mover mover_world materials audit rows

coverage: $(B)/deps.test ## measure the share of lines in core/ that specs run; fails below 90 % (long; ONLY as for tsan, ALSO: Lua specs)
	@$(MAKE) $(COVERAGE) build $(COVERED:%=$(B)/coverage/spec/%)
	@rm -f $(B)/coverage/core/*/*.gcda $(B)/coverage/core/*/*/*.gcda
	@set -e; for spec in $(COVERED:%=$(B)/coverage/spec/%); do $$spec; done
	@set -e; for spec in $(call in_lua,$(ALSO)); do \
	  IMPEL=$(B)/coverage/impel $(LUA) $$(command -v busted) --ignore-lua --cpath='$(B)/coverage/lua/?.so' $$spec; done
	@$(LUA) spec/tools/coverage.lua $(B)/coverage 90

bench: $(B)/deps.bench ## compare the speed with Chipmunk and Box2D; ARGS='--scene tumbler' selects a scene, ARGS=--help lists all options
	@$(MAKE) build $(MEASURED)
	$(LUA) spec/tools/bench.lua --build $(B) $(ARGS)

truth: $(B)/deps.truth ## compare every solver, Box2D and Chipmunk with closed forms; writes spec/truth/RESULTS.md
	@$(MAKE) build $(JUDGED)
	LUA_PATH='scripts/?.lua;scripts/?/init.lua;spec/?.lua;;' LUA_CPATH='$(B)/lua/?.so;;' $(LUA) spec/tools/truth.lua $(B)

PLAYED = $(filter %/box2d %/chipmunk,$(MEASURED)) $(B)/bench/impel

situations: $(B)/deps.situations ## run typical scenes of users with each solver that a scene lists and with other engines; ARGS='--no-peers arch'
	@$(MAKE) build $(PLAYED)
	@LUA=$(LUA) LUA_PATH='scripts/?.lua;scripts/?/init.lua;spec/?.lua;;' LUA_CPATH='$(B)/lua/?.so;;' $(LUA) spec/tools/situations.lua \
	  --build $(B) $(ARGS)

gallery: build ## make pictures and films of every example: examples/gallery/ and examples/README.md
	$(LUA) spec/tools/gallery.lua $(B)

fuzz: $(B)/deps.test ## make a million random calls of the Lua API, most of them invalid, and 10,000 worlds with extreme values (long)
	@$(MAKE) build
	IMPEL_FUZZ=1000000 $(LUA) $$(command -v busted) --ignore-lua --cpath='$(B)/lua/?.so' \
	  spec/bindings/base/bad_input_spec.lua spec/core/snapshot/extreme_worlds_spec.lua

# pointer-overflow is disabled because it reports null + 0, the end of an empty list. C2y allows null + 0, compilers
# evaluate it to null, and gcc's sanitizer does not report it. Inputs that fail are written to spec/fuzz/corpus; inputs
# that reach new code are written to build/, from where they can be copied to the corpus.
FUZZ := B=$(B)/fuzz CC=clang CFLAGS='-O1 -g' \
        EXTRA='-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize=pointer-overflow -fno-sanitize-recover=all \
              -DIMPI_CHECKED'

fuzzers: $(B)/deps.fuzz ## build the fuzz targets of spec/fuzz; make fuzz-TARGET runs one; ARGS: options of libFuzzer, -max_total_time=60
	@$(MAKE) $(FUZZ) $(FUZZED:%=$(B)/fuzz/fuzzer/%)

fuzz-%: $(B)/deps.fuzz
	$(if $(filter $*,$(FUZZED)),,$(error no fuzz target '$*'; the targets are $(sort $(FUZZED))))
	@$(MAKE) $(FUZZ) $(B)/fuzz/fuzzer/$*
	@mkdir -p $(B)/fuzz/corpus/$*
	$(B)/fuzz/fuzzer/$* -timeout=60 -rss_limit_mb=4096 -artifact_prefix=spec/fuzz/corpus/$*/ $(ARGS) \
	  $(B)/fuzz/corpus/$* spec/fuzz/corpus/$*

oom: $(B)/deps.build ## let each memory allocation fail, alone and with all later ones, in two dozen scenes, recordings and a script (long)
	@$(MAKE) $(B)/spec/test_out_of_memory $(B)/spec/test_record_memory $(B)/spec/test_lua_memory
	$(B)/spec/test_out_of_memory --long --show
	$(B)/spec/test_record_memory --long --show
	$(B)/spec/test_lua_memory --long --show

changed-snapshots: $(B)/deps.test ## load a hundred thousand modified snapshots under the sanitizers (long)
	@$(MAKE) $(ASAN) $(B)/asan/spec/test_snapshot_fuzz
	$(B)/asan/spec/test_snapshot_fuzz --long --show

changed-recordings: $(B)/deps.test ## play a hundred thousand modified recordings under the sanitizers (long)
	@$(MAKE) $(ASAN) $(B)/asan/spec/test_record_fuzz
	$(B)/asan/spec/test_record_fuzz --long --show

SOAK := LUA_PATH='scripts/?.lua;scripts/?/init.lua;;' LUA_CPATH='$(B)/lua/?.so;;' $(LUA)

soak: $(B)/deps.test ## run long simulations and twelve examples: same bits, no fault, constant memory; ARGS=1000000: number of steps
	@$(MAKE) build
	$(SOAK) spec/tools/soak.lua $(ARGS)
	$(SOAK) spec/tools/soak_scenes.lua $(ARGS)

replays: build ## record and replay every example, and check that each step is a function of the state (long)
	sh spec/tools/replays.sh 600 $(B)/impel

determinism: $(B)/deps.determinism ## check that gcc and clang, lanes, threads, locales and addresses give the same hashes (long)
	sh spec/tools/determinism.sh

# The core as a shared library that exports all functions, so that a changed file does not require linking all specs.
MUTANTS := CC=gcc CFLAGS=-O1 EXTRA='-fvisibility=default -w'
MUTATED := $(filter-out spec/bindings/%,$(IN_C))

mutants: build ## check that a spec detects each of 200 small changes of the core; ARGS='--shard 1/2' (hours)
	@$(MAKE) B=$(B)/mutants $(MUTANTS) mutants-build
	@MUTANTS="$(MAKE) --silent $(MUTANTS)" LUA=$(LUA) $(LUA) spec/tools/mutants.lua $(B)/mutants $(ARGS)

$(B)/libcore.so: $(CORE)
	$(CC) -shared -pthread -o $@ $(CORE) -lm

mutants-build: $(B)/libcore.so $(BINDINGS) $(MAIN_O)
	@mkdir -p $(B)/spec $(B)/lua/impel
	$(CC) -shared -pthread -o $(B)/lua/impel/core.so $(BINDINGS) -L$(B) -lcore -lm
	$(LINK) $(EXPORT) -o $(B)/impel $(MAIN_O) $(BINDINGS) -L$(B) -lcore $(LUA_LIBS)
	@set -e; for spec in $(MUTATED); do \
	  to=$(B)/spec/$$(basename $$spec .c); \
	  $(COMPILE) -MF $$to.d -Icore -Ispec/support -o $$to $$spec -L$(B) -lcore -lm; done
	@echo $(call in_lua,golden $(ALSO) $(IN_LUA)) > $(B)/in_lua

recipes: $(B)/deps.check ## apply each recipe of CONTRIBUTING.md to a copy, build it and test its scene (3 minutes); ARGS=NAME: only one recipe
	@$(LUA) spec/tools/recipes.lua $(B) $(ARGS)

# Specs of arithmetic that are short enough for emulation.
ON_NEON := test_base test_lanes test_toi test_qp test_coordinates test_rows test_contacts

neon: $(B)/deps.neon ## check for the same hashes on emulated processors: aarch64 with NEON, x86-64 without AVX (long)
	@$(MAKE) build
	sh spec/tools/neon.sh $(B) $(ON_NEON)

bits32: $(B)/deps.bits32 ## run the C specs on 32-bit x86, exchange snapshots and recordings with 64-bit programs; ALL=1 adds slow specs
	+@OBJECTS='$(BINDINGS:$(B)/%=%) $(MAIN_O:$(B)/%=%)' sh spec/tools/bits32.sh $(B) $(PLAIN)
