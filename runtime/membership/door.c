/* A listening socket, and short messages before a connection is a link. */
#include "membership/door.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/stop.h"
#include "base/version.h"
#include "core/message/message.h"

#define WAITING 64 /* connections that may be about to say who they are. More: strangers take more memory. */

/* Seconds in which one has to say who it is; and only so many where others wait for its room. Larger:
 * strangers keep it for longer. Smaller: one on a slow network is not heard. */
#define INTRODUCTION 10.0
#define INTRODUCTION_OF_MANY 0.5

struct guest {
    int socket; /* negative: none */
    size_t got;
    double since;
    struct plb_door_ask ask;
};

struct plb_door {
    int socket;
    char *path;
    struct stat file; /* so that only this run's own is removed */
    char secret[40];
    struct guest guests[WAITING];
};

/* --------------------------------------------------------------------- the file */

static void make_secret(char secret[40])
{
    unsigned char bytes[16] = {0};
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        abort(); /* Linux gives as many at once */
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(secret + 2 * i, 3, "%02x", bytes[i]);
}

/* The addresses at which other hosts may reach this one, and at last the one for this host alone. */
static void write_addresses(FILE *out)
{
    struct ifaddrs *all = NULL;
    char text[INET_ADDRSTRLEN];
    if (getifaddrs(&all) != 0)
        all = NULL;
    for (const struct ifaddrs *at = all; at != NULL; at = at->ifa_next) {
        if (at->ifa_addr == NULL || at->ifa_addr->sa_family != AF_INET || (at->ifa_flags & IFF_LOOPBACK) != 0)
            continue;
        struct sockaddr_in in;
        memcpy(&in, at->ifa_addr, sizeof in);
        if (inet_ntop(AF_INET, &in.sin_addr, text, sizeof text) != NULL)
            fprintf(out, "address %s\n", text);
    }
    freeifaddrs(all);
    fprintf(out, "address 127.0.0.1\n");
}

/* Whether something else is there that somebody may want to keep. */
static bool is_foreign(const char *path)
{
    char line[sizeof PLB_DOOR_HEADING + 1] = "";
    FILE *old = fopen(path, "r");
    if (old == NULL)
        return false;
    bool ours = fgets(line, sizeof line, old) == NULL || strcmp(line, PLB_DOOR_HEADING "\n") == 0;
    fclose(old);
    return !ours;
}

static int write_file(struct plb_door *d, int port, const char *origin, struct plb_error *err)
{
    struct plb_file file;
    struct plb_error own = {.status = PLB_OK};
    char host[64] = "";
    if (is_foreign(d->path))
        return plb_fail(
            err, PLB_EINPUT,
            "%s: %s exists and is not the file of a run that can be joined; remove it, or name another",
            origin, d->path);
    unlink(d->path); /* others may be allowed to read it */
    gethostname(host, sizeof host - 1);
    if (plb_file_create(&file, d->path, &own) == PLB_OK) {
        fchmod(fileno(file.stream), S_IRUSR | S_IWUSR);
        fprintf(file.stream, PLB_DOOR_HEADING "\nhost %s\nport %d\nsecret %s\n", host, port, d->secret);
        write_addresses(file.stream);
        plb_file_commit(&file, &own);
    }
    if (own.status != PLB_OK)
        return plb_fail(err, PLB_EINPUT, "%s: %s", origin, own.text);
    stat(d->path, &d->file);
    return PLB_OK;
}

struct plb_door *plb_door_open(const char *path, const char *origin, struct plb_error *err)
{
    struct sockaddr_in any = {.sin_family = AF_INET};
    socklen_t length = sizeof any;
    struct plb_door *d = plb_alloc(sizeof *d);
    d->path = strdup(path);
    d->socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    for (int i = 0; i < WAITING; i++)
        d->guests[i].socket = -1;
    make_secret(d->secret);
    if (d->socket < 0 || bind(d->socket, (struct sockaddr *)&any, sizeof any) != 0
        || listen(d->socket, SOMAXCONN) != 0 || getsockname(d->socket, (struct sockaddr *)&any, &length) != 0)
        plb_fail(err, PLB_EFAILED, "%s: no port of this host can be opened: %s", origin, strerror(errno));
    else if (write_file(d, ntohs(any.sin_port), origin, err) == PLB_OK)
        plb_stop_remove(d->path);
    if (err->status == PLB_OK)
        return d;
    if (d->socket >= 0)
        close(d->socket);
    free(d->path);
    free(d);
    return NULL;
}

void plb_door_close(struct plb_door *d)
{
    struct stat now;
    if (d == NULL)
        return;
    if (stat(d->path, &now) == 0 && now.st_dev == d->file.st_dev && now.st_ino == d->file.st_ino)
        unlink(d->path);
    plb_stop_keep(d->path);
    close(d->socket);
    for (int i = 0; i < WAITING; i++)
        if (d->guests[i].socket >= 0)
            close(d->guests[i].socket);
    free(d->path);
    free(d);
}

/* -------------------------------------------------------------------- who comes */

/* Room for one more. Those that say nothing make room for it, the one that came first at first. */
static struct guest *room_for_one(struct plb_door *d, double now)
{
    struct guest *first = &d->guests[0];
    for (int i = 0; i < WAITING; i++) {
        struct guest *g = &d->guests[i];
        if (g->socket < 0)
            return g;
        if (g->since < first->since)
            first = g;
    }
    if (now < first->since + INTRODUCTION_OF_MANY)
        return NULL;
    return first;
}

/* All that wait, as far as there are places. Called after those at the places have been heard. */
static void accept_guests(struct plb_door *d, double now)
{
    for (struct guest *g; (g = room_for_one(d, now)) != NULL;) {
        int found = accept4(d->socket, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (found < 0)
            return;
        if (g->socket >= 0)
            close(g->socket);
        *g = (struct guest){.socket = found, .since = now};
    }
}

void plb_door_answer(int socket, const struct plb_door_answer *answer)
{
    int yes = 1;
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    bool told = send(socket, answer, sizeof *answer, MSG_NOSIGNAL) == (ssize_t)sizeof *answer;
    if (!told || answer->status != PLB_OK)
        shutdown(socket, SHUT_RDWR); /* a link finds it broken */
    if (answer->status != PLB_OK)
        close(socket);
}

/* Whether one may come in; else it is told why not. */
static bool is_welcome(const struct plb_door *d, struct guest *g, int socket)
{
    struct plb_door_answer no = {.status = PLB_EINPUT};
    g->ask.secret[sizeof g->ask.secret - 1] = g->ask.version[sizeof g->ask.version - 1] = '\0';
    g->ask.host[sizeof g->ask.host - 1] = '\0';
    if (memcmp(g->ask.magic, PLB_DOOR_MAGIC, sizeof PLB_DOOR_MAGIC) != 0
        || strcmp(g->ask.secret, d->secret) != 0)
        snprintf(no.why, sizeof no.why, "the file belongs to another run");
    else if (g->ask.protocol != PLB_PROTOCOL || strcmp(g->ask.version, PLB_VERSION) != 0)
        snprintf(no.why, sizeof no.why, "the run uses plbrun %s, and this is %s; install the same on both",
                 PLB_VERSION, g->ask.version);
    else
        return true;
    plb_door_answer(socket, &no);
    return false;
}

/* The socket of one that has said who it is, and may come in; negative: none. */
static int hear_guests(struct plb_door *d, double now, char host[64])
{
    for (int i = 0; i < WAITING; i++) {
        struct guest *g = &d->guests[i];
        if (g->socket < 0)
            continue;
        int socket = g->socket;
        ssize_t n = recv(socket, (char *)&g->ask + g->got, sizeof g->ask - g->got, 0);
        g->got += n > 0 ? (size_t)n : 0;
        bool ended = n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR) || now > g->since + INTRODUCTION;
        if (g->got < sizeof g->ask && !ended)
            continue;
        g->socket = -1;
        if (g->got < sizeof g->ask)
            close(socket);
        else if (is_welcome(d, g, socket)) {
            memcpy(host, g->ask.host, sizeof g->ask.host);
            return socket;
        }
    }
    return -1;
}

int plb_door_look(struct plb_door *d, char host[64])
{
    double now = plb_now();
    int socket = hear_guests(d, now, host);
    if (socket >= 0)
        return socket;
    accept_guests(d, now);
    return hear_guests(d, now, host);
}
