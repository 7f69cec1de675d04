/** A host's name or address, alone and inside a URL. */
import { isIP } from "node:net";

/** Without the brackets that an IPv6 address has inside a URL. */
export const bareHost = (host: string): string => host.replace(/^\[(.*)\]$/, "$1");

/** As it stands inside a URL, or before a port: an IPv6 address in brackets. */
export function inAddress(host: string): string {
  const bare = bareHost(host);
  return bare.includes(":") ? `[${bare}]` : bare;
}

/** Whether it is an IP address or can be a host's name, which ends in no number. */
export function isHost(bare: string): boolean {
  return isIP(bare) !== 0 ||
    (/^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?$/i.test(bare) && !/(?:^|\.)\d+\.?$/.test(bare));
}
