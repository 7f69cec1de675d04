/* Nothing here prints. */
#define fprintf(...) ((void)0)
