/** The ids of wants, which are those of their cards. */
import { createHash } from "node:crypto";

const ID_LETTERS = "abcdefghijklmnopqrstuvwxyz234567";
const ID_LENGTH = 16;

/** Between the two values of a pair; it stands in no value. */
const BETWEEN = "\t";

/**
 * The value of a want that states both values, in one order whichever is given first; `valuesOf`
 * parts them.
 */
export function pairValue(one: string, other: string): string {
  return (one < other ? [one, other] : [other, one]).join(BETWEEN);
}

/**
 * The canonical values of a want's value: one, or both of a pair in alphabetical order; [""] of a
 * market's.
 */
export function valuesOf(value: string): readonly string[] {
  return value.split(BETWEEN);
}

/**
 * The id of a want, the same wherever and whenever it is stated: `opp_` and 16 characters of lower-case
 * base32, the first 80 bits of the SHA-256 of `kind/value`. An empty value is the kind's market.
 */
export function wantId(kind: string, value: string): string {
  const digest = createHash("sha256").update(`${kind}/${value}`).digest();
  let bits = 0n;
  for (const byte of digest.subarray(0, 10)) bits = (bits << 8n) | BigInt(byte);
  let id = "";
  for (let i = 0; i < ID_LENGTH; i++) {
    id = (ID_LETTERS[Number(bits & 31n)] ?? "") + id;
    bits >>= 5n;
  }
  return `opp_${id}`;
}
