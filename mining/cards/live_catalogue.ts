/** The catalogue in memory: swapped when the corpus changes, here or on another replica. */
import type { Clock } from "../../core/clock.ts";
import type { Log } from "../../core/log.ts";
import { singleFlight } from "../../core/once.ts";
import { corpusRevision, REVISION_CHANNEL } from "../../db/corpus/corpus.ts";
import type { Database } from "../../db/sql.ts";
import type { Registry } from "../communities/registry.ts";
import { type LeftOutCards, loadCatalogue } from "./catalogue.ts";
import type { Catalogue } from "./types.ts";

/** The catalogue of now, and what keeps it so. */
export interface LiveCatalogue {
  /** The newest catalogue; a field read. */
  current(): Catalogue;
  /** Looks for a newer revision now and swaps; gives the catalogue that is current then. */
  refresh(): Promise<Catalogue>;
  /** Ends the looking; the database's own close ends the listening. */
  stop(): Promise<void>;
}

interface LiveCatalogueOptions {
  readonly database: Database;
  readonly registry: Registry;
  readonly clock: Clock;
  readonly log: Log;
  /** Quotes that the source has not confirmed for this long are withheld; null where there is no source. */
  readonly withholdAfterMs: number | null;
}

/** The fallback where no notification arrives: a pooler in between, the embedded database. */
const POLL_MS = { postgres: 10_000, embedded: 2_000 } as const;

/** Quotes come of age without a revision: the catalogue is read again this often at least. */
const REVIEW_MS = 600_000;

/**
 * Loads the catalogue, and loads it again when the corpus revision rises (by notification, or by a
 * poll) until `stop`. Rejects where it cannot be loaded the first time; later failures are logged,
 * and the last one stays.
 */
export async function watchCatalogue(options: LiveCatalogueOptions): Promise<LiveCatalogue> {
  const { database, registry, clock, log, withholdAfterMs } = options;
  // A poll on a connection that went silent would keep the old catalogue for a quarter of an hour.
  const { withDeadline: sql } = database;
  let reviewAt = 0;
  let isSaid = false;
  const onLeftOut = ({ categories, cards }: LeftOutCards): void => {
    if (isSaid) return;
    isSaid = true;
    if (categories.length > 0) {
      log.warn("cards of categories that the registry does not have are left out", { categories });
    }
    if (cards.length > 0) log.warn("cards that this version cannot read are left out", { cards });
  };
  const load = async (): Promise<Catalogue> => {
    const now = clock.now();
    const shownSince = withholdAfterMs === null ? null : new Date(now.getTime() - withholdAfterMs);
    const loaded = await loadCatalogue(sql, registry, now, shownSince, onLeftOut);
    // After it: a load that failed is due at the next look.
    reviewAt = now.getTime() + REVIEW_MS;
    return loaded;
  };
  let catalogue = await load();

  const update = async (): Promise<Catalogue> => {
    const review = withholdAfterMs !== null && clock.now().getTime() >= reviewAt;
    if (review || await corpusRevision(sql) !== catalogue.revision) {
      catalogue = await load();
      log.debug("catalogue swapped", {
        revision: catalogue.revision,
        cards: catalogue.cards.length,
      });
    }
    return catalogue;
  };
  // A database that is slow is not asked once for each who asks.
  const look = singleFlight<null, Catalogue>(update);
  let newest = Promise.resolve(catalogue);
  const refresh = (): Promise<Catalogue> => newest = look(null);
  let isOver = false;
  const quietly = (): void => {
    if (isOver) return;
    refresh().catch((error) => log.warn("the catalogue could not be read", { error }));
  };

  const timer = setInterval(quietly, POLL_MS[database.kind]);
  if (database.kind === "postgres") {
    await database.sql.listen(REVISION_CHANNEL, quietly, quietly).catch((error) => {
      log.warn("LISTEN is not possible here: polling instead", { error });
    });
  }
  return {
    current: () => catalogue,
    refresh,
    stop: async () => {
      isOver = true;
      clearInterval(timer);
      await newest.catch(() => {});
    },
  };
}
