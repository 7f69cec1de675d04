/** The numbered migrations, embedded in the program, in the order they are applied. */
import corpus from "./0001_corpus.sql" with { type: "text" };
import payments from "./0002_payments.sql" with { type: "text" };
import gauge from "./0003_gauge.sql" with { type: "text" };
import job from "./0004_job.sql" with { type: "text" };
import refinement from "./0005_refinement.sql" with { type: "text" };
import evidence from "./0006_evidence.sql" with { type: "text" };
import upkeep from "./0007_upkeep.sql" with { type: "text" };
import spoken from "./0008_spoken.sql" with { type: "text" };
import wants from "./0009_wants.sql" with { type: "text" };
import purchases from "./0010_purchases.sql" with { type: "text" };
import mpp from "./0011_mpp.sql" with { type: "text" };
import modelReadings from "./0012_model_readings.sql" with { type: "text" };
import texts from "./0013_texts.sql" with { type: "text" };
import pairs from "./0014_pairs.sql" with { type: "text" };
import indexing from "./0015_indexing.sql" with { type: "text" };
import sales from "./0016_sales.sql" with { type: "text" };
import reviews from "./0017_reviews.sql" with { type: "text" };
import showings from "./0018_showings.sql" with { type: "text" };
import imports from "./0019_imports.sql" with { type: "text" };
import searching from "./0020_searching.sql" with { type: "text" };
import certainty from "./0021_certainty.sql" with { type: "text" };
import slashes from "./0022_slashes.sql" with { type: "text" };
import counting from "./0023_counting.sql" with { type: "text" };
import scanning from "./0024_scanning.sql" with { type: "text" };
import ruledOut from "./0025_ruled_out.sql" with { type: "text" };
import unused from "./0026_unused.sql" with { type: "text" };
import serialSearch from "./0027_serial_search.sql" with { type: "text" };
import finerSums from "./0028_finer_sums.sql" with { type: "text" };
import claimLocks from "./0029_claim_locks.sql" with { type: "text" };
import leftovers from "./0030_leftovers.sql" with { type: "text" };
import unsaid from "./0031_unsaid.sql" with { type: "text" };
import topValues from "./0032_top_values.sql" with { type: "text" };
import communities from "./0033_communities.sql" with { type: "text" };
import shared from "./0034_shared.sql" with { type: "text" };
import leaner from "./0035_leaner.sql" with { type: "text" };
import statements from "./0036_statements.sql" with { type: "text" };
import refusedAgain from "./0037_refused_again.sql" with { type: "text" };

export interface Migration {
  readonly id: number;
  readonly name: string;
  readonly sql: string;
}

export const MIGRATIONS: readonly Migration[] = [
  { id: 1, name: "corpus", sql: corpus },
  { id: 2, name: "payments", sql: payments },
  { id: 3, name: "gauge", sql: gauge },
  { id: 4, name: "job", sql: job },
  { id: 5, name: "refinement", sql: refinement },
  { id: 6, name: "evidence", sql: evidence },
  { id: 7, name: "upkeep", sql: upkeep },
  { id: 8, name: "spoken", sql: spoken },
  { id: 9, name: "wants", sql: wants },
  { id: 10, name: "purchases", sql: purchases },
  { id: 11, name: "mpp", sql: mpp },
  { id: 12, name: "model_readings", sql: modelReadings },
  { id: 13, name: "texts", sql: texts },
  { id: 14, name: "pairs", sql: pairs },
  { id: 15, name: "indexing", sql: indexing },
  { id: 16, name: "sales", sql: sales },
  { id: 17, name: "reviews", sql: reviews },
  { id: 18, name: "showings", sql: showings },
  { id: 19, name: "imports", sql: imports },
  { id: 20, name: "searching", sql: searching },
  { id: 21, name: "certainty", sql: certainty },
  { id: 22, name: "slashes", sql: slashes },
  { id: 23, name: "counting", sql: counting },
  { id: 24, name: "scanning", sql: scanning },
  { id: 25, name: "ruled_out", sql: ruledOut },
  { id: 26, name: "unused", sql: unused },
  { id: 27, name: "serial_search", sql: serialSearch },
  { id: 28, name: "finer_sums", sql: finerSums },
  { id: 29, name: "claim_locks", sql: claimLocks },
  { id: 30, name: "leftovers", sql: leftovers },
  { id: 31, name: "unsaid", sql: unsaid },
  { id: 32, name: "top_values", sql: topValues },
  { id: 33, name: "communities", sql: communities },
  { id: 34, name: "shared", sql: shared },
  { id: 35, name: "leaner", sql: leaner },
  { id: 36, name: "statements", sql: statements },
  { id: 37, name: "refused_again", sql: refusedAgain },
];

/** The schema that this version makes and knows. */
export const NEWEST_MIGRATION = Math.max(...MIGRATIONS.map(({ id }) => id));
