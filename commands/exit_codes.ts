/** What a command ends with where it is not done, as `demand --help` lists it. */
export const EXIT_FAILED = 1;
export const EXIT_USAGE = 2;
/** As shells say it: 128 and the number of SIGINT. */
export const EXIT_INTERRUPTED = 130;
