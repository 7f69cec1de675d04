/** Values out of the answers of a node, which may talk nonsense. */
import { isObject } from "./bounded_json.ts";
import { ChainUnavailable } from "./rpc.ts";

/** One event that a contract wrote. */
export interface LogEntry {
  /** Lower-case hex throughout. */
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
  readonly index: number;
  readonly block: number;
  readonly transaction: string;
}

/** Hexadecimal text out of an answer. @throws ChainUnavailable for anything else. */
export function readText(value: unknown): string {
  if (typeof value !== "string" || !/^0x[0-9a-fA-F]*$/.test(value)) {
    throw new ChainUnavailable("expected hexadecimal text");
  }
  return value.toLowerCase();
}

/** A number out of an answer. @throws ChainUnavailable for anything else. */
export function readQuantity(value: unknown): number {
  const number = Number(readText(value));
  if (!Number.isSafeInteger(number)) throw new ChainUnavailable("expected a number");
  return number;
}

/** A number of 256 bits out of an answer. @throws ChainUnavailable for anything else. */
export function readWord(value: unknown): bigint {
  const digits = readText(value);
  if (digits.length < 3) throw new ChainUnavailable("expected a number, got nothing");
  return BigInt(digits);
}

function readLog(value: unknown): LogEntry {
  if (!isObject(value) || !Array.isArray(value["topics"])) {
    throw new ChainUnavailable("expected a log");
  }
  return {
    address: readText(value["address"]),
    topics: value["topics"].map(readText),
    data: readText(value["data"]),
    index: readQuantity(value["logIndex"]),
    block: readQuantity(value["blockNumber"]),
    transaction: readText(value["transactionHash"]),
  };
}

/** The logs of an answer or a receipt. @throws ChainUnavailable for anything else. */
export function readLogs(value: unknown): LogEntry[] {
  if (!Array.isArray(value)) throw new ChainUnavailable("expected logs");
  return value.map(readLog);
}
