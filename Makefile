# impel: build, run, test, install. `make help` lists the targets; their rules are in scripts/make.
#
# All output of a build is in the folder $(B). Set CC, CFLAGS, LUA, PREFIX or DESTDIR to change a build; the flags that
# every build needs (C standard, no fused multiply-add, hidden symbols) are in BASE and always apply. V=1 shows the
# commands. VIEWER=no, SANDBOX=no and LEARNING=no build without that part.

B      ?= build
CC     := $(if $(filter default,$(origin CC)),gcc,$(CC))
CXX    := $(if $(filter default,$(origin CXX)),g++,$(CXX))
CFLAGS ?= -O3
LUA    ?= lua5.4
PREFIX ?= /usr/local
V      ?=
WERROR ?=
VIEWER ?=
SANDBOX ?=
LEARNING ?=

MAKEFLAGS += --no-print-directory
.DELETE_ON_ERROR:
.DEFAULT_GOAL := build

include scripts/make/build.mk
include scripts/make/check.mk
include scripts/make/long.mk

.PHONY: build all run test spec check install uninstall clean help

build all: $(BUILT) $(META) ## build the program, the module and the libraries (the default)
	@$(LEFT_OUT)

run: $(B)/deps.build ## build and run the pyramid: result table, trace in build/pyramid.csv, check
	@$(MAKE) build
	$(Q)$(B)/impel run examples/pyramid.lua --check --trace $(B)/pyramid.csv
	@echo
	@echo 'Try next:'
	@echo '  $(B)/impel view pyramid      the same scene in a window; drag the boxes'
	@echo '  $(B)/impel list              all examples; make them fail with --set'
	@echo '  $(B)/impel new game.lua      a scene of your own to start from'

test: $(B)/deps.test ## build, then run the C specs and the Lua specs; prints `N passed, N failed` at the end
	@$(MAKE) build specs
	@LUA=$(LUA) sh spec/tools/run.sh $(B) $(SUITES)

spec: $(B)/deps.test ## build, then run the specs whose name has NAME in it: make spec NAME=joints
	$(if $(NAME),,$(error NAME is missing: make spec NAME=joints runs the specs with joints in their name))
	@$(if $(NAMED),$(MAKE) -s build $(call programs,$(NAMED)),$(NO_SUCH_SPEC))
	@LUA=$(LUA) sh spec/tools/run.sh $(B) $(NAMED)

check: $(B)/deps.check ## compile with gcc and clang without warnings; then lint, terms, layers, bits32, gate, scale, test
	@$(MAKE) $(CHECKS)
	@$(MAKE) test

clean: ## remove build/
	rm -rf $(B)

help: ## print this list
	@cat $(MAKEFILE_LIST) | sed -n 's/^\([a-z][a-z0-9 -]*\):.*## /\1:/p' \
	  | awk -F: '{ printf "%-18s %s\n", $$1, substr($$0, length($$1) + 2) }'
	@echo
	@echo 'Parts that may be left out: VIEWER=no (the window, pictures in pixels, sound), SANDBOX=no (--sandbox),'
	@echo 'LEARNING=no (impel.env, impel.evolve, impel.network)'
