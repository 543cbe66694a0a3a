/* A shared object that is no kernel. */
const int nothing = 0;
