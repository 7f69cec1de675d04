/** W3C trace context: the id under which a caller's own tracing knows the request. */

const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-|$)/;

/**
 * The trace id, 32 hexadecimal digits, of a `traceparent` header (W3C Trace Context,
 * https://www.w3.org/TR/trace-context/); undefined where it is absent, malformed, or all zeros.
 */
export function traceIdOf(header: string | null): string | undefined {
  if (header === null || header.length > 200 || header.startsWith("ff")) return undefined;
  const match = TRACEPARENT.exec(header);
  const id = match?.[1];
  if (id === undefined || /^0+$/.test(id) || /^0+$/.test(match?.[2] ?? "")) return undefined;
  return id;
}
