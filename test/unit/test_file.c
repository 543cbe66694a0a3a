/* Files that are complete or not there: links, permissions, temporary names, signals, pipes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/stop.h"
#include "folder.h"
#include "host/crash.h"
#include "skip.h"

/* In the place of the system's: counts folders. */
static int synced_folders;

int fsync(int fd)
{
    struct stat info;
    synced_folders += fstat(fd, &info) == 0 && S_ISDIR(info.st_mode);
    return (int)syscall(SYS_fsync, fd);
}

static char *beside(const struct folder *folder, const char *name)
{
    static char path[4][512];
    static int next;
    char *p = path[next++ % 4];
    snprintf(p, sizeof path[0], "%s/%s", folder->path, name);
    return p;
}

static void write_text(const char *path, const char *text)
{
    struct plb_file f;
    struct plb_error err = {.status = PLB_OK};
    if (plb_file_create(&f, path, &err) == PLB_OK) {
        fputs(text, f.stream);
        plb_file_commit(&f, &err);
    }
    assert_string_equal(err.text, "");
}

static void holds(const char *path, const char *text)
{
    char found[64] = "";
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    found[fread(found, 1, sizeof found - 1, f)] = '\0';
    fclose(f);
    assert_string_equal(found, text);
}

static int files_in(const char *path)
{
    int count = 0;
    DIR *dir = opendir(path);
    assert_non_null(dir);
    for (struct dirent *e = readdir(dir); e != NULL; e = readdir(dir))
        count += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    closedir(dir);
    return count;
}

/* Links in a row, one of them relative, to a file that is not there and then to one that is. */
static void a_link_stays_and_its_target_is_written(void **state)
{
    const struct folder *folder = *state;
    const char *first = beside(folder, "first"), *second = beside(folder, "second");
    struct stat info;
    assert_int_equal(symlink("second", first), 0);
    assert_int_equal(symlink(folder->file, second), 0);
    for (int i = 0; i < 2; i++) {
        write_text(first, i == 0 ? "one" : "two");
        holds(folder->file, i == 0 ? "one" : "two");
        assert_true(lstat(first, &info) == 0 && S_ISLNK(info.st_mode));
        assert_true(lstat(folder->file, &info) == 0 && S_ISREG(info.st_mode));
        assert_int_equal(files_in(folder->path), 3);
    }
    assert_true(plb_file_same(first, folder->file));
    unlink(first);
    unlink(second);
}

static void links_in_a_circle_are_refused(void **state)
{
    const struct folder *folder = *state;
    const char *a = beside(folder, "a"), *b = beside(folder, "b");
    struct plb_file f;
    struct plb_error err = {.status = PLB_OK};
    assert_int_equal(symlink(b, a) + symlink(a, b), 0);
    assert_int_equal(plb_file_create(&f, a, &err), PLB_EFAILED);
    assert_non_null(strstr(err.text, "levels of symbolic links"));
    unlink(a);
    unlink(b);
}

static void an_older_file_keeps_its_permissions(void **state)
{
    const struct folder *folder = *state;
    struct stat info;
    put(folder->file, "older", 5);
    assert_int_equal(chmod(folder->file, 0600), 0);
    write_text(folder->file, "new");
    assert_int_equal(stat(folder->file, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    holds(folder->file, "new");
}

/* From here on no file of this process can be nameless, as on many network file systems. */
static void have_no_nameless_files(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_TMPFILE & ~O_DIRECTORY, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EOPNOTSUPP),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof code / sizeof *code, code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0
        || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        _exit(77);
}

/* A child that begins two files with temporary names, says so, and waits for a signal; listening: it looks
 * for one. */
static pid_t begin_file(const char *path, bool listens, int *said)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        struct plb_file f, second;
        struct plb_error err = {.status = PLB_OK};
        if (freopen("/dev/null", "w", stderr) == NULL)
            _exit(1);
        signal(SIGSEGV, SIG_DFL); /* cmocka has a handler */
        plb_stop_prepare(false);
        plb_crash_watch(0);
        plb_stop_listen(listens);
        have_no_nameless_files();
        if (plb_file_create(&f, path, &err) != PLB_OK || plb_file_create(&second, path, &err) != PLB_OK
            || f.temporary == NULL || second.temporary == NULL || write(ends[1], "x", 1) != 1)
            _exit(1);
        while (!listens || plb_stop_asked() == 0)
            usleep(1000);
        plb_file_drop(&second);
        fputs("late", f.stream);
        _exit(plb_file_commit(&f, &err));
    }
    close(ends[1]);
    *said = ends[0];
    return child;
}

static void a_signal_leaves_no_temporary_file(void **state)
{
    const struct folder *folder = *state;
    static const int numbers[] = {SIGTERM, SIGINT, SIGSEGV, SIGTERM, SIGINT};
    for (int i = 0; i < 5; i++) {
        int said, status, number = numbers[i];
        bool listens = i >= 3;
        char byte;
        pid_t child = begin_file(folder->file, listens, &said);
        ssize_t got = read(said, &byte, 1);
        close(said);
        if (got == 1) {
            assert_int_equal(files_in(folder->path), 2);
            kill(child, number);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
            skip_since("the system forbids no open of nameless files");
        assert_int_equal(got, 1);
        assert_true(listens ? WIFEXITED(status) && WEXITSTATUS(status) == 0
                            : WIFSIGNALED(status) && WTERMSIG(status) == number);
        assert_int_equal(files_in(folder->path), listens);
        if (listens)
            holds(folder->file, "late");
        unlink(folder->file);
    }
}

/* A link planted at the name that earlier versions took, and the file that it leads to. */
static void nobody_can_foresee_a_temporary_name(void **state)
{
    const struct folder *folder = *state;
    char name[64];
    snprintf(name, sizeof name, "input.tmp.%ld", (long)getpid());
    const char *planted = beside(folder, name), *victim = beside(folder, "victim");
    put(victim, "kept", 4);
    put(folder->file, "older", 5);
    assert_int_equal(symlink(victim, planted), 0);
    write_text(folder->file, "new");
    holds(victim, "kept");
    holds(folder->file, "new");
    struct stat info;
    assert_true(lstat(planted, &info) == 0 && S_ISLNK(info.st_mode));
    assert_int_equal(files_in(folder->path), 3);
    unlink(planted);
    unlink(victim);
}

/* The name of the folder's file, made so long: of letters, and with its ending. */
static char *long_name(const struct folder *folder, size_t length)
{
    char name[300];
    memset(name, 'n', length);
    memcpy(name + length - 4, ".npy", 5);
    return beside(folder, name);
}

static void names_are_as_long_as_the_file_system_takes(void **state)
{
    const struct folder *folder = *state;
    struct plb_file f;
    struct plb_error err = {.status = PLB_OK};
    const char *longest = long_name(folder, 255);
    for (int i = 0; i < 2; i++) /* the second replaces the first */
        write_text(longest, i == 0 ? "one" : "two");
    holds(longest, "two");
    assert_int_equal(files_in(folder->path), 1);
    char *elsewhere = plb_file_elsewhere(longest, ".wrong", 0);
    assert_non_null(strstr(elsewhere, "nn.npy.wrong"));
    assert_in_range(strlen(elsewhere), 100, 143);
    free(elsewhere);
    unlink(longest);
    assert_int_equal(plb_file_create(&f, long_name(folder, 256), &err), PLB_EFAILED);
    assert_non_null(strstr(err.text, "File name too long"));
}

static void a_pipe_is_written_to_its_reader(void **state)
{
    const struct folder *folder = *state;
    struct plb_error err = {.status = PLB_OK};
    char got[8] = "";
    assert_int_equal(mkfifo(folder->file, 0600), 0);
    assert_int_equal(plb_file_check(folder->file, &err), PLB_OK); /* without a reader */
    pid_t child = fork();
    if (child == 0) {
        int fd = open(folder->file, O_RDONLY);
        _exit(read(fd, got, sizeof got) == 3 && memcmp(got, "new", 3) == 0 ? 0 : 1);
    }
    int status;
    write_text(folder->file, "new");
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_true(!plb_file_same(folder->file, folder->file));
}

/* Also where it is a file: then nothing of it, and nothing of /dev, is replaced. */
static void a_descriptor_is_written_in_place(void **state)
{
    const struct folder *folder = *state;
    char name[32];
    int fd = open(folder->file, O_WRONLY | O_CREAT, 0600);
    assert_true(fd >= 0 && write(fd, "first ", 6) == 6);
    snprintf(name, sizeof name, "/dev/fd/%d", fd);
    assert_int_equal(plb_file_descriptor(name), fd);
    assert_int_equal(plb_file_descriptor("/dev/stdout"), 1);
    assert_int_equal(plb_file_descriptor(folder->file), -1);
    write_text(name, "second");
    holds(folder->file, "first second");
    close(fd);
}

static void a_name_is_on_disk_as_well(void **state)
{
    const struct folder *folder = *state;
    synced_folders = 0;
    write_text(folder->file, "new");
    assert_int_equal(synced_folders, 1);
    write_text(folder->file, "replaced");
    assert_int_equal(synced_folders, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_FOLDER(a_link_stays_and_its_target_is_written),
        TEST_IN_FOLDER(links_in_a_circle_are_refused),
        TEST_IN_FOLDER(an_older_file_keeps_its_permissions),
        TEST_IN_FOLDER(a_signal_leaves_no_temporary_file),
        TEST_IN_FOLDER(nobody_can_foresee_a_temporary_name),
        TEST_IN_FOLDER(names_are_as_long_as_the_file_system_takes),
        TEST_IN_FOLDER(a_pipe_is_written_to_its_reader),
        TEST_IN_FOLDER(a_descriptor_is_written_in_place),
        TEST_IN_FOLDER(a_name_is_on_disk_as_well),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
