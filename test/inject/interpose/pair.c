/* libpair.so.VERSION: says which copy of it was called. */
int pair_version(void) { return VERSION; }
int pair_sum(int a, int b) { return 1000 * VERSION + a + b; }
