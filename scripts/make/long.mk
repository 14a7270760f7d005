# Long proofs and measurements, each a target of its own: sanitizers, fuzzing, other processors, speed beside other engines.

.PHONY: asan tsan msan valgrind coverage bench truth situations gallery fuzz fuzzers oom changed-snapshots \
        changed-recordings soak replays determinism mutants recipes neon bits32

PEERS    := $(patsubst spec/bench/%.c,$(B)/bench/%,$(wildcard spec/bench/*.c)) \
            $(patsubst spec/bench/%.cpp,$(B)/bench/%,$(wildcard spec/bench/*.cpp)) $(B)/bench/lua_floor.so
# Other engines are measured where they are there; which, is asked when make bench has installed what it can.
HAS_CHIPMUNK = $(shell echo '\#include <chipmunk/chipmunk.h>' | $(CC) -E -x c - >/dev/null 2>&1 && echo yes)
HAS_BOX2D    = $(shell echo '\#include <box2d/box2d.h>' | $(CXX) -E -x c++ - >/dev/null 2>&1 && echo yes)
MEASURED     = $(filter-out $(if $(HAS_CHIPMUNK),,%chipmunk) $(if $(HAS_BOX2D),,%box2d),$(PEERS))
JUDGED   := $(B)/truth/box2d $(B)/truth/chipmunk

$(B)/fuzzer/%: spec/fuzz/%.c $(B)/libimpel.a
	$(call program,$(FUZZ_FLAGS) -DFUZZER -fsanitize=fuzzer,$(B)/libimpel.a $(LDFLAGS) -lm)

$(B)/fuzzer/%: spec/fuzz/lua_target.c spec/fuzz/%.lua $(BINDINGS) $(B)/libimpel.a
	$(call program,$(LUA_TARGET) -DFUZZER -fsanitize=fuzzer,$(WHOLE))

# Peers: other engines on the same scenes.
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

# Plain Lua runs busted and loads the instrumented module, so the sanitizer comes in first by LD_PRELOAD; leaks are
# looked for in the C specs only, where no interpreter holds memory to the end.
ASAN := B=$(B)/asan CC=gcc CFLAGS='-O1 -g' EXTRA='-fsanitize=address,undefined -fno-sanitize-recover=all -DIMPI_CHECKED'

asan: $(B)/deps.test ## all specs under the address and undefined-behaviour sanitizers, with internal checks on
	@$(MAKE) $(ASAN) build specs
	@LUA=$(LUA) LUA_PRELOAD=$$(gcc -print-file-name=libasan.so) sh spec/tools/run.sh $(B)/asan $(SUITES)

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
	@set -e; for spec in $(call in_lua,$(IN_LUA)); do \
	  $(MEMCHECK) $(LUA) $$(command -v busted) --ignore-lua --cpath='$(B)/lua/?.so' $$spec; done
	@set -e; for spec in $(PLAIN:%=$(B)/spec/%); do $(MEMCHECK) $$spec; done

# The C specs but the two that bring a whole program, the corpora of the fuzz targets, and the Lua specs that ALSO names.
COVERAGE := B=$(B)/coverage CC=gcc CFLAGS='-O1 -g' EXTRA='--coverage -fprofile-update=atomic'
COVERED   = $(PLAIN) $(notdir $(REPLAYS))
ALSO     ?= draw feedback sensors terrain concave field_shapes mover mover_world materials audit rows

coverage: $(B)/deps.test ## the lines of core/ that specs run; fails below 90 % (long; ONLY as for tsan, ALSO: Lua specs)
	@$(MAKE) $(COVERAGE) build $(COVERED:%=$(B)/coverage/spec/%)
	@rm -f $(B)/coverage/core/*/*.gcda $(B)/coverage/core/*/*/*.gcda
	@set -e; for spec in $(COVERED:%=$(B)/coverage/spec/%); do $$spec; done
	@set -e; for spec in $(call in_lua,$(ALSO)); do \
	  IMPEL=$(B)/coverage/impel $(LUA) $$(command -v busted) --ignore-lua --cpath='$(B)/coverage/lua/?.so' $$spec; done
	@$(LUA) spec/tools/coverage.lua $(B)/coverage 90

bench: $(B)/deps.bench ## speed, beside Chipmunk and Box2D; ARGS='--scene tumbler' and more, ARGS=--help lists them
	@$(MAKE) build $(MEASURED)
	$(LUA) spec/tools/bench.lua --build $(B) $(ARGS)

truth: $(B)/deps.truth ## every solver, Box2D and Chipmunk against closed forms: writes spec/truth/RESULTS.md
	@$(MAKE) build $(JUDGED)
	LUA_PATH='scripts/?.lua;scripts/?/init.lua;spec/?.lua;;' LUA_CPATH='$(B)/lua/?.so;;' $(LUA) spec/tools/truth.lua $(B)

PLAYED = $(filter %/box2d %/chipmunk,$(MEASURED)) $(B)/bench/impel

situations: $(B)/deps.situations ## scenes that users meet, on every solver they list and on peers; ARGS='--no-peers arch'
	@$(MAKE) build $(PLAYED)
	@LUA=$(LUA) LUA_PATH='scripts/?.lua;scripts/?/init.lua;spec/?.lua;;' LUA_CPATH='$(B)/lua/?.so;;' $(LUA) spec/tools/situations.lua \
	  --build $(B) $(ARGS)

gallery: build ## pictures and films of every example: examples/gallery/ and examples/README.md
	$(LUA) spec/tools/gallery.lua $(B)

fuzz: $(B)/deps.test ## a million random calls of the Lua API, most of them wrong, and 10,000 worlds of extremes (long)
	@$(MAKE) build
	IMPEL_FUZZ=1000000 $(LUA) $$(command -v busted) --ignore-lua --cpath='$(B)/lua/?.so' \
	  spec/bindings/base/bad_input_spec.lua spec/core/snapshot/extreme_worlds_spec.lua

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
	$(SOAK) spec/tools/soak.lua $(ARGS)
	$(SOAK) spec/tools/soak_scenes.lua $(ARGS)

replays: build ## every example recorded and played again, and checked to be a function of its state (long)
	sh spec/tools/replays.sh 600 $(B)/impel

determinism: $(B)/deps.determinism ## the same hashes from gcc and clang, any lanes, threads, locale, addresses (long)
	sh spec/tools/determinism.sh

# The core as a library that shows all of its functions, so that one changed file does not mean linking every spec anew.
MUTANTS := CC=gcc CFLAGS=-O1 EXTRA='-fvisibility=default -w'
MUTATED := $(filter-out spec/bindings/%,$(IN_C))

mutants: build ## does a spec notice? 200 small changes of the core, one at a time; ARGS='--shard 1/2' (hours)
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

recipes: $(B)/deps.check ## apply each recipe of CONTRIBUTING.md to a copy, build it, prove its scene (3 minutes); ARGS=NAME: that one
	@$(LUA) spec/tools/recipes.lua $(B) $(ARGS)

# Specs of what is arithmetic, and short enough to be emulated.
ON_NEON := test_base test_lanes test_toi test_qp test_coordinates test_rows test_contacts

neon: $(B)/deps.neon ## the same hashes on emulated processors: aarch64 with NEON, x86-64 without AVX (long)
	@$(MAKE) build
	sh spec/tools/neon.sh $(B) $(ON_NEON)

bits32: $(B)/deps.bits32 ## the C specs for 32-bit x86, snapshots and recordings from 64 to 32 bits and back; ALL=1: slow ones, too
	+@OBJECTS='$(BINDINGS:$(B)/%=%) $(MAIN_O:$(B)/%=%)' sh spec/tools/bits32.sh $(B) $(PLAIN)
