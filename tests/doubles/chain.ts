/** A real chain for tests: anvil, with a dollar token of ours where the network's USDC would be. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import { encodeFunctionData, getAddress, numberToHex, pad, parseAbi } from "viem";
import source from "./token.sol" with { type: "text" };
import { newAccount } from "../support/accounts.ts";

export type Hex = `0x${string}`;

export const CHAIN_ID = 8453;
export const USDC: Hex = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";
/** The first accounts that anvil gives ether to. */
export const RICH_KEYS: readonly Hex[] = [
  "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80",
  "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d",
];

const ANVIL = "../../node_modules/@foundry-rs/anvil-linux-amd64/bin/anvil";

export const TOKEN_ABI = parseAbi([
  "function balanceOf(address) view returns (uint256)",
  "function mint(address to, uint256 value)",
  "function authorizationState(address, bytes32) view returns (bool)",
  "function cancelAuthorization(address, bytes32, uint8, bytes32, bytes32)",
  "function transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)",
]);

export const FACTORY_ABI = parseAbi([
  "function make(address owner)",
  "function at(address owner) view returns (address)",
]);

type Contract = "Token" | "Purse" | "Factory" | "Multicall3" | "Batch";

/** Where every chain has the contract that tries several calls at once. */
const MULTICALL: Hex = "0xcA11bde05977b3631167028862bE2a173976CA11";

/** Runtime code of the contracts, compiled once for all test processes. */
async function compile(): Promise<Record<Contract, Hex>> {
  const version = createHash("sha256").update(source).digest("hex").slice(0, 16);
  const cached = join(tmpdir(), `demand-test-contracts-${version}.json`);
  if (existsSync(cached)) return JSON.parse(readFileSync(cached, "utf8"));
  const { default: solc } = await import("solc");
  const output = JSON.parse(solc.compile(JSON.stringify({
    language: "Solidity",
    sources: { "token.sol": { content: source } },
    settings: {
      optimizer: { enabled: true, runs: 200 },
      evmVersion: "paris",
      outputSelection: { "*": { "*": ["evm.deployedBytecode.object"] } },
    },
  })));
  const contracts = output.contracts?.["token.sol"];
  if (contracts === undefined) throw new Error(JSON.stringify(output.errors));
  const code = (name: Contract): Hex => `0x${contracts[name].evm.deployedBytecode.object}`;
  const compiled = {
    Token: code("Token"),
    Purse: code("Purse"),
    Factory: code("Factory"),
    Multicall3: code("Multicall3"),
    Batch: code("Batch"),
  };
  const draft = `${cached}.${crypto.randomUUID()}`;
  mkdirSync(tmpdir(), { recursive: true });
  writeFileSync(draft, JSON.stringify(compiled));
  renameSync(draft, cached);
  return compiled;
}

export interface TestChain extends AsyncDisposable {
  readonly url: string;
  rpc(method: string, params?: readonly unknown[]): Promise<unknown>;
  /** A fresh account with this many token units. */
  account(units: bigint): Promise<PrivateKeyAccount>;
  mint(to: string, units: bigint): Promise<void>;
  balance(address: string): Promise<bigint>;
  /** Places a contract wallet that `owner` controls. */
  purse(owner: string, units: bigint): Promise<Hex>;
  /** Places a contract that makes purses, and gives the address of the one it would make for `owner`. */
  factory(owner: string): Promise<{ readonly address: Hex; readonly purse: Hex }>;
  /** Places the contract that uses two authorizations at once. */
  batch(): Promise<Hex>;
  /** Sends a call as one of anvil's rich accounts, and gives the transaction's hash. */
  send(to: string, data: Hex): Promise<Hex>;
}

async function startAnvil(): Promise<{ process: Deno.ChildProcess; url: string }> {
  const process = new Deno.Command(new URL(ANVIL, import.meta.url).pathname, {
    args: ["--port", "0", "--chain-id", String(CHAIN_ID), "--accounts", "4"],
    stdin: "null",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const reader = process.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) throw new Error("anvil ended before it listened");
    text += value;
    const match = /Listening on (\S+:\d+)/.exec(text);
    if (match === null) continue;
    // Whatever else it prints must be taken, or it would block.
    void (async () => {
      while (!(await reader.read()).done);
    })();
    return { process, url: `http://${match[1]}` };
  }
}

/** Starts a chain with the token in place. */
export async function startChain(): Promise<TestChain> {
  const [code, { process, url }] = await Promise.all([compile(), startAnvil()]);
  let id = 0;
  const rpc = async (method: string, params: readonly unknown[] = []): Promise<unknown> => {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: ++id, method, params }),
    });
    const { result, error } = await response.json();
    if (error !== undefined) throw new Error(`${method}: ${error.message}`);
    return result;
  };
  const sender = privateKeyToAccount(RICH_KEYS[1] ?? "0x").address;
  let turn: Promise<unknown> = Promise.resolve();
  const sendNow = async (to: string, data: Hex): Promise<Hex> => {
    const hash = await rpc("eth_sendTransaction", [{ from: sender, to, data, gas: "0x7a120" }]);
    for (let i = 0; i < 100; i++) {
      if (await rpc("eth_getTransactionReceipt", [hash]) !== null) break;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    return hash as Hex;
  };
  // One after the other: anvil gives two at once the same nonce.
  const send = (to: string, data: Hex): Promise<Hex> => {
    const sent = turn.then(() => sendNow(to, data));
    turn = sent.catch(() => {});
    return sent;
  };
  const mint = async (to: string, units: bigint): Promise<void> => {
    const args = [to as Hex, units] as const;
    await send(USDC, encodeFunctionData({ abi: TOKEN_ABI, functionName: "mint", args }));
  };
  const place = async (contract: Contract): Promise<Hex> => {
    const { address } = newAccount();
    await rpc("anvil_setCode", [address, code[contract]]);
    return address;
  };
  await rpc("anvil_setCode", [USDC, code.Token]);
  await rpc("anvil_setCode", [MULTICALL, code.Multicall3]);
  return {
    url,
    rpc,
    send,
    mint,
    account: async (units) => {
      const account = newAccount();
      if (units > 0n) await mint(account.address, units);
      return account;
    },
    balance: async (address) => {
      const args = [address as Hex] as const;
      const data = encodeFunctionData({ abi: TOKEN_ABI, functionName: "balanceOf", args });
      return BigInt(String(await rpc("eth_call", [{ to: USDC, data }, "latest"])));
    },
    purse: async (owner, units) => {
      const address = await place("Purse");
      await rpc("anvil_setStorageAt", [address, numberToHex(0, { size: 32 }), pad(owner as Hex)]);
      await mint(address, units);
      return address;
    },
    factory: async (owner) => {
      const to = await place("Factory");
      const data = encodeFunctionData({
        abi: FACTORY_ABI,
        functionName: "at",
        args: [owner as Hex],
      });
      const word = String(await rpc("eth_call", [{ to, data }, "latest"]));
      return { address: to, purse: getAddress(`0x${word.slice(26)}`) };
    },
    batch: () => place("Batch"),
    [Symbol.asyncDispose]: async () => {
      process.kill("SIGKILL");
      await process.status;
    },
  };
}
