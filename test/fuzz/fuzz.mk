# make fuzz SECONDS=60: each target for so long, one after the other, under libFuzzer and sanitizers. It needs
# clang. Its corpus stays in build/fuzz/corpus; the input of a finding is kept in build/fuzz/findings.

FUZZ := $(patsubst test/fuzz/fuzz_%.c,%,$(wildcard test/fuzz/fuzz_*.c))
FUZZ_B := build/fuzz
FUZZ_SECONDS := $(if $(filter command line,$(origin SECONDS)),$(SECONDS),60)
FUZZ_CC := clang -std=c11 -D_GNU_SOURCE -DPLB_DEBUG -g -O1 -pthread -MMD -MP -fno-sanitize-recover=all \
           -Iruntime/include -Iruntime -Itest/fuzz
# The layers below jobs, and what reads frames, profiles and names of balancers.
FUZZ_SOURCES := $(wildcard $(patsubst %,runtime/%/*.c,base host model model/energy format format/*)) \
                $(wildcard $(patsubst %,runtime/%/*.c,core core/* config)) \
                runtime/profile/profile_file.c runtime/profile/pool.c runtime/transport/frame.c \
                runtime/job/balancer_table.c $(BALANCER_C)
FUZZ_OBJECTS := $(FUZZ_SOURCES:%.c=$(FUZZ_B)/%.o) $(FUZZ_B)/balancers.o
# The readers of a journal and the parts of a job that they ask, for fuzz_journal alone.
FUZZ_JOURNAL := $(patsubst %,$(FUZZ_B)/runtime/journal/%.o,files found identity joblog record) \
                $(patsubst %,$(FUZZ_B)/runtime/journal/%.o,snapshot state) \
                $(patsubst runtime/%.c,$(FUZZ_B)/runtime/%.o,$(wildcard runtime/app/*.c)) \
                $(patsubst %,$(FUZZ_B)/runtime/job/%.o,kernel_file kernel_search) \
                $(FUZZ_B)/runtime/device/driver.o $(FUZZ_B)/runtime/report/quantity.o
FUZZ_LIBS := $(LAPACKE_LIBS) -lnlopt -lhwloc -linih -ljansson $(PNG_LIBS) -ldl -lm

.PHONY: fuzz
ifeq ($(shell command -v clang),)
fuzz:
	@echo "fuzz targets need clang"; echo "0 passed, 0 failed, $(words $(FUZZ)) skipped"
else
fuzz: $(FUZZ:%=$(FUZZ_B)/fuzz_%)
	@test/fuzz/run $(FUZZ_SECONDS) $(FUZZ)
endif

$(FUZZ_B)/balancers.o: $(B)/balancers.c
	@mkdir -p $(@D)
	$(Q)$(FUZZ_CC) -fsanitize=fuzzer-no-link,address,undefined $(PACKAGES) -c $< -o $@
$(FUZZ_B)/%.o: %.c
	@mkdir -p $(@D)
	@echo "  fuzz  $<"
	$(Q)$(FUZZ_CC) -fsanitize=fuzzer-no-link,address,undefined $(PACKAGES) -c $< -o $@
$(FUZZ_B)/fuzz_%: $(FUZZ_B)/test/fuzz/fuzz_%.o $(FUZZ_OBJECTS)
	@echo "  link  $@"
	$(Q)$(FUZZ_CC) -fsanitize=fuzzer,address,undefined -o $@ $^ $(FUZZ_LIBS)
$(FUZZ_B)/fuzz_journal: $(FUZZ_JOURNAL)
.SECONDARY: $(FUZZ_OBJECTS) $(FUZZ_JOURNAL) $(FUZZ:%=$(FUZZ_B)/test/fuzz/fuzz_%.o)
-include $(FUZZ_OBJECTS:.o=.d) $(FUZZ_JOURNAL:.o=.d) $(wildcard $(FUZZ_B)/test/fuzz/*.d)
