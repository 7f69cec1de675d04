/** Who is calling: the address behind trusted proxies, and the key that rate limits count under. */
import { OperatorError } from "../../core/errors.ts";

/** An address as eight groups of 16 bits; IPv4 as `::ffff:a.b.c.d`. */
type Groups = readonly number[];

const IPV4 = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/;

function ipv4Groups(text: string): [number, number] | undefined {
  const match = IPV4.exec(text);
  if (!match) return undefined;
  const bytes = match.slice(1).map(Number);
  if (bytes.some((byte) => byte > 255)) return undefined;
  const [a = 0, b = 0, c = 0, d = 0] = bytes;
  return [a * 256 + b, c * 256 + d];
}

function groupsOf(part: string): number[] | undefined {
  if (part === "") return [];
  const groups: number[] = [];
  const words = part.split(":");
  for (const [index, word] of words.entries()) {
    const tail = index === words.length - 1 ? ipv4Groups(word) : undefined;
    if (tail) groups.push(...tail);
    else if (/^[0-9a-f]{1,4}$/i.test(word)) groups.push(parseInt(word, 16));
    else return undefined;
  }
  return groups;
}

/** Reads an IPv4 or IPv6 address (zone index, brackets and port let go); undefined for anything else. */
export function parseAddress(text: string): Groups | undefined {
  const trimmed = text.trim();
  const v4 = ipv4Groups(trimmed.replace(/:\d{1,5}$/, ""));
  if (v4) return [0, 0, 0, 0, 0, 0xffff, ...v4];
  const bare = trimmed.replace(/^\[([^\]]*)\](:\d{1,5})?$/, "$1").replace(/%.*$/, "");
  if (bare.length > 45 || !bare.includes(":")) return undefined;
  const halves = bare.split("::");
  const head = groupsOf(halves[0] ?? "");
  const tail = groupsOf(halves[1] ?? "");
  if (!head || !tail || halves.length > 2) return undefined;
  const missing = 8 - head.length - tail.length;
  if (halves.length === 1) return missing === 0 ? head : undefined;
  return missing < 1 ? undefined : [...head, ...new Array<number>(missing).fill(0), ...tail];
}

const isV4 = (groups: Groups): boolean =>
  groups[5] === 0xffff && groups.slice(0, 5).every((group) => group === 0);

/** The key limits count under: an IPv4 address, or the /64 an IPv6 address lies in. */
export function clientKey(address: string): string {
  const groups = parseAddress(address);
  if (!groups) return "unknown";
  if (isV4(groups)) {
    return groups.slice(6).map((group) => `${group >> 8}.${group & 255}`).join(".");
  }
  return groups.slice(0, 4).map((group) => group.toString(16)).join(":") + "::/64";
}

interface Block {
  readonly groups: Groups;
  readonly bits: number;
}

function parseBlock(text: string): Block {
  const [address = "", size, ...more] = text.split("/");
  const groups = parseAddress(address);
  const width = groups && isV4(groups) && !address.includes(":") ? 32 : 128;
  const bits = size === undefined ? width : Number(size);
  const plain = size === undefined || /^\d{1,3}$/.test(size);
  if (!groups || !plain || bits > width || more.length > 0) {
    throw new OperatorError(
      `TRUSTED_PROXIES: "${
        text.slice(0, 60)
      }" is neither an address nor a block such as 10.0.0.0/8`,
    );
  }
  return { groups, bits: bits + (128 - width) };
}

function holds(block: Block, groups: Groups): boolean {
  for (let index = 0, left = block.bits; left > 0; index++, left -= 16) {
    const shift = Math.max(0, 16 - left);
    if ((block.groups[index] ?? 0) >> shift !== (groups[index] ?? 0) >> shift) return false;
  }
  return true;
}

/** A forwarded list longer than this is read from its right end alone. */
const MAX_HOPS = 32;

/**
 * Makes the function that names a request's client. `X-Forwarded-For` is believed only while the
 * address that vouches for it is trusted, walking from the right; the first that is not is the client.
 * @throws OperatorError for an entry that is no address and no block.
 */
export function clientResolver(
  trustedProxies: readonly string[],
): (remoteAddress: string, forwardedFor: string | null) => string {
  const blocks = trustedProxies.map(parseBlock);
  const trusted = (address: string): boolean => {
    const groups = parseAddress(address);
    return groups !== undefined && blocks.some((block) => holds(block, groups));
  };
  return (remoteAddress, forwardedFor) => {
    if (forwardedFor === null || blocks.length === 0) {
      return remoteAddress.includes(":") ? clientKey(remoteAddress) : remoteAddress;
    }
    const hops = forwardedFor.split(",").slice(-MAX_HOPS);
    let client = remoteAddress;
    while (trusted(client)) {
      const next = hops.pop();
      if (next === undefined || parseAddress(next) === undefined) break;
      client = next;
    }
    return clientKey(client);
  };
}
