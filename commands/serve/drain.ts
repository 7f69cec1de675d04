/** How long the service may take to finish what is in flight when it stops. */
import type { Payments } from "../../payment/mod.ts";
import { PAID_ROUTES } from "../../routes/all.ts";

/** Milliseconds of the longest paid call: its computation, and what payment takes around it. */
export function longestCallMs({ tailMs }: Pick<Payments, "tailMs">): number {
  const seconds = Math.max(...PAID_ROUTES.map(({ row }) => row.computeSeconds));
  return seconds * 1000 + tailMs;
}
