/** Signs the transactions of the broadcasting wallet, and reads them again. The only place that loads viem. */
import type { LocalAccount } from "viem";

export interface TransactionDraft {
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

const hex = (text: string): `0x${string}` => `0x${text.replace(/^0x/, "")}`;

/** What a signed transaction calls, and the gas it may use; undefined where it does not say so. */
export async function readTransaction(
  raw: string,
): Promise<{ readonly data: string | undefined; readonly gas: bigint | undefined }> {
  const { parseTransaction } = await import("viem");
  const { data, gas } = parseTransaction(hex(raw));
  return { data, gas };
}

/** Makes the signer of a private key, which was checked for shape. */
export async function createSigner(privateKey: string): Promise<TransactionSigner> {
  const [{ privateKeyToAccount }, { keccak256 }] = await Promise.all([
    import("viem/accounts"),
    import("viem"),
  ]);
  const account: LocalAccount = privateKeyToAccount(hex(privateKey));
  return {
    address: account.address.toLowerCase(),
    sign: async ({ to, data, ...rest }) => {
      const raw = await account.signTransaction({
        ...rest,
        type: "eip1559",
        to: hex(to),
        data: hex(data),
      });
      return { raw, hash: keccak256(raw) };
    },
  };
}
