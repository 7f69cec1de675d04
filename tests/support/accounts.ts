/** Accounts that nobody has heard of. */
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";

export const newAccount = (): PrivateKeyAccount => privateKeyToAccount(generatePrivateKey());
