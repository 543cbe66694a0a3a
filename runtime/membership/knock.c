/* The file is read, and each of its addresses is tried. */
#include "membership/knock.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/version.h"
#include "core/message/message.h"

/* Milliseconds that one waits for a connection to an address, and for the answer: rank 0 may be in the
 * kernel's own code. Larger: a wrong address costs more time. Smaller: a busy rank 0 is given up. */
#define CONNECTION 3000
#define ANSWER 300000

#define ADDRESSES 16 /* of a file that are tried */

/* Facts from the file. */
struct address_file {
    char host[64], secret[40];
    int port;
    char at[ADDRESSES][INET_ADDRSTRLEN];
    int n;
};

static int read_file(const char *path, struct address_file *door, struct plb_error *err)
{
    char line[120] = "";
    FILE *in = fopen(path, "r");
    if (in == NULL)
        return plb_fail(err, PLB_EINPUT,
                        "--join %s: %s; name the file of run.join, which exists while that run computes",
                        path, strerror(errno));
    bool right = fgets(line, sizeof line, in) != NULL && strcmp(line, PLB_DOOR_HEADING "\n") == 0;
    while (right && fgets(line, sizeof line, in) != NULL) {
        sscanf(line, "host %63s", door->host);
        sscanf(line, "port %d", &door->port);
        sscanf(line, "secret %39s", door->secret);
        if (door->n < ADDRESSES && sscanf(line, "address %15s", door->at[door->n]) == 1)
            door->n++;
    }
    fclose(in);
    if (right && door->n > 0 && door->port > 0)
        return PLB_OK;
    return plb_fail(
        err, PLB_EINPUT,
        "--join %s: this is not the file of a run that can be joined; name the file of its run.join", path);
}

/* Waits until a socket can be read or written. */
static bool await(int socket, short events, int ms)
{
    struct pollfd at = {.fd = socket, .events = events};
    return poll(&at, 1, ms) == 1;
}

static int connect_to(const char *address, int port)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    int yes = 1, failed = 0, s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    socklen_t length = sizeof failed;
    if (s < 0 || inet_pton(AF_INET, address, &to.sin_addr) != 1)
        return s;
    setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    bool begun = connect(s, (struct sockaddr *)&to, sizeof to) == 0 || errno == EINPROGRESS;
    if (begun && await(s, POLLOUT, CONNECTION) && getsockopt(s, SOL_SOCKET, SO_ERROR, &failed, &length) == 0
        && failed == 0)
        return s;
    close(s);
    return -1;
}

/* The last address is that of the host itself. */
static int connect_any(const struct address_file *door, const char *host)
{
    bool here = strcmp(door->host, host) == 0;
    int s = here ? connect_to(door->at[door->n - 1], door->port) : -1;
    for (int i = 0; i < door->n - 1 && s < 0; i++)
        s = connect_to(door->at[i], door->port);
    return s;
}

static bool hear(int s, struct plb_door_answer *answer)
{
    size_t got = 0;
    while (got < sizeof *answer && await(s, POLLIN, ANSWER)) {
        ssize_t n = recv(s, (char *)answer + got, sizeof *answer - got, 0);
        if (n <= 0)
            return false;
        got += (size_t)n;
    }
    answer->why[sizeof answer->why - 1] = '\0';
    return got == sizeof *answer;
}

int plb_knock(const char *path, struct plb_door_answer *answer, struct plb_error *err)
{
    struct address_file door = {.port = 0};
    struct plb_door_ask ask = {.magic = PLB_DOOR_MAGIC, .version = PLB_VERSION, .protocol = PLB_PROTOCOL};
    if (read_file(path, &door, err) != PLB_OK)
        return -1;
    gethostname(ask.host, sizeof ask.host - 1);
    memcpy(ask.secret, door.secret, sizeof ask.secret);
    int s = connect_any(&door, ask.host);
    if (s < 0) {
        plb_fail(
            err, PLB_EFAILED,
            "--join %s: nobody answers on port %d of %s; the run has ended, or this host cannot reach it",
            path, door.port, door.host);
        return -1;
    }
    if (send(s, &ask, sizeof ask, MSG_NOSIGNAL) != (ssize_t)sizeof ask || !hear(s, answer))
        plb_fail(err, PLB_EFAILED, "--join %s: the run on %s ended before this rank could join", path,
                 door.host);
    else if (answer->status != PLB_OK)
        plb_fail(err, answer->status, "--join %s: %s", path, answer->why);
    if (err->status == PLB_OK)
        return s;
    close(s);
    return -1;
}
