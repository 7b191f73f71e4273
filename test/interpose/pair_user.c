/* A library linked to one version of libpair, which uses it when it is unloaded, too. */
#include <stdio.h>

int pair_sum(int a, int b);
int pair_version(void);

int use_pair(int a, int b) { return pair_sum(a, b); }

__attribute__((destructor)) static void at_unload(void) {
  if (pair_version() != VERSION) printf("unloading: version %d for %d\n", pair_version(), VERSION);
}
