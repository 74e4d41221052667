/* Set in the environment by a process that begins teardown: from then on deaf.so is deaf. */
#define DEAF_NOW "NH_TEST_DEAF_NOW"
