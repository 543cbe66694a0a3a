/* One that says who it is comes in, however many connections say nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/version.h"
#include "core/message/message.h"
#include "membership/door.h"

#define STRANGERS 200

static const char *path;
static int strangers[STRANGERS];

/* The value of a line of the file. */
static void read_door(const char *word, char value[64])
{
    char line[120], form[32];
    FILE *in = fopen(path, "r");
    snprintf(form, sizeof form, "%s %%63s", word);
    while (in != NULL && fgets(line, sizeof line, in) != NULL)
        sscanf(line, form, value);
    if (in != NULL)
        fclose(in);
}

static int come(void)
{
    char port[64] = "";
    read_door("port", port);
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port))};
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(connect(s, (struct sockaddr *)&to, sizeof to) == 0);
    return s;
}

static int come_and_speak(const char *host)
{
    struct plb_door_ask ask = {.magic = PLB_DOOR_MAGIC, .version = PLB_VERSION, .protocol = PLB_PROTOCOL};
    char secret[64] = "";
    read_door("secret", secret);
    snprintf(ask.secret, sizeof ask.secret, "%.39s", secret);
    snprintf(ask.host, sizeof ask.host, "%s", host);
    int s = come();
    assert_true(send(s, &ask, sizeof ask, 0) == (ssize_t)sizeof ask);
    return s;
}

/* Looks until one comes in, or for so many seconds: far fewer than those in which one has to speak. */
static bool comes_in(struct plb_door *d, const char *host)
{
    char who[64] = "";
    int s = -1;
    for (double end = plb_now() + 5.0; s < 0 && plb_now() < end;) {
        s = plb_door_look(d, who);
        plb_sleep_until(plb_now() + 0.02);
    }
    if (s >= 0)
        close(s);
    return s >= 0 && strcmp(who, host) == 0;
}

static void behind_strangers(int n)
{
    struct plb_error err = {.status = PLB_OK};
    char name[] = "/tmp/plb_test_door.XXXXXX";
    int file = mkstemp(name);
    assert_true(file >= 0);
    close(file);
    path = name;
    struct plb_door *d = plb_door_open(path, "test", &err);
    assert_non_null(d);
    for (int i = 0; i < n; i++)
        strangers[i] = come();
    int s = come_and_speak("one");
    assert_true(comes_in(d, "one"));
    close(s);
    for (int i = 0; i < n; i++)
        close(strangers[i]);
    plb_door_close(d);
}

static void one_comes_in(void **state)
{
    (void)state;
    behind_strangers(0);
}

static void behind_some_that_say_nothing(void **state)
{
    (void)state;
    behind_strangers(20);
}

static void behind_more_than_have_a_place(void **state)
{
    (void)state;
    behind_strangers(STRANGERS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_comes_in),
        cmocka_unit_test(behind_some_that_say_nothing),
        cmocka_unit_test(behind_more_than_have_a_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
