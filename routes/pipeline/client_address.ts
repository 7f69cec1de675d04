/** Who is calling: the address behind trusted proxies, and the key that rate limits count under. */
import { BlockList, isIP } from "node:net";
import { wrongSetting } from "../../core/settings.ts";

/** Reads an IPv4 or IPv6 address without its port, brackets and zone; undefined for anything else. */
export function parseAddress(text: string): string | undefined {
  const trimmed = text.trim();
  const ipv4 = trimmed.replace(/:\d{1,5}$/, "");
  if (isIP(ipv4) === 4) return ipv4;
  const ipv6 = trimmed.replace(/^\[([^\]]*)\](:\d{1,5})?$/, "$1").replace(/%.*$/, "");
  return isIP(ipv6) === 6 ? ipv6 : undefined;
}

/** The eight groups of an IPv6 address, whose short form a URL brings into one spelling. */
function groupsOf(ipv6: string): string[] {
  const { hostname } = new URL(`http://[${ipv6}]/`);
  const [head = [], tail = []] = hostname.slice(1, -1).split("::")
    .map((part) => part === "" ? [] : part.split(":"));
  return [...head, ...new Array<string>(8 - head.length - tail.length).fill("0"), ...tail];
}

/** The key limits count under: an IPv4 address, or the /64 an IPv6 address lies in. */
export function clientKey(address: string): string {
  const known = parseAddress(address);
  if (known === undefined) return "unknown";
  if (isIP(known) === 4) return known;
  const groups = groupsOf(known);
  if (groups.slice(0, 6).join(":") === "0:0:0:0:0:ffff") {
    return groups.slice(6).map((group) => parseInt(group, 16))
      .map((group) => `${group >> 8}.${group & 255}`).join(".");
  }
  return `${groups.slice(0, 4).join(":")}::/64`;
}

function addBlock(blocks: BlockList, text: string): void {
  const [address = "", size, ...more] = text.split("/");
  const known = parseAddress(address);
  const family = known !== undefined && isIP(known) === 4 ? "ipv4" : "ipv6";
  const width = family === "ipv4" ? 32 : 128;
  const bits = size === undefined ? width : Number(size);
  const isSize = size === undefined || /^\d{1,3}$/.test(size);
  if (known === undefined || !isSize || bits > width || more.length > 0) {
    throw wrongSetting(
      "TRUSTED_PROXIES",
      `"${text.slice(0, 60)}" is neither an address nor a block such as 10.0.0.0/8`,
    );
  }
  blocks.addSubnet(known, bits, family);
}

/** A forwarded list longer than this is read from its right end alone. */
const MAX_HOPS = 32;

/**
 * Makes the function that names a request's client. `X-Forwarded-For` is believed only while the
 * address that vouches for it is trusted, walking from the right; the first that is not is the client.
 * @throws SettingsError for an entry that is neither an address nor a block.
 */
export function clientResolver(
  trustedProxies: readonly string[],
): (remoteAddress: string, forwardedFor: string | null) => string {
  const blocks = new BlockList();
  for (const text of trustedProxies) addBlock(blocks, text);
  // An IPv4 address is asked in its mapped form, in which blocks of either family hold it.
  const trusted = (address: string): boolean => {
    const known = parseAddress(address);
    return known !== undefined &&
      blocks.check(isIP(known) === 4 ? `::ffff:${known}` : known, "ipv6");
  };
  return (remoteAddress, forwardedFor) => {
    if (forwardedFor === null || trustedProxies.length === 0) {
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
