/** How busy the connections are: the driver does not say, so its calls are counted from outside. */
import type { PoolState, Sql } from "../sql.ts";
import { type Watch, watchSql } from "./watch.ts";

/** The same handle, counted. */
export function countedPool(sql: Sql, max: number): { sql: Sql; state: () => PoolState } {
  let underWay = 0;
  const end = (): void => void underWay--;
  const watch: Watch = (work) => {
    underWay++;
    work.then(end, end);
    return work;
  };
  return {
    state: () => ({ max, inUse: Math.min(underWay, max), waiting: Math.max(0, underWay - max) }),
    sql: watchSql(() => ({ sql, watch })),
  };
}
