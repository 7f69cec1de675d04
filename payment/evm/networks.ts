/** The supported networks: USDC contract, EIP-712 domain, public endpoint, legacy name. */
import { DOLLAR_UNITS, TOKEN_DECIMALS } from "../../db/ledger/types.ts";

export interface Network {
  /** CAIP-2 identifier. */
  readonly id: string;
  readonly chainId: number;
  /** The name that version 1 of the protocol used. */
  readonly legacyName: string;
  readonly usdc: string;
  /** EIP-712 domain of the token; signatures are made over it. */
  readonly domain: { readonly name: string; readonly version: string };
  readonly publicRpc: string;
}

/** Source: Circle's list of USDC contracts, and the contracts' own `name()` and `version()`. */
export const NETWORKS: readonly Network[] = [
  {
    id: "eip155:8453",
    chainId: 8453,
    legacyName: "base",
    usdc: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
    domain: { name: "USD Coin", version: "2" },
    publicRpc: "https://mainnet.base.org",
  },
  {
    id: "eip155:84532",
    chainId: 84532,
    legacyName: "base-sepolia",
    usdc: "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
    domain: { name: "USDC", version: "2" },
    publicRpc: "https://sepolia.base.org",
  },
];

/** The network of a CAIP-2 identifier; undefined for an unsupported one. */
export function findNetwork(id: string): Network | undefined {
  return NETWORKS.find((network) => network.id === id);
}

/** Token units of a dollar price: `"0.01"` is 10000 of USDC's millionths. @throws TypeError on anything else. */
export function baseUnits(priceUsd: string): number {
  const match = /^(\d{1,6})(?:\.(\d{1,6}))?$/.exec(priceUsd);
  if (match === null) throw new TypeError(`not a price in dollars: ${priceUsd}`);
  return Number(match[1]) * DOLLAR_UNITS + Number((match[2] ?? "").padEnd(TOKEN_DECIMALS, "0"));
}
