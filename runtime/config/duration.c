/* Two forms: numbers with units, and fields with colons as Slurm's --time has them. */
#include "config/duration.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    double seconds;
} units[] = {{"s", 1.0}, {"min", 60.0}, {"m", 60.0}, {"h", 3600.0}, {"d", 86400.0}};

/* The seconds of the unit that a text begins with; 0: none. *text moves behind it. */
static double take_unit(const char **text)
{
    size_t letters = 0;
    while (isalpha((unsigned char)(*text)[letters]))
        letters++;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (letters == strlen(units[i].name) && strncmp(*text, units[i].name, letters) == 0) {
            *text += letters;
            return units[i].seconds;
        }
    return 0.0;
}

/* "1h30m", or one bare number. strtod alone would take "inf", "-1" and "0x10". */
static bool parse_units(const char *text, double *seconds)
{
    bool bare = text[strspn(text, "0123456789.")] == '\0';
    double sum = 0.0;
    for (int n = 0; *text != '\0' || n == 0; n++) {
        char *end;
        if (strspn(text, "0123456789.") == 0)
            return false;
        double number = strtod(text, &end), unit = 1.0;
        if (end != text + strspn(text, "0123456789."))
            return false;
        text = end;
        if (!bare && (unit = take_unit(&text)) <= 0.0)
            return false;
        sum += number * unit;
    }
    *seconds = sum;
    return isfinite(sum);
}

/* Whole digits up to `end`, at most eight; negative: something else. */
static double field(const char **text, char end)
{
    size_t digits = strspn(*text, "0123456789");
    if (digits == 0 || digits > 8 || (*text)[digits] != end)
        return -1.0;
    double value = strtod(*text, NULL);
    *text += digits + (end != '\0');
    return value;
}

/* "H:MM:SS" or "D-HH:MM:SS". "1:30" would be an hour and a half here and a minute and a half there. */
static bool parse_fields(const char *text, double *seconds)
{
    double days = strchr(text, '-') != NULL ? field(&text, '-') : 0.0;
    if (days < 0.0)
        return false;
    double hours = field(&text, ':'), minutes = hours >= 0.0 ? field(&text, ':') : -1.0;
    double rest = minutes >= 0.0 ? field(&text, '\0') : -1.0;
    if (rest < 0.0 || minutes >= 60.0 || rest >= 60.0)
        return false;
    *seconds = ((days * 24.0 + hours) * 60.0 + minutes) * 60.0 + rest;
    return true;
}

bool plb_parse_duration(const char *text, double *seconds)
{
    return strchr(text, ':') != NULL ? parse_fields(text, seconds) : parse_units(text, seconds);
}
