/* Linked into sanitized builds only: shared objects stay loaded, so that the leak checker can still
 * name the library (Open MPI unloads its components before the check) and suppressions apply. */
int dlclose(void *object);

int dlclose(void *object)
{
    (void)object;
    return 0;
}
