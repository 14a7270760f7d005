# The build: flags, libraries, object files, programs and modules; and the installation.
#
# $(Q) hides a command unless V=1; $(call say,CC,FILE) prints the name of a file before it is made. A build from scratch
# prints the names of folders instead.
Q     := $(if $(V),,@)
FRESH := $(if $(wildcard $(B)/impel),,yes)
comma := ,
say    = $(if $(V),,@echo '  $(1) $(2)')

VERSION := $(shell sed -En 's/^.define IMP_VERSION_(MAJOR|MINOR|PATCH) //p' core/include/impel.h | paste -sd.)
SOVERSION := 0

# Despite -ffp-contract=off, gcc vectorizes some loops with fused multiply-add if CFLAGS allow FMA or AVX-512, which
# contains fused instructions too. NO_FMA comes after CFLAGS and disables both. The kernels enable AVX-512 again below.
MACHINE := $(shell $(CC) -dumpmachine 2>/dev/null)
X86_64 := $(findstring x86_64,$(MACHINE))
X86_32 := $(filter i386-% i486-% i586-% i686-%,$(MACHINE))
NO_FMA := $(if $(X86_64)$(X86_32),-mno-fma -mno-fma4 -mno-avx512f)
# 32-bit x86: compute in SSE2 registers, which round to double and float as other processors do; x87 registers do not.
SSE2   := $(if $(X86_32),-msse2 -mfpmath=sse)
# 32-bit systems: use 64-bit numbers for file sizes, inodes and process limits.
WIDE   := -D_FILE_OFFSET_BITS=64

WARN := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wdouble-promotion -Wmissing-prototypes -Wundef
BASE := -std=c17 -ffp-contract=off -fno-fast-math -fno-math-errno -fno-tree-slp-vectorize -fvisibility=hidden -fPIC -fno-plt \
        -pthread -MMD -MP -Icore/include $(NO_FMA) $(SSE2) $(WIDE)
COMPILE = $(CC) $(CFLAGS) $(BASE) $(WARN) $(WERROR) $(EXTRA) $(ISA)
LINK    = $(CC) $(CFLAGS) -pthread $(EXTRA) $(LDFLAGS)

# These variables are expanded where they are used, because make deps.% may first have to install Lua and pkg-config.
LUA_PC     = $(shell for p in lua5.4 lua-5.4 lua54 lua; do \
               pkg-config --exists $$p 2>/dev/null && echo $$p && break; done)
LUA_CFLAGS = $(shell pkg-config --cflags $(LUA_PC))
LUA_LIBS   = $(or $(wildcard $(shell pkg-config --variable=libdir $(LUA_PC))/lib$(LUA_PC).a),\
               $(shell pkg-config --libs $(LUA_PC))) -lm -ldl

# Line editing in impel repl, if libedit is installed.
HAS_EDIT := $(shell echo '\#include <histedit.h>' | $(CC) -E -x c - >/dev/null 2>&1 && echo yes)
EDIT_LIBS = $(or $(shell pkg-config --libs libedit 2>/dev/null),-ledit)

# Optional parts, which VIEWER=no, SANDBOX=no and LEARNING=no leave out. LEARNING consists only of scripts.
WITHOUT := $(strip $(foreach part,VIEWER SANDBOX LEARNING,$(if $(filter no,$($(part))),$(part))))
VIEWER_SCRIPTS   := viewer
SANDBOX_SCRIPTS  := sandbox
LEARNING_SCRIPTS := learn env.lua evolve.lua network.lua
with     = $(if $(filter $(1),$(WITHOUT)),,$(2))

# Windows and pictures, if SDL2, SDL2_ttf and libpng are installed.
WINDOW_PC  := sdl2 SDL2_ttf libpng
HAS_WINDOW := $(call with,VIEWER,$(shell pkg-config --exists $(WINDOW_PC) 2>/dev/null && echo yes))
WINDOW_CFLAGS = $(shell pkg-config --cflags $(WINDOW_PC))
WINDOW_LIBS   = $(shell pkg-config --libs $(WINDOW_PC))

# Sounds, if SDL2_mixer is installed.
HAS_MIXER := $(call with,VIEWER,$(shell pkg-config --exists SDL2_mixer 2>/dev/null && echo yes))
MIXER_CFLAGS = $(shell pkg-config --cflags SDL2_mixer)
MIXER_LIBS   = $(shell pkg-config --libs SDL2_mixer)

# The sandbox layer seccomp, if libseccomp is installed.
HAS_SECCOMP := $(call with,SANDBOX,$(shell pkg-config --exists libseccomp 2>/dev/null && echo yes))
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


# Files ----------------------------------------------------------------------------------------------------------------

HEADERS := $(sort $(wildcard core/include/*.h)) # impel.h and the headers that it includes
KERNELS := soft_kernels soft_body_kernels soft_joint_kernels
objects  = $(patsubst %.c,$(B)/%.o,$(wildcard $(1)))

# A kernel is compiled once per lane width, for an instruction set of that width: soft_kernels_8.o.
WIDTHS    := 1 4 $(if $(X86_64),8 16)
KERNELS_O := $(foreach w,$(WIDTHS),$(KERNELS:%=$(B)/core/solvers/soft/%_$(w).o) $(B)/core/solvers/soft/soft_kernels_$(w)_locked.o)
CORE      := $(filter-out $(KERNELS:%=$(B)/core/solvers/soft/%.o),$(call objects,core/*/*.c core/*/*/*.c)) $(KERNELS_O)

# Objects of the program and of the Lua modules. Code that needs an optional library is in a separate module.
SECCOMP_O  := $(call objects,bindings/sandbox/seccomp*.c)
MIXER_O    := $(B)/bindings/window/mixer.o
EDITLINE_O := $(B)/bindings/program/editline.o
MAIN_O     := $(B)/bindings/program/main.o
WINDOW_O   := $(filter-out $(MIXER_O),$(call objects,bindings/window/*.c bindings/picture/*.c))
SANDBOX_O  := $(filter-out $(SECCOMP_O),$(call objects,bindings/sandbox/*.c))
BINDINGS   := $(filter-out $(WINDOW_O) $(MIXER_O) $(EDITLINE_O) $(MAIN_O) $(SECCOMP_O) $(SANDBOX_O),\
                $(call objects,bindings/*/*.c)) $(call with,SANDBOX,$(SANDBOX_O))
COMPILED   := $(CORE) $(BINDINGS) $(MAIN_O) $(EDITLINE_O) $(MIXER_O) $(WINDOW_O) $(SECCOMP_O)

WINDOW   := $(if $(HAS_WINDOW),$(B)/lua/impel/window.so)
EDITLINE := $(if $(HAS_EDIT),$(B)/lua/impel/editline.so)
MIXER    := $(if $(HAS_MIXER),$(B)/lua/impel/mixer.so)
SECCOMP  := $(if $(HAS_SECCOMP),$(B)/lua/impel/seccomp.so)
BUILT    := $(B)/impel $(B)/lua/impel/core.so $(B)/libimpel.a $(B)/libimpel.so $(EDITLINE) $(WINDOW) $(MIXER) $(SECCOMP)
# Annotations for editors, written by the program, which finds its scripts only if B has the form build or build/x.
META     := $(if $(filter /% ../%,$(B))$(word 3,$(subst /, ,$(B))),,$(B)/impel.meta.lua)

define LEFT_OUT
$(if $(WITHOUT),echo 'built without these parts: $(WITHOUT)',:)
$(if $(HAS_EDIT),:,echo 'built without libedit (Debian: libedit-dev): impel repl reads plain lines')
$(if $(or $(HAS_SECCOMP),$(filter SANDBOX,$(WITHOUT))),:,echo 'built without libseccomp (Debian: libseccomp-dev): impel run --sandbox lacks the seccomp layer')
$(if $(or $(HAS_WINDOW),$(filter VIEWER,$(WITHOUT))),:,echo 'built without SDL2 (Debian: libsdl2-dev libsdl2-ttf-dev libpng-dev): no window and no PNG pictures or films; impel run and SVG work')
$(if $(or $(HAS_MIXER),$(filter VIEWER,$(WITHOUT))),:,echo 'built without SDL2_mixer (Debian: libsdl2-mixer-dev): impel.sound is silent')
endef


# Rules ----------------------------------------------------------------------------------------------------------------

# Folders of object files. A build from scratch prints a line for each of them, and a single line for all of bindings/.
FOLDERS := $(sort $(dir $(COMPILED)))
NAMED_FOLDERS := $(firstword $(FOLDERS)) $(filter-out $(B)/bindings/%,$(FOLDERS))
$(FOLDERS):
	$(if $(FRESH),$(if $(filter $@,$(NAMED_FOLDERS)),$(call say,CC,$(patsubst bindings/%,bindings,$(@:$(B)/%/=%)))))
	@mkdir -p $@
$(COMPILED): | $(FOLDERS)

RULES := Makefile $(wildcard scripts/make/*.mk)
# $(call compile,FLAGS): compile an object from a source of the library or the program.
define compile
$(if $(FRESH),,$(call say,CC,$<))
$(Q)$(COMPILE) $(1) -c -o $@ $<
endef

# $(call program,FLAGS,OBJECTS AND LIBRARIES): compile and link a program from one source file.
define program
$(call say,CC,$<)
@mkdir -p $(@D)
$(Q)$(COMPILE) $(1) -MF $@.d -o $@ $< $(2)
endef

# $(call kernel,WIDTH,FLAGS): the rules of one lane width.
define kernel
$(B)/core/solvers/soft/%_$(1).o: core/solvers/soft/%.c $(RULES)
	$$(call compile,-Icore -DIMPI_W=$(1) $(2))

$(B)/core/solvers/soft/%_$(1)_locked.o: core/solvers/soft/%.c $(RULES)
	$$(call compile,-Icore -DIMPI_W=$(1) $(2) -DIMPI_LOCKED)

endef
$(eval $(call kernel,1))
$(eval $(call kernel,4))
$(eval $(call kernel,8,-mavx2))
$(eval $(call kernel,16,-mavx512f -mavx512vl -mavx512dq))

$(B)/core/%.o: core/%.c $(RULES)
	$(call compile,-Icore)

$(B)/bindings/%.o: bindings/%.c $(RULES)
	$(call compile,-Ibindings $(LUA_CFLAGS) $(LIBRARY_CFLAGS))

$(WINDOW_O): private LIBRARY_CFLAGS = $(WINDOW_CFLAGS)
$(MIXER_O):  private LIBRARY_CFLAGS = $(MIXER_CFLAGS)

# The program reports the parts that this build leaves out, so module.o is compiled again when WITHOUT changes.
$(B)/bindings/program/module.o: private LIBRARY_CFLAGS = -DLEFT_OUT='"$(WITHOUT)"' $(WITHOUT:%=-DWITHOUT_%)
$(B)/bindings/program/module.o: $(B)/left_out
$(B)/left_out: always
	@mkdir -p $(@D)
	@echo '$(WITHOUT)' | cmp -s - $@ || echo '$(WITHOUT)' >$@
.PHONY: always

$(B)/libimpel.a: $(CORE)
	$(call say,AR,$@)
	@rm -f $@
	$(Q)$(AR) rcs $@ $(CORE)

$(B)/libimpel.so: $(CORE)
	$(call say,LD,$@)
	$(Q)$(LINK) $(SHARED) -o $@ $(CORE) -lm
	@ln -sf libimpel.so $@.$(SOVERSION)

# Link a Lua module from its objects and libraries.
$(B)/lua/impel/%.so:
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(LINK) $(MODULE) -o $@ $^ $(LIBRARIES)

$(B)/lua/impel/core.so: $(BINDINGS) $(B)/libimpel.a
$(B)/lua/impel/core.so: private LIBRARIES = -lm
$(B)/lua/impel/window.so: $(WINDOW_O) $(B)/libimpel.a
$(B)/lua/impel/window.so: private LIBRARIES = $(WINDOW_LIBS) -lm
$(B)/lua/impel/editline.so: $(EDITLINE_O)
$(B)/lua/impel/editline.so: private LIBRARIES = $(EDIT_LIBS)
$(B)/lua/impel/mixer.so: $(MIXER_O)
$(B)/lua/impel/mixer.so: private LIBRARIES = $(MIXER_LIBS) -lm
$(B)/lua/impel/seccomp.so: $(SECCOMP_O)
$(B)/lua/impel/seccomp.so: private LIBRARIES = $(SECCOMP_LIBS)

$(B)/impel: $(MAIN_O) $(BINDINGS) $(B)/libimpel.a
	$(call say,LD,$@)
	$(Q)$(LINK) $(EXPORT) -o $@ $^ $(LUA_LIBS)

$(B)/impel.meta.lua: $(B)/impel $(wildcard scripts/impel/*.lua scripts/impel/*/*.lua scripts/impel/*/*/*.lua)
	@$(B)/impel api --annotations > $@

# Install the system packages that a target needs. The stamp file prevents a second check.
$(B)/deps.%: .ci/deps
	@mkdir -p $(B)
	@sh .ci/deps $*
	@touch $@

-include $(COMPILED:.o=.d)


# Installing -----------------------------------------------------------------------------------------------------------

LUADIR := $(DESTDIR)$(PREFIX)/lib/lua/5.4/impel
SHARE  := $(DESTDIR)$(PREFIX)/share/impel

install: $(BUILT) $(META) ## install the program, the module, the library, its header and impel.pc below DESTDIR/PREFIX
	install -d $(addprefix $(DESTDIR)$(PREFIX)/,bin include lib/pkgconfig share/lua/5.4) $(LUADIR) $(SHARE)/scripts \
	  $(addprefix $(SHARE)/,annotations examples/ci examples/games examples/gallery/games)
	install $(B)/impel $(DESTDIR)$(PREFIX)/bin
	install -m 644 $(HEADERS) $(DESTDIR)$(PREFIX)/include
	install -m 644 $(B)/libimpel.a $(DESTDIR)$(PREFIX)/lib
	install $(B)/libimpel.so $(DESTDIR)$(PREFIX)/lib/libimpel.so.$(VERSION)
	ln -sf libimpel.so.$(VERSION) $(DESTDIR)$(PREFIX)/lib/libimpel.so.$(SOVERSION)
	ln -sf libimpel.so.$(SOVERSION) $(DESTDIR)$(PREFIX)/lib/libimpel.so
	install $(filter %/core.so,$(BUILT)) $(EDITLINE) $(WINDOW) $(MIXER) $(SECCOMP) $(LUADIR)
	cp -R scripts/impel $(SHARE)/scripts
	$(if $(WITHOUT),cd $(SHARE)/scripts/impel && rm -rf $(foreach part,$(WITHOUT),$($(part)_SCRIPTS)))
	$(if $(META),install -m 644 $(META) $(SHARE)/annotations/impel.lua)
	install -m 644 examples/*.lua $(SHARE)/examples
	install -m 644 examples/ci/* $(SHARE)/examples/ci
	install -m 644 examples/games/* $(SHARE)/examples/games
	install -m 644 examples/gallery/*.png $(SHARE)/examples/gallery
	install -m 644 examples/gallery/games/*.png $(SHARE)/examples/gallery/games
	ln -sfn ../../impel/scripts/impel $(DESTDIR)$(PREFIX)/share/lua/5.4/impel
	printf '%s\n' 'prefix=$(PREFIX)' 'libdir=$${prefix}/lib' 'includedir=$${prefix}/include' '' 'Name: impel' \
	  'Description: rigid-body physics from constraint rows' 'Version: $(VERSION)' 'Cflags: -I$${includedir}' \
	  'Libs: -L$${libdir} -limpel' 'Libs.private: -lm -pthread' > $(DESTDIR)$(PREFIX)/lib/pkgconfig/impel.pc

uninstall: ## remove the installed files
	rm -f $(addprefix $(DESTDIR)$(PREFIX)/,bin/impel $(addprefix include/,$(notdir $(HEADERS))) lib/libimpel.a lib/libimpel.so \
	  lib/libimpel.so.$(SOVERSION) lib/libimpel.so.$(VERSION) lib/pkgconfig/impel.pc share/lua/5.4/impel)
	rm -rf $(LUADIR) $(SHARE)
