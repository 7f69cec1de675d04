/* The few functions of a C library that the compiler calls; built without builtins, or they would call themselves. */
#include <string.h>

void *memcpy(void *to, const void *from, size_t size) {
  unsigned char *a = to;
  const unsigned char *b = from;
  for (; size >= 4; size -= 4, a += 4, b += 4) *(unsigned *)a = *(const unsigned *)b;
  while (size--) *a++ = *b++;
  return to;
}

void *memmove(void *to, const void *from, size_t size) {
  unsigned char *a = to;
  const unsigned char *b = from;
  if (a < b) {
    while (size--) *a++ = *b++;
  } else {
    while (size--) a[size] = b[size];
  }
  return to;
}

void *memset(void *to, int value, size_t size) {
  unsigned char *a = to;
  while (size--) *a++ = value;
  return to;
}

int memcmp(const void *left, const void *right, size_t size) {
  const unsigned char *a = left, *b = right;
  for (; size; size--, a++, b++) {
    if (*a != *b) return *a - *b;
  }
  return 0;
}

size_t strlen(const char *text) {
  size_t size = 0;
  while (text[size]) size++;
  return size;
}
