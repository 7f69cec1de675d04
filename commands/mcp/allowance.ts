/** What a wallet may spend a day without being asked: counted in a file that all sessions of the user share. */
import { appendFile, mkdir, readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { errorCode } from "../../core/errors.ts";

/** Amounts are millionths of a dollar. */
export interface Allowance {
  /** What may still be spent on this day; below zero where more was allowed and spent. */
  left(): Promise<number>;
  /** Counts a payment before it is signed, or takes one back by a negative amount. */
  note(amount: number): Promise<void>;
  /** Lets as much again be spent on this day, in this process. */
  extend(): void;
}

/** The file of a wallet's spending: a line a payment, the day and the amount. */
export function spendingFile(
  environment: Readonly<Record<string, string | undefined>>,
  address: string,
): string {
  const state = environment["XDG_STATE_HOME"] || join(homedir(), ".local", "state");
  return join(state, "demand", `spent-${address.toLowerCase()}.txt`);
}

/** Makes the allowance of `daily` a day; `today` gives the day as YYYY-MM-DD. */
export function createAllowance(file: string, daily: number, today: () => string): Allowance {
  const extra = new Map<string, number>();
  const spent = async (): Promise<number> => {
    let text = "";
    try {
      text = await readFile(file, "utf8");
    } catch (error) {
      if (errorCode(error) !== "ENOENT") throw error;
    }
    return text.split("\n").map((line) => line.split(" "))
      .filter(([day]) => day === today())
      .reduce((sum, [, amount]) => sum + Number(amount), 0);
  };
  return {
    left: async () => daily + (extra.get(today()) ?? 0) - await spent(),
    note: async (amount) => {
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      await appendFile(file, `${today()} ${amount}\n`, { mode: 0o600 });
    },
    extend: () => void extra.set(today(), (extra.get(today()) ?? 0) + daily),
  };
}
