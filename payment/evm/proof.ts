/** Proof from the token's events that an authorization paid us, is unused, or can no longer pay us. */
import { isObject } from "./bounded_json.ts";
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
  readWord,
  type Rpc,
} from "./rpc.ts";

/** The transfer that an authorization is expected to make. */
export interface ExpectedTransfer {
  readonly payer: string;
  readonly nonce: string;
  readonly payTo: string;
  readonly amount: bigint;
  /** The newest block before the payment was claimed; null where none was known. */
  readonly sinceBlock: number | null;
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
/** Requests for logs before giving up, newest blocks first. */
const LOG_PIECES = 50;
/** Blocks that a reorganisation may replace. */
const REORG_BLOCKS = 2;

/**
 * Whether the use of an authorization made the expected transfer, by the logs of its transaction.
 *
 * Only the transfer next to AuthorizationUsed counts, or one transfer to us could prove several
 * authorizations of the same transaction. The token in use writes the transfer after the use; a token
 * that writes it before is recognized where no other use can own that transfer.
 */
export function usePaid(
  logs: readonly LogEntry[],
  token: string,
  expected: ExpectedTransfer,
): boolean {
  const eventAt = (index: number): TokenEvent | null => {
    const log = logs[index];
    return log?.address === token ? readTokenEvent(log) : null;
  };
  const at = logs.findIndex((_, index) => {
    const event = eventAt(index);
    return event?.name === "AuthorizationUsed" && event.payer === expected.payer &&
      event.nonce === expected.nonce;
  });
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
export async function paidBy(
  rpc: Rpc,
  token: string,
  transaction: string,
  expected: ExpectedTransfer,
): Promise<boolean | null> {
  const receipt = await rpc.call("eth_getTransactionReceipt", [transaction]);
  if (receipt === null) return await isUsed(rpc, token, expected, "latest") ? null : false;
  return isObject(receipt) && receipt["status"] === "0x1" &&
    usePaid(readLogs(receipt["logs"]), token, expected);
}

/** Whether the authorization was used or cancelled by the end of a block. */
async function isUsed(
  rpc: Rpc,
  token: string,
  expected: ExpectedTransfer,
  block: string,
): Promise<boolean> {
  const data = authorizationState(expected.payer, expected.nonce);
  return readWord(await rpc.call("eth_call", [{ to: token, data }, block])) !== 0n;
}

async function findEvent(
  rpc: Rpc,
  token: string,
  expected: ExpectedTransfer,
  head: number,
): Promise<LogEntry | undefined> {
  let to = head;
  for (let piece = 0; piece < LOG_PIECES && to >= 0; piece++) {
    const from = Math.max(0, to - LOG_BLOCKS + 1);
    const answer = await rpc.call("eth_getLogs", [{
      address: token,
      topics: authorizationTopics(expected.payer, expected.nonce),
      fromBlock: `0x${from.toString(16)}`,
      toBlock: `0x${to.toString(16)}`,
    }]);
    const [event] = readLogs(answer);
    if (event !== undefined) return event;
    to = from - 1;
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
  expected: ExpectedTransfer,
  since: number,
): Promise<boolean> {
  const block = `0x${Math.max(0, since - REORG_BLOCKS - 1).toString(16)}`;
  try {
    return await isUsed(rpc, token, expected, block);
  } catch {
    return false;
  }
}

async function proveUse(
  rpc: Rpc,
  token: string,
  expected: ExpectedTransfer,
  head: number,
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
  const paid = usePaid(readLogs(receipt["logs"]), token, expected);
  return paid ? { kind: "paid", transaction: event.transaction } : { kind: "void" };
}

/** Asks for the proof, as of the newest block. @throws ChainUnavailable where there is none. */
export async function prove(rpc: Rpc, token: string, expected: ExpectedTransfer): Promise<Proof> {
  const block = await rpc.call("eth_getBlockByNumber", ["latest", false]);
  if (!isObject(block)) throw new ChainUnavailable("expected a block");
  const head = readQuantity(block["number"]);
  if (await isUsed(rpc, token, expected, `0x${head.toString(16)}`)) {
    // Used authorizations are public: where it was used before its claim, whoever presented it may not be its buyer.
    const { sinceBlock } = expected;
    const isOld = sinceBlock !== null && await usedBefore(rpc, token, expected, sinceBlock);
    return isOld ? { kind: "void" } : await proveUse(rpc, token, expected, head);
  }
  return { kind: "unused", blockTime: readQuantity(block["timestamp"]) };
}
