/** What a wallet may spend a day without being asked: counted in a file that all sessions of the user share. */
import { appendFile, mkdir, readFile } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import { errorCode, OperatorError } from "../../core/errors.ts";

/** A part of the day's allowance. */
export interface Reservation {
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
 * The file of a wallet's spending: lines of a day and an amount, with the id of what reserved it, or of no amount,
 * with the transaction that paid and the id of who named it. Its folder is read from the environment alone, since the
 * compiled program may not ask the system who its user is.
 * @throws OperatorError where the environment names no folder.
 */
export function spendingFile(
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
      "HOME: not set; what is spent a day is counted in a file below it: set HOME, or XDG_STATE_HOME, " +
        "to the full path of a folder that may be written",
    );
  }
  return join(state, "demand", `spent-${address.toLowerCase()}.txt`);
}

/**
 * Makes the allowance of `daily` a day; `today` gives the day as YYYY-MM-DD, `newId` what no other session gives.
 *
 * Lines are appended first and read afterwards: their order is the same for all sessions, so that of two reservations
 * that do not fit together the earlier stands, and a transaction is new to who named it first.
 */
export function createAllowance(
  file: string,
  daily: number,
  today: () => string,
  newId: () => string,
): Allowance {
  const extra = new Map<string, number>();
  const lines = async (): Promise<string[][]> => {
    try {
      const text = await readFile(file, "utf8");
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
    for (const [of, amount, word = ""] of await lines()) {
      if (of !== day) continue;
      if (isLater && Number(amount) > 0) later.add(word);
      else if (!later.has(word)) sum += Number(amount);
      isLater ||= word === id;
    }
    if (Number.isFinite(sum)) return sum;
    throw new OperatorError(
      `${file}: a line of ${day} has no amount; correct or remove it, since what is spent cannot be told`,
    );
  };
  const allowed = (day: string): number => daily + (extra.get(day) ?? 0);
  const add = async (...words: readonly (string | number)[]): Promise<void> => {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await appendFile(file, `${words.join(" ")}\n`, { mode: 0o600 });
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
      const id = newId();
      await add(today(), 0, transaction, id);
      const first = (await lines()).find(([, , known]) => known === transaction);
      return first?.[3] === id;
    },
    extend: () => void extra.set(today(), (extra.get(today()) ?? 0) + daily),
  };
}
