// The stacks of all threads, for tests that hang. Every thread is sent a signal; its handler unwinds into a place of its own.
#define _GNU_SOURCE
#include "CTestSupport.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int64_t nanoseconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

// On a busy machine each yield is a time slice of every other process, and thousands of them are minutes: so what they take is no
// more than what is done between them.
void testsupport_let_others_run(void) {
  static _Atomic int64_t next;
  int64_t began = nanoseconds();
  if (began < atomic_load_explicit(&next, memory_order_relaxed)) return;
  sched_yield();
  int64_t ended = nanoseconds();
  atomic_store_explicit(&next, ended + (ended - began), memory_order_relaxed);
}

static char text[1 << 20];
static size_t length;

static void print(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int written = vsnprintf(text + length, sizeof text - length, format, arguments);
  va_end(arguments);
  if (written > 0) length += (size_t)written;
  if (length >= sizeof text) length = sizeof text - 1;
}

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))

#include <dirent.h>
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unwind.h>

// One of the signals that Dispatch leaves open on its threads.
enum { most_threads = 256, most_frames = 48, signal_number = SIGPIPE };

struct stack {
  uintptr_t frames[most_frames];
  int count;
  int isDone;
};
static struct stack stacks[most_threads];

__attribute__((disable_sanitizer_instrumentation)) static _Unwind_Reason_Code add_frame(struct _Unwind_Context *context, void *argument) {
  struct stack *stack = argument;
  if (stack->count == most_frames) return _URC_END_OF_STACK;
  stack->frames[stack->count++] = (uintptr_t)_Unwind_GetIP(context);
  return _URC_NO_REASON;
}

// The sanitizers hold a handler back until its thread calls something that they know. This one is installed behind their
// backs and is not instrumented.
__attribute__((disable_sanitizer_instrumentation)) static void answer(
    int number, siginfo_t *info, void *context) {
  (void)number;
  (void)context;
  if (info->si_code != SI_QUEUE) return;
  int saved = errno;
  struct stack *stack = info->si_value.sival_ptr;
  _Unwind_Backtrace(add_frame, stack);
  __atomic_store_n(&stack->isDone, 1, __ATOMIC_RELEASE);
  errno = saved;
}

// As the kernel wants it; the unwinder knows the bytes of the restorer.
struct kernel_action {
  void (*handler)(int, siginfo_t *, void *);
  unsigned long flags;
#if defined(__x86_64__)
  void (*restorer)(void);
#endif
  uint64_t mask;
};

#if defined(__x86_64__)
void testsupport_restorer(void);
__asm__(".text\n.balign 16\nnop\ntestsupport_restorer:\nmov $15, %rax\nsyscall\n");
#endif

static bool install(void) {
  struct kernel_action action = {.handler = answer, .flags = SA_SIGINFO | SA_RESTART};
#if defined(__x86_64__)
  action.flags |= 0x04000000;  // SA_RESTORER
  action.restorer = testsupport_restorer;
#endif
  return syscall(SYS_rt_sigaction, signal_number, &action, NULL, sizeof action.mask) == 0;
}

// The thread sanitizer begins a thread of its own, before the first of the program's, which must not run other code.
static pid_t sanitizers_thread;

static void note_sanitizers_thread(void) {
#if __has_feature(thread_sanitizer)
  DIR *folder = opendir("/proc/self/task");
  for (struct dirent *entry; folder && (entry = readdir(folder));) {
    pid_t thread = (pid_t)atoi(entry->d_name);
    if (thread == 0 || thread == getpid()) continue;
    if (sanitizers_thread == 0 || thread < sanitizers_thread) sanitizers_thread = thread;
  }
  if (folder) closedir(folder);
#endif
}

static bool ask(pid_t thread, struct stack *stack) {
  siginfo_t info = {0};
  info.si_signo = signal_number;
  info.si_code = SI_QUEUE;
  info.si_pid = getpid();
  info.si_uid = getuid();
  info.si_value.sival_ptr = stack;
  if (syscall(SYS_rt_tgsigqueueinfo, getpid(), thread, signal_number, &info)) return false;
  for (int milliseconds = 0; milliseconds < 1000; milliseconds++) {
    if (__atomic_load_n(&stack->isDone, __ATOMIC_ACQUIRE)) return true;
    struct timespec pause = {0, 1000000};
    nanosleep(&pause, NULL);
  }
  return false;
}

// MARK: Names of functions

static const char *image;  // the program's file, mapped
static uintptr_t slide;

static int note_slide(struct dl_phdr_info *info, size_t size, void *argument) {
  (void)size;
  (void)argument;
  slide = info->dlpi_addr;
  return 1;  // the first one is the program
}

static void map_program(void) {
  if (image) return;
  int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  struct stat status;
  if (file < 0) return;
  if (fstat(file, &status) == 0) {
    void *map = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (map != MAP_FAILED) image = map;
  }
  close(file);
  dl_iterate_phdr(note_slide, NULL);
}

// The function of the program's symbol table that the address lies in.
static const char *name_in_program(uintptr_t address) {
  if (!image) return NULL;
  const ElfW(Ehdr) *header = (const void *)image;
  const ElfW(Shdr) *sections = (const void *)(image + header->e_shoff);
  for (int index = 0; index < header->e_shnum; index++) {
    if (sections[index].sh_type != SHT_SYMTAB) continue;
    const ElfW(Sym) *symbols = (const void *)(image + sections[index].sh_offset);
    const char *names = image + sections[sections[index].sh_link].sh_offset;
    size_t count = sections[index].sh_size / sizeof *symbols;
    for (size_t number = 0; number < count; number++) {
      const ElfW(Sym) *symbol = symbols + number;
      if ((symbol->st_info & 0xf) != STT_FUNC) continue;
      uintptr_t start = slide + symbol->st_value;
      if (address >= start && address < start + symbol->st_size) return names + symbol->st_name;
    }
  }
  return NULL;
}

char *swift_demangle(
    const char *name, size_t length, char *buffer, size_t *size, uint32_t flags) __attribute__((weak));

static void print_frame(uintptr_t address) {
  Dl_info info = {0};
  const char *name = name_in_program(address - 1);
  bool isKnown = dladdr((void *)(address - 1), &info) != 0;
  if (!name && isKnown) name = info.dli_sname;
  static char demangled[2048];
  size_t size = sizeof demangled;
  if (name && swift_demangle && swift_demangle(name, strlen(name), demangled, &size, 0)) {
    demangled[sizeof demangled - 1] = 0;
    name = demangled;
  }
  const char *file = isKnown && info.dli_fname ? strrchr(info.dli_fname, '/') : NULL;
  print("    %s (%s+0x%lx)\n", name ? name : "?", file ? file + 1 : "?",
      (unsigned long)(address - (isKnown ? (uintptr_t)info.dli_fbase : 0)));
}

static void print_kernels_view(pid_t thread, const char *file) {
  char path[64], content[256];
  snprintf(path, sizeof path, "/proc/self/task/%d/%s", thread, file);
  int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return;
  ssize_t count = read(descriptor, content, sizeof content - 1);
  close(descriptor);
  if (count <= 0) return;
  content[count] = 0;
  content[strcspn(content, "\n")] = 0;
  print(" %s", content);
}

const char *testsupport_stacks(void) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&lock);
  length = 0;
  text[0] = 0;
  memset(stacks, 0, sizeof stacks);
  map_program();
  pid_t own = (pid_t)syscall(SYS_gettid);
  DIR *folder = install() ? opendir("/proc/self/task") : NULL;
  int number = 0;
  for (struct dirent *entry; folder && (entry = readdir(folder)) && number < most_threads;) {
    pid_t thread = (pid_t)atoi(entry->d_name);
    if (thread == 0 || thread == sanitizers_thread) continue;
    struct stack *stack = &stacks[number++];
    print("thread %d", thread);
    print_kernels_view(thread, "comm");
    print(thread == own ? ", which asks\n" : "\n");
    if (thread == own) {
      _Unwind_Backtrace(add_frame, stack);
    } else if (!ask(thread, stack)) {
      print("    gave no stack;");
      print_kernels_view(thread, "wchan");
      print_kernels_view(thread, "stat");
      print("\n");
      continue;
    }
    for (int frame = 0; frame < stack->count; frame++) print_frame(stack->frames[frame]);
  }
  if (folder) closedir(folder);
  pthread_mutex_unlock(&lock);
  return text;
}

// MARK: A process that does nothing for ten minutes hangs, and so does one that does not end

static double seconds_of_processor(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static int setting(const char *name, int otherwise) {
  const char *text = getenv(name);
  return text ? atoi(text) : otherwise;
}

// `answer` interrupts it.
static void rest(int seconds) {
  for (unsigned left = (unsigned)seconds; left > 0;) left = sleep(left);
}

static void *watch_idleness(void *argument) {
  (void)argument;
  int limit = setting("EASYREACT_IDLE_SECONDS", 600);
  if (limit <= 0) return NULL;
  while (true) {
    double before = seconds_of_processor();
    rest(limit);
    // A thread that naps until a lock is free, which it never is, takes two or three hundredths.
    if (seconds_of_processor() - before < 0.05 * limit) {
      testsupport_stop_with_stacks("the tests have done nothing for too long");
    }
  }
}

static void *watch_life(void *argument) {
  (void)argument;
  int limit = setting("EASYREACT_LIFE_SECONDS", 0);
  if (limit <= 0) return NULL;
  rest(limit);
  testsupport_stop_with_stacks("the tests have not ended within EASYREACT_LIFE_SECONDS");
  return NULL;
}

static void begin_watch(void *(*watch)(void *), const char *name) {
  pthread_t thread;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  if (pthread_create(&thread, &attributes, watch, NULL) == 0) pthread_setname_np(thread, name);
  pthread_attr_destroy(&attributes);
}

void testsupport_watch_process(void) {
  begin_watch(watch_idleness, "idle watch");
  begin_watch(watch_life, "life watch");
}

__attribute__((constructor)) static void begin(void) {
  testsupport_watch_process();
  note_sanitizers_thread();
}

#else

void testsupport_watch_process(void) {}

const char *testsupport_stacks(void) {
  length = 0;
  print("the stacks of other threads can be told on Linux only\n");
  return text;
}

#endif

void testsupport_stop_with_stacks(const char *reason) {
  // Whatever hangs, the process ends.
  signal(SIGALRM, SIG_DFL);
  alarm(60);
  dprintf(STDERR_FILENO, "\n%s; every thread's stack:\n%s\n", reason, testsupport_stacks());
  abort();
}
