/** JSON-RPC to a node: calls with a deadline and a bounded answer, and the reading of values in answers. */
import { exchangeJson } from "../../core/http.ts";
import { isObject } from "../../core/json.ts";

/** The node gave no usable answer. Tells nothing about the payment. */
export class ChainUnavailable extends Error {
  override readonly name = "ChainUnavailable";
  readonly isCircumstance = true;
}

/** The node answered with an error about the request itself: a revert, or a refused transaction. */
export class ChainRefusal extends Error {
  override readonly name = "ChainRefusal";
  constructor(message: string, readonly code: number) {
    super(message);
  }
}

export interface Rpc {
  /** The result of one method. @throws ChainUnavailable or ChainRefusal */
  call(method: string, params: readonly unknown[]): Promise<unknown>;
}

interface RpcOptions {
  readonly url: string;
  readonly fetch: typeof fetch;
  readonly timeoutMs: number;
}

const MAX_ANSWER_BYTES = 1_000_000;
/** JSON-RPC codes of a refused request, as opposed to a failing node. */
const REFUSALS = new Set([3, -32003, -32010, -32015, -32016]);
/** Messages of a failing node that come with the code of a refusal. */
const TROUBLE = /timeout|timed out|rate|limit|capacity|header not found|unavailable|internal/i;
/**
 * The catch-all code: it comes with "execution reverted" as well as "server busy" and "missing trie node". It is a
 * refusal only with the messages by which go-ethereum and its relatives refuse calls and transactions.
 */
const ANYTHING = -32000;
const REFUSED = new RegExp(
  "revert|nonce too|already known|known transaction|underpriced|insufficient funds|intrinsic gas|" +
    "exceeds allowance|out of gas|gas limit|invalid opcode|(fee|gas price|tip) .*(less|lower|higher|cap)",
  "i",
);

function isRefusal(code: unknown, why: string): boolean {
  if (code === ANYTHING) return REFUSED.test(why);
  return typeof code === "number" && REFUSALS.has(code) && !TROUBLE.test(why);
}

/** Creates a client of one node; each call is one HTTP exchange without retries. */
export function createRpc(options: RpcOptions): Rpc {
  let id = 0;
  return {
    call: async (method, params) => {
      let answer;
      try {
        answer = await exchangeJson({
          fetch: options.fetch,
          url: options.url,
          method: "POST",
          body: JSON.stringify({ jsonrpc: "2.0", id: ++id, method, params }),
          timeoutMs: options.timeoutMs,
          maxBytes: MAX_ANSWER_BYTES,
        });
      } catch (error) {
        throw new ChainUnavailable(`${method}: no answer`, { cause: error });
      }
      const { body } = answer;
      if (isObject(body) && isObject(body["error"])) {
        const { code, message } = body["error"];
        const why = typeof message === "string" ? message : "no message";
        if (isRefusal(code, why)) throw new ChainRefusal(why, Number(code));
        throw new ChainUnavailable(`${method}: ${why}`);
      }
      if (answer.status !== 200 || !isObject(body) || body["result"] === undefined) {
        throw new ChainUnavailable(`${method}: HTTP ${answer.status} without a result`);
      }
      return body["result"];
    },
  };
}

/** One event that a contract wrote. */
export interface LogEntry {
  /** Lower-case hex throughout. */
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
  readonly block: number;
  readonly transaction: string;
}

/** Bytes in an answer, as lower-case hexadecimal text. @throws ChainUnavailable for anything else. */
export function readData(value: unknown): string {
  if (typeof value !== "string" || !/^0x[0-9a-fA-F]*$/.test(value)) {
    throw new ChainUnavailable("expected hexadecimal text");
  }
  return value.toLowerCase();
}

/** A number in an answer. @throws ChainUnavailable for anything else. */
export function readQuantity(value: unknown): number {
  const number = Number(readData(value));
  if (!Number.isSafeInteger(number)) throw new ChainUnavailable("expected a number");
  return number;
}

/** A number of 256 bits in an answer. @throws ChainUnavailable for anything else. */
export function readUint256(value: unknown): bigint {
  const digits = readData(value);
  if (digits.length < 3) throw new ChainUnavailable("expected a number, got nothing");
  return BigInt(digits);
}

function readLog(value: unknown): LogEntry {
  if (!isObject(value) || !Array.isArray(value["topics"])) {
    throw new ChainUnavailable("expected a log");
  }
  return {
    address: readData(value["address"]),
    topics: value["topics"].map(readData),
    data: readData(value["data"]),
    block: readQuantity(value["blockNumber"]),
    transaction: readData(value["transactionHash"]),
  };
}

/** The logs of an answer or a receipt. @throws ChainUnavailable for anything else. */
export function readLogs(value: unknown): LogEntry[] {
  if (!Array.isArray(value)) throw new ChainUnavailable("expected logs");
  return value.map(readLog);
}
