/** A host's name or address, alone and inside a URL. */

/** Without the brackets that an IPv6 address has inside a URL. */
export const bareHost = (host: string): string => host.replace(/^\[(.*)\]$/, "$1");

/** As it stands inside a URL, or before a port: an IPv6 address in brackets. */
export function inAddress(host: string): string {
  const bare = bareHost(host);
  return bare.includes(":") ? `[${bare}]` : bare;
}
