/** The proof that an authorization paid us, or cannot any more, from the token's own events. */
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

/** What is asked about: one authorization on one token, and what it was to pay. */
export interface Claimed {
  readonly payer: string;
  readonly nonce: string;
  readonly payTo: string;
  readonly amount: bigint;
  /** A block that was the newest before the payment was claimed; null when none was known. */
  readonly sinceBlock: number | null;
}

export type Proof =
  /** AuthorizationUsed with its Transfer of the amount to us. */
  | { readonly kind: "paid"; readonly transaction: string }
  /** Neither used nor cancelled in the block of that time, in seconds since 1970. */
  | { readonly kind: "unused"; readonly blockTime: number }
  /** Cancelled, used for something else, or used before it was claimed: it cannot pay us. */
  | { readonly kind: "spent" };

/** Logs are asked for in pieces that public endpoints accept. */
const LOG_BLOCKS = 2000;
/** Pieces looked through before giving up, newest first. */
const LOG_PIECES = 50;
/** A block or two may be replaced after it was seen. */
const REORG_BLOCKS = 2;

/**
 * Whether the use of an authorization, among the logs of its transaction, paid what was claimed.
 *
 * Only the transfer next to AuthorizationUsed counts, or one transfer to us could prove several
 * authorizations of the same transaction. The token in use writes the transfer after the use; a token
 * that writes it before is understood where no other use can own that transfer.
 */
export function usePaid(logs: readonly LogEntry[], token: string, claimed: Claimed): boolean {
  const eventAt = (index: number): TokenEvent | null => {
    const log = logs[index];
    return log?.address === token ? readTokenEvent(log) : null;
  };
  const at = logs.findIndex((_, index) => {
    const event = eventAt(index);
    return event?.name === "AuthorizationUsed" && event.payer === claimed.payer &&
      event.nonce === claimed.nonce;
  });
  if (at < 0) return false;
  const isTransfer = (event: TokenEvent | null): event is TransferEvent =>
    event?.name === "Transfer" && event.from === claimed.payer;
  const after = eventAt(at + 1);
  const before = eventAt(at - 2)?.name === "AuthorizationUsed" ? null : eventAt(at - 1);
  const transfer = isTransfer(after) ? after : before;
  return isTransfer(transfer) && transfer.to === claimed.payTo && transfer.value === claimed.amount;
}

/**
 * Whether a transaction paid what was claimed; null where the node has no receipt of it and the token says
 * that the authorization is used, as with a node that keeps receipts for a while only.
 * @throws ChainUnavailable when the chain cannot tell.
 */
export async function paidBy(
  rpc: Rpc,
  token: string,
  transaction: string,
  claimed: Claimed,
): Promise<boolean | null> {
  const receipt = await rpc.call("eth_getTransactionReceipt", [transaction]);
  if (receipt === null) return await isUsed(rpc, token, claimed, "latest") ? null : false;
  return isObject(receipt) && receipt["status"] === "0x1" &&
    usePaid(readLogs(receipt["logs"]), token, claimed);
}

/** Whether the authorization was used or cancelled by the end of a block. */
async function isUsed(rpc: Rpc, token: string, claimed: Claimed, block: string): Promise<boolean> {
  const data = authorizationState(claimed.payer, claimed.nonce);
  return readWord(await rpc.call("eth_call", [{ to: token, data }, block])) !== 0n;
}

async function findEvent(
  rpc: Rpc,
  token: string,
  claimed: Claimed,
  head: number,
): Promise<LogEntry | undefined> {
  let to = head;
  for (let piece = 0; piece < LOG_PIECES && to >= 0; piece++) {
    const from = Math.max(0, to - LOG_BLOCKS + 1);
    const answer = await rpc.call("eth_getLogs", [{
      address: token,
      topics: authorizationTopics(claimed.payer, claimed.nonce),
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
 * Whether the authorization was used, or cancelled, before its claim: one look at an old block, where
 * its event may lie further back than logs are searched. False where the node forgot that block.
 */
async function usedBefore(
  rpc: Rpc,
  token: string,
  claimed: Claimed,
  since: number,
): Promise<boolean> {
  const block = `0x${Math.max(0, since - REORG_BLOCKS - 1).toString(16)}`;
  try {
    return await isUsed(rpc, token, claimed, block);
  } catch {
    return false;
  }
}

async function proveUse(rpc: Rpc, token: string, claimed: Claimed, head: number): Promise<Proof> {
  const event = await findEvent(rpc, token, claimed, head);
  if (event === undefined) {
    throw new ChainUnavailable("the authorization is used, but its event was not found");
  }
  if (readTokenEvent(event)?.name === "AuthorizationCanceled") return { kind: "spent" };
  if (claimed.sinceBlock !== null && event.block < claimed.sinceBlock - REORG_BLOCKS) {
    return { kind: "spent" };
  }
  const receipt = await rpc.call("eth_getTransactionReceipt", [event.transaction]);
  if (!isObject(receipt)) throw new ChainUnavailable("the receipt is not there yet");
  const paid = usePaid(readLogs(receipt["logs"]), token, claimed);
  return paid ? { kind: "paid", transaction: event.transaction } : { kind: "spent" };
}

/** Asks the chain, in one of its blocks. @throws ChainUnavailable when it cannot tell. */
export async function prove(rpc: Rpc, token: string, claimed: Claimed): Promise<Proof> {
  const block = await rpc.call("eth_getBlockByNumber", ["latest", false]);
  if (!isObject(block)) throw new ChainUnavailable("expected a block");
  const head = readQuantity(block["number"]);
  if (await isUsed(rpc, token, claimed, `0x${head.toString(16)}`)) {
    // Used before it was presented: authorizations are public on chain, so this may not be its buyer.
    const { sinceBlock } = claimed;
    const isOld = sinceBlock !== null && await usedBefore(rpc, token, claimed, sinceBlock);
    return isOld ? { kind: "spent" } : await proveUse(rpc, token, claimed, head);
  }
  return { kind: "unused", blockTime: readQuantity(block["timestamp"]) };
}
