/** Signs the transactions of the broadcasting wallet, and reads them again. viem is loaded for it alone. */
import type { LocalAccount } from "viem";
import { wrongSetting } from "../../core/settings.ts";
import { asHex } from "./hex.ts";

interface TransactionDraft {
  readonly chainId: number;
  readonly nonce: number;
  readonly to: string;
  readonly data: string;
  readonly gas: bigint;
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

export interface SignedTransaction {
  /** `0x` hex. */
  readonly raw: string;
  readonly hash: string;
}

export interface TransactionSigner {
  /** Lower-case address. */
  readonly address: string;
  sign(draft: TransactionDraft): Promise<SignedTransaction>;
}

/** What a signed transaction says of its call and its fee; undefined where it does not. */
interface ReadTransaction {
  readonly data: string | undefined;
  readonly gas: bigint | undefined;
  /** Wei per gas for the block's maker. */
  readonly tip: bigint | undefined;
}

/** Reads a signed transaction. */
export async function readTransaction(raw: string): Promise<ReadTransaction> {
  const { parseTransaction } = await import("viem");
  const { data, gas, maxPriorityFeePerGas: tip } = parseTransaction(asHex(raw));
  return { data, gas, tip };
}

/** The account of a private key. @throws SettingsError that does not repeat the key, if it is not one. */
function accountOf(toAccount: (key: `0x${string}`) => LocalAccount, key: string): LocalAccount {
  try {
    return toAccount(asHex(key));
  } catch {
    throw wrongSetting(
      "SETTLEMENT_PRIVATE_KEY",
      "is zero or too large to be the key of a wallet",
    );
  }
}

/**
 * Makes the signer of a private key, which was checked for shape.
 * @throws SettingsError where it is a number that no key can be.
 */
export async function createSigner(privateKey: string): Promise<TransactionSigner> {
  const [{ privateKeyToAccount }, { keccak256 }] = await Promise.all([
    import("viem/accounts"),
    import("viem"),
  ]);
  const account = accountOf(privateKeyToAccount, privateKey);
  return {
    address: account.address.toLowerCase(),
    sign: async ({ to, data, ...rest }) => {
      const raw = await account.signTransaction({
        ...rest,
        type: "eip1559",
        to: asHex(to),
        data: asHex(data),
      });
      return { raw, hash: keccak256(raw) };
    },
  };
}
