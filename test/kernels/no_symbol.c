/* A shared object that is no kernel. It has no variable: the address sanitizer refuses copies that define the
 * same one. */
void nothing(void);
void nothing(void)
{
}
