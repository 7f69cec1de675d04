/** What a wallet may spend a day without being asked: counted in a file that all sessions of the user share. */
import { appendFile, mkdir, readFile } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import { errorCode, OperatorError } from "../../core/errors.ts";

/** A part of the day's allowance. */
export interface Reservation {
  /** Takes back what was not charged. */
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
  /** Remembers the transaction that paid; false where it was known, and so the answer is a repeated one. */
  isNew(transaction: string): Promise<boolean>;
  /** Lets as much again be spent on this day, in this process. */
  extend(): void;
}

/**
 * The file of a wallet's spending: lines of a day and an amount, with the id of what reserved it, or the transaction
 * once it is known. Its folder is read from the environment alone, since the compiled program may not ask the system who its user is.
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
 * A reservation is appended first and read afterwards: the order of the lines is the same for all sessions, so that
 * of two that do not fit together the earlier line stands.
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
  /** What is spent today, without the reservations after that of `id`. */
  const spent = async (id?: string): Promise<number> => {
    let sum = 0;
    let isLater = false;
    const later = new Set<string>();
    for (const [day, amount, word = ""] of await lines()) {
      if (day !== today()) continue;
      if (isLater && Number(amount) > 0) later.add(word);
      else if (!later.has(word)) sum += Number(amount);
      isLater ||= word === id;
    }
    if (Number.isFinite(sum)) return sum;
    throw new OperatorError(
      `${file}: a line of today has no amount; correct or remove it, since what is spent cannot be told`,
    );
  };
  const allowed = (): number => daily + (extra.get(today()) ?? 0);
  const add = async (...words: readonly (string | number)[]): Promise<void> => {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await appendFile(file, `${[today(), ...words].join(" ")}\n`, { mode: 0o600 });
  };
  return {
    left: async () => allowed() - await spent(),
    reserve: async (amount) => {
      // What does not fit leaves no line for others to count.
      if (await spent() + amount > allowed()) return null;
      const id = newId();
      const reservation: Reservation = { release: () => add(-amount, id) };
      await add(amount, id);
      if (await spent(id) <= allowed()) return reservation;
      await reservation.release();
      return null;
    },
    isNew: async (transaction) => {
      if ((await lines()).some(([, , known]) => known === transaction)) return false;
      await add(0, transaction);
      return true;
    },
    extend: () => void extra.set(today(), (extra.get(today()) ?? 0) + daily),
  };
}
