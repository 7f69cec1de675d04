/** Proof from the token's events that an authorization paid us, is unused, or can no longer pay us. */
import { isObject } from "../../core/json.ts";
import {
  authorizationState,
  authorizationTopics,
  readTokenEvent,
  type TokenEvent,
  type TransferEvent,
} from "./contracts.ts";
import {
  ChainUnavailable,
  type LogEntry,
  readLogs,
  readQuantity,
  readUint256,
  type Rpc,
} from "./rpc.ts";

/** The transfer that an authorization is expected to make. */
export interface ExpectedTransfer {
  readonly payer: string;
  readonly nonce: string;
  readonly payTo: string;
  readonly amount: bigint;
}

/** The same, and when the authorization is expected to be used. */
export interface ExpectedUse extends ExpectedTransfer {
  /** The newest block before the payment was claimed; null where none was known. */
  readonly sinceBlock: number | null;
  /** Seconds since 1970, from which on the token refuses the authorization. */
  readonly validBefore: bigint;
}

export type Proof =
  /** AuthorizationUsed with its Transfer of the amount to us. */
  | { readonly kind: "paid"; readonly transaction: string }
  /** Neither used nor cancelled in the block of that time, in seconds since 1970. */
  | { readonly kind: "unused"; readonly blockTime: number }
  /** Cancelled, used for something else, or used before it was claimed: it cannot pay us. */
  | { readonly kind: "void" };

/** Blocks for each `eth_getLogs`: as many as public endpoints accept. */
const LOG_BLOCKS = 2000;
/** Requests for logs before giving up, apart from the one that begins at the claim. */
const LOG_PIECES = 50;
/** Blocks that a reorganisation may replace. */
const REORG_BLOCKS = 2;

/**
 * The event of the token that a log records; null for that of another contract, or of another name.
 */
const eventOf = (log: LogEntry | undefined, token: string): TokenEvent | null =>
  log?.address === token ? readTokenEvent(log) : null;

/** Whether a log records the use or the cancellation of the authorization. */
function isAbout(log: LogEntry, token: string, { payer, nonce }: ExpectedTransfer): boolean {
  const event = eventOf(log, token);
  return event !== null && event.name !== "Transfer" && event.payer === payer &&
    event.nonce === nonce;
}

/**
 * Whether the use of an authorization made the expected transfer, by the logs of its transaction.
 *
 * Only the transfer next to AuthorizationUsed counts, or one transfer to us could prove several
 * authorizations of the same transaction. The token in use writes the transfer after the use; a token
 * that writes it before is recognized where no other use can own that transfer.
 */
export function showsTransfer(
  logs: readonly LogEntry[],
  token: string,
  expected: ExpectedTransfer,
): boolean {
  const eventAt = (index: number): TokenEvent | null => eventOf(logs[index], token);
  const at = logs.findIndex((log, index) =>
    isAbout(log, token, expected) && eventAt(index)?.name === "AuthorizationUsed"
  );
  if (at < 0) return false;
  const isTransfer = (event: TokenEvent | null): event is TransferEvent =>
    event?.name === "Transfer" && event.from === expected.payer;
  const after = eventAt(at + 1);
  const before = eventAt(at - 2)?.name === "AuthorizationUsed" ? null : eventAt(at - 1);
  const transfer = isTransfer(after) ? after : before;
  return isTransfer(transfer) && transfer.to === expected.payTo &&
    transfer.value === expected.amount;
}

/**
 * Whether a transaction made the expected transfer; null where the node has no receipt and the authorization is
 * used, as with a node that keeps receipts for a limited time.
 * @throws ChainUnavailable
 */
export async function transactionPaid(
  rpc: Rpc,
  token: string,
  transaction: string,
  expected: ExpectedTransfer,
): Promise<boolean | null> {
  const receipt = await rpc.call("eth_getTransactionReceipt", [transaction]);
  if (receipt === null) return await isUsed(rpc, token, expected, "latest") ? null : false;
  return isObject(receipt) && receipt["status"] === "0x1" &&
    showsTransfer(readLogs(receipt["logs"]), token, expected);
}

/** Whether the authorization was used or cancelled by the end of a block. */
async function isUsed(
  rpc: Rpc,
  token: string,
  expected: ExpectedTransfer,
  block: string,
): Promise<boolean> {
  const data = authorizationState(expected.payer, expected.nonce);
  return readUint256(await rpc.call("eth_call", [{ to: token, data }, block])) !== 0n;
}

interface Block {
  readonly number: number;
  /** Seconds since 1970. */
  readonly time: number;
}

/** A block by its number or `latest`. @throws ChainUnavailable where the node does not have it. */
async function readBlock(rpc: Rpc, name: string): Promise<Block> {
  const block = await rpc.call("eth_getBlockByNumber", [name, false]);
  if (!isObject(block)) throw new ChainUnavailable("expected a block");
  return { number: readQuantity(block["number"]), time: readQuantity(block["timestamp"]) };
}

const quantity = (number: number): string => `0x${number.toString(16)}`;

/**
 * The first block in which the token refuses the authorization, as too late; the newest where it does not yet. Steps
 * back from the newest: a node may not have the oldest blocks.
 */
async function lastBlock(rpc: Rpc, validBefore: bigint, head: Block): Promise<number> {
  const isBefore = async (number: number): Promise<boolean> =>
    (await readBlock(rpc, quantity(number))).time < validBefore;
  if (head.time < validBefore) return head.number;
  let [from, to] = [head.number, head.number];
  for (let step = LOG_BLOCKS; from > 0; step *= 2) {
    from = Math.max(0, to - step);
    if (await isBefore(from)) break;
    to = from;
  }
  while (from < to) {
    const number = Math.floor((from + to) / 2);
    if (await isBefore(number)) from = number + 1;
    else to = number;
  }
  return to;
}

/** The blocks to search for a use: those from the claim on, then back from where it was possible last. */
async function* logRanges(
  rpc: Rpc,
  expected: ExpectedUse,
  head: Block,
): AsyncGenerator<readonly [from: number, to: number]> {
  const { sinceBlock, validBefore } = expected;
  if (sinceBlock !== null && sinceBlock <= head.number) {
    const from = Math.max(0, sinceBlock - REORG_BLOCKS);
    yield [from, Math.min(head.number, from + LOG_BLOCKS - 1)];
  }
  let to = await lastBlock(rpc, validBefore, head);
  for (let piece = 0; piece < LOG_PIECES && to >= 0; piece++, to -= LOG_BLOCKS) {
    yield [Math.max(0, to - LOG_BLOCKS + 1), to];
  }
}

async function findEvent(
  rpc: Rpc,
  token: string,
  expected: ExpectedUse,
  head: Block,
): Promise<LogEntry | undefined> {
  const topics = authorizationTopics(expected.payer, expected.nonce);
  for await (const [from, to] of logRanges(rpc, expected, head)) {
    const answer = await rpc.call("eth_getLogs", [{
      address: token,
      topics,
      fromBlock: quantity(from),
      toBlock: quantity(to),
    }]);
    // Some nodes give more than was asked for.
    const found = readLogs(answer).find((log) => isAbout(log, token, expected));
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Whether the authorization was used or cancelled before its claim, by its state in an old block: its event may
 * lie further back than logs are searched. False where the node no longer has that block.
 */
async function usedBefore(
  rpc: Rpc,
  token: string,
  expected: ExpectedUse,
  since: number,
): Promise<boolean> {
  const block = quantity(Math.max(0, since - REORG_BLOCKS - 1));
  try {
    return await isUsed(rpc, token, expected, block);
  } catch {
    return false;
  }
}

async function proveUse(
  rpc: Rpc,
  token: string,
  expected: ExpectedUse,
  head: Block,
): Promise<Proof> {
  const event = await findEvent(rpc, token, expected, head);
  if (event === undefined) {
    throw new ChainUnavailable("the authorization is used, but its event was not found");
  }
  if (readTokenEvent(event)?.name === "AuthorizationCanceled") return { kind: "void" };
  if (expected.sinceBlock !== null && event.block < expected.sinceBlock - REORG_BLOCKS) {
    return { kind: "void" };
  }
  const receipt = await rpc.call("eth_getTransactionReceipt", [event.transaction]);
  if (!isObject(receipt)) throw new ChainUnavailable("the receipt is not there yet");
  const paid = showsTransfer(readLogs(receipt["logs"]), token, expected);
  return paid ? { kind: "paid", transaction: event.transaction } : { kind: "void" };
}

/** Asks for the proof, as of the newest block. @throws ChainUnavailable if there is none. */
export async function prove(rpc: Rpc, token: string, expected: ExpectedUse): Promise<Proof> {
  const head = await readBlock(rpc, "latest");
  if (await isUsed(rpc, token, expected, quantity(head.number))) {
    // Used authorizations are public: where it was used before its claim, whoever presented it may not be its buyer.
    const { sinceBlock } = expected;
    const isOld = sinceBlock !== null && await usedBefore(rpc, token, expected, sinceBlock);
    return isOld ? { kind: "void" } : await proveUse(rpc, token, expected, head);
  }
  return { kind: "unused", blockTime: head.time };
}
