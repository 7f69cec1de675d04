/* What the service needs of libsecp256k1: whose key signed a digest. Built by tasks/secp256k1.ts. */
#include "src/secp256k1.c"
#include "src/precomputed_ecmult.c"
#include "src/precomputed_ecmult_gen.c"

/* In: r and s (64 bytes), digest (32). Out, over it all: the key, its 64 bytes of x and y. */
static unsigned char cell[96];

__attribute__((export_name("cell"))) unsigned char *cell_address(void) { return cell; }

/* 1 where a key was found, 0 where the signature has none. `id` is 0 or 1. */
__attribute__((export_name("recover"))) int recover(int id) {
  const secp256k1_context *context = secp256k1_context_static;
  secp256k1_ecdsa_recoverable_signature signature;
  secp256k1_pubkey key;
  unsigned char serialized[65];
  size_t size = sizeof(serialized);
  if (!secp256k1_ecdsa_recoverable_signature_parse_compact(context, &signature, cell, id)) return 0;
  if (!secp256k1_ecdsa_recover(context, &key, &signature, cell + 64)) return 0;
  if (!secp256k1_ec_pubkey_serialize(context, serialized, &size, &key, SECP256K1_EC_UNCOMPRESSED)) {
    return 0;
  }
  memcpy(cell, serialized + 1, 64);
  return 1;
}

/* The library calls these for arguments that break its own rules: none of ours do. */
void secp256k1_default_illegal_callback_fn(const char *message, void *data) { __builtin_trap(); }
void secp256k1_default_error_callback_fn(const char *message, void *data) { __builtin_trap(); }
