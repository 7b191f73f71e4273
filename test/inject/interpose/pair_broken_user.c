/* Uses libpair without needing it: bound lazily, and nothing has it. */
int pair_sum(int a, int b);

int use_pair(int a, int b) { return pair_sum(a, b); }
