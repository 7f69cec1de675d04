/** The one shape of a route: what the documents say of it, and what it does. */
import type { z } from "zod";
import type { ErrorCode } from "../../core/errors.ts";
import type { Catalogue } from "../../mining/cards/types.ts";
import type { AppDeps, AppSettings } from "./deps.ts";
import type { Scope } from "./respond.ts";
import { isData, type Row } from "./route_table.ts";
import { guidance } from "./words.ts";

/** What a route says of itself. */
export interface RouteDoc {
  readonly summary: string;
  readonly description: string;
  /** What is to be known of it over HTTP alone, and not of the tool. */
  readonly httpNote?: string;
  /** Schema of the 200 answer. */
  readonly answer: z.ZodType;
  /** An answer made of the catalogue as it is, or undefined while there is nothing to show. */
  readonly example: (catalogue: Catalogue) => unknown;
  /** The errors of its own, beyond those that every route has. */
  readonly errors: readonly ErrorCode[];
  /** Media types of the 200 answer; JSON where this is not given. */
  readonly media?: readonly string[];
  /** Schema of what is answered in the place of these to who asks for JSON. */
  readonly json?: z.ZodType;
  /** Set where a 503 carries the body of the 200: when it does. */
  readonly unavailable?: string;
  /** Whether clients may keep the answer and ask again with its tag. */
  readonly tagged?: boolean;
}

/** Whether a route can be served with these settings and this corpus. */
export type IsOffered = (
  settings: Pick<AppSettings, "synthesis" | "hasSource" | "contact">,
  catalogue: Pick<Catalogue, "demonstration">,
) => boolean;

/** A route as documents see it. */
export interface Documented {
  readonly row: Row;
  readonly doc: RouteDoc | PaidDoc;
  readonly isOffered?: IsOffered;
}

/** What a route is bound to: what the application was given, and the routes it consists of. */
export interface Site extends AppDeps {
  readonly routes: readonly Documented[];
  /** Makes the examples in documents real answers of this catalogue, if they can be had soon. */
  readonly prepareExamples: (catalogue: Catalogue) => Promise<void>;
}

/** Those of the routes that can be served: the others are in no document. */
export const offeredRoutes = <R extends Documented>(
  routes: readonly R[],
  settings: AppSettings,
  catalogue: Catalogue,
): R[] => routes.filter(({ isOffered }) => isOffered?.(settings, catalogue) ?? true);

/** The routes that carry data, as documents and tools offer them. */
export const dataRoutes = (
  { routes, settings }: Pick<Site, "routes" | "settings">,
  catalogue: Catalogue,
): Documented[] => offeredRoutes(routes, settings, catalogue).filter(({ row }) => isData(row));

/** How an agent should go about what is offered. */
export const guidanceOf = (
  site: Pick<Site, "routes" | "settings">,
  catalogue: Catalogue,
): string =>
  guidance(
    new Set(dataRoutes(site, catalogue).map(({ row }) => row.path)),
    site.settings.mppCurrency !== null,
  );

/** A route without a price. */
export interface FreeRoute {
  readonly kind: "free";
  readonly row: Row;
  readonly doc: RouteDoc;
  readonly bind: (site: Site) => (scope: Scope) => Response | Promise<Response>;
  /** False where the configuration lacks what it needs: documents and tools then leave it out. */
  readonly isOffered?: IsOffered;
}

/** Makes a free route of its row, what it says of itself, and what it does. */
export function defineRoute(
  row: Row,
  doc: RouteDoc,
  bind: FreeRoute["bind"],
  isOffered?: IsOffered,
): FreeRoute {
  return { kind: "free", row, doc, bind, ...(isOffered ? { isOffered } : {}) };
}

export interface PaidDoc extends RouteDoc {
  /** One sentence for challenges and directories. */
  readonly pitch: string;
  readonly input: z.ZodObject;
  readonly inputExample: (catalogue: Catalogue) => Readonly<Record<string, unknown>>;
}
