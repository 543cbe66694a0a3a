/* The version of plbrun, in one place. */
#ifndef PLB_BASE_VERSION_H
#define PLB_BASE_VERSION_H

#define PLB_VERSION "0.1.0"

#endif
