/** What a wallet may spend a day without being asked: counted in a file a day, which all sessions of the user share. */
import { appendFile, mkdir, readdir, readFile, rm } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { DAY_MS, dayOf } from "../../core/clock.ts";
import { errorCode, OperatorError } from "../../core/errors.ts";

/** A part of the day's allowance. */
interface Reservation {
  /** Takes back what was not charged, from the day it was counted on. */
  release(): Promise<void>;
}

/**
 * Amounts are millionths of a dollar. Reading throws an OperatorError where a line of the day cannot be read: a
 * limit that is not known allows nothing.
 */
export interface Allowance {
  /** What may still be spent on this day; below zero where more was allowed and spent. */
  left(): Promise<number>;
  /** Counts a payment before it is signed; null where the day has not so much left, and nothing is counted. */
  reserve(amount: number): Promise<Reservation | null>;
  /** Remembers the transaction that paid; true for one of all who name it: to others it came with a repeated answer. */
  isNew(transaction: string): Promise<boolean>;
  /** Lets as much again be spent on this day, in this process. */
  extend(): void;
}

/**
 * The folder of a wallet's spending. Where it is, is read from the environment alone, since the compiled program may
 * not ask the system who its user is.
 * @throws OperatorError where the environment names no folder.
 */
export function spendingFolder(
  environment: Readonly<Record<string, string | undefined>>,
  address: string,
): string {
  const named = (name: string, ...below: readonly string[]): string | undefined => {
    const folder = environment[name] ?? "";
    return isAbsolute(folder) ? join(folder, ...below) : undefined;
  };
  const state = named("XDG_STATE_HOME") ?? named("APPDATA") ?? named("HOME", ".local", "state");
  if (state === undefined) {
    throw new OperatorError(
      "HOME: not set; what is spent a day is counted in files below it: set HOME, or XDG_STATE_HOME, " +
        "to the full path of a folder that may be written",
    );
  }
  return join(state, "demand", `spent-${address.toLowerCase()}`);
}

const DAY_FILE = /^\d{4}-\d\d-\d\d\.txt$/;

/**
 * Makes the allowance of `daily` a day; `today` gives the day as YYYY-MM-DD, `newId` what no other session gives. The
 * file of a day has lines of the day and an amount, with the id of what reserved it, or of no amount, with the
 * transaction that paid and the id of who named it.
 *
 * Lines are appended first and read afterwards: their order is the same for all sessions, so that of two reservations
 * that do not fit together the earlier stands, and a transaction is new to who named it first. No line is ever taken
 * out, which others might be appending to: files go as a whole, once nobody asks about their day.
 */
export function createAllowance(
  folder: string,
  daily: number,
  today: () => string,
  newId: () => string,
): Allowance {
  const extra = new Map<string, number>();
  const fileOf = (day: string): string => join(folder, `${day}.txt`);
  const dayBefore = (day: string): string => dayOf(new Date(Date.parse(day) - DAY_MS));
  const lines = async (day: string): Promise<string[][]> => {
    try {
      const text = await readFile(fileOf(day), "utf8");
      return text.split("\n").map((line) => line.split(" "));
    } catch (error) {
      if (errorCode(error) !== "ENOENT") throw error;
      return [];
    }
  };
  /** What is spent on a day, without the reservations after that of `id`. */
  const spent = async (day: string, id?: string): Promise<number> => {
    let sum = 0;
    let isLater = false;
    const later = new Set<string>();
    for (const [of, amount, word = ""] of await lines(day)) {
      if (of === "") continue;
      const value = of === day ? Number(amount) : NaN;
      if (isLater && value > 0) later.add(word);
      else if (!later.has(word)) sum += value;
      isLater ||= word === id;
    }
    if (Number.isFinite(sum)) return sum;
    throw new OperatorError(
      `${fileOf(day)}: a line has no day or no amount; correct or remove it, since what is spent ` +
        "cannot be told",
    );
  };
  const allowed = (day: string): number => daily + (extra.get(day) ?? 0);
  let prunedOn = "";
  /** A transaction may be named again until the day after it paid; the files before that are removed. */
  const prune = async (day: string): Promise<void> => {
    if (day === prunedOn) return;
    prunedOn = day;
    const kept = `${dayBefore(day)}.txt`;
    for (const name of await readdir(folder)) {
      if (DAY_FILE.test(name) && name < kept) await rm(join(folder, name), { force: true });
    }
  };
  const add = async (day: string, ...words: readonly (string | number)[]): Promise<void> => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await appendFile(fileOf(day), `${[day, ...words].join(" ")}\n`, { mode: 0o600 });
    // One that cannot be removed now is removed by another session.
    await prune(day).catch(() => {});
  };
  return {
    left: async () => {
      const day = today();
      return allowed(day) - await spent(day);
    },
    reserve: async (amount) => {
      const day = today();
      // What does not fit leaves no line for others to count.
      if (await spent(day) + amount > allowed(day)) return null;
      const id = newId();
      const reservation: Reservation = { release: () => add(day, -amount, id) };
      await add(day, amount, id);
      if (await spent(day, id) <= allowed(day)) return reservation;
      await reservation.release();
      return null;
    },
    isNew: async (transaction) => {
      const day = today();
      const id = newId();
      await add(day, 0, transaction, id);
      const named = [...await lines(dayBefore(day)), ...await lines(day)];
      const first = named.find(([, , known]) => known === transaction);
      return first?.[3] === id;
    },
    extend: () => void extra.set(today(), (extra.get(today()) ?? 0) + daily),
  };
}
